/** A load machine that runs out of ports says so, and does not blame the target. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import type { Report } from '../../coordinator/report/schema.ts';
import { ROOT } from '../support/cli.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { makeNamespace, NAMESPACES_MISSING } from '../support/namespace.ts';

/** Answers and leaves the close to the client, whose port then rests in TIME_WAIT. */
const LINGERING_SERVER = `
  const net = require('node:net');
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok'));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

test('no keep-alive until the ports run out: local-ports, and the verdict is the generator', {
  skip: NAMESPACES_MISSING,
}, async (t) => {
  // Enough ports for the lab itself, and some for the load.
  const machine = makeNamespace(t, { 'net.ipv4.ip_local_port_range': '50000 50099' });
  const server = machine.spawn(process.execPath, ['-e', LINGERING_SERVER]);
  const [line] = await once(server.stdout!.setEncoding('utf8'), 'data');
  const url = `http://127.0.0.1:${Number(line)}/`;
  const main = path.join(ROOT, 'dist/coordinator/main.js');
  const data = await temporaryDirectory(t);
  const { code, stdout, stderr } = await machine.run(process.execPath, [
    main,
    'run',
    url,
    '-t',
    '4',
    '-c',
    '10',
    '--format',
    'json',
    '--data',
    data,
  ]);
  assert.equal(code, 3, stderr);
  const [trial] = (JSON.parse(stdout) as Report).trials;
  const { summary, verdict, dnf } = trial!;
  assert.ok(summary.requests > 0, 'until then it went well');
  assert.equal(summary.errors.total, summary.errors.byClass['local-ports'], JSON.stringify(summary.errors));
  assert.match(summary.errors.first[0]!.message, /port/);
  assert.equal(trial!.state, 'dnf');
  assert.match(dnf!.reason, /failed/);
  assert.equal(verdict.limit, 'generator');
  assert.match(verdict.evidence.join(), /load machines' own \(local-ports \d+\)/);
});
