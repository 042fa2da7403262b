/** Experiment 1, small: real httpd and Tomcat, one of which is stopped half-way. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { CLASSIC, SERVERS_MISSING, SERVERS_SH, startServers } from '../support/classic-servers.ts';
import { runCli } from '../support/cli.ts';
import { reportOf, temporaryDirectory } from '../support/lab.ts';

const SERVERS = ['httpd', 'nio-sendfile', 'nio', 'nio2-sendfile', 'nio2'] as const;
const SIZES = ['4KiB', '64KiB'];
const BYTES: Record<string, number> = { '4KiB': 4096, '64KiB': 65_536 };
/** 64 KiB from httpd, which comes first. */
const STOPPED_BEFORE = SERVERS.length;

/** Of a cell of the table. */
const kindOf = (text: string): string =>
  /^\d+\.\d+( KiB\/s)?( [*=!†GN~?]+)?$/.test(text.trim()) ? 'rate' : text;

test('static files: sizes × servers in KiB/s, DNF with its reason for the server that is stopped half-way', {
  skip: SERVERS_MISSING,
}, async (t) => {
  const servers = await startServers(t, SIZES);
  const data = await temporaryDirectory(t);
  const stop = `test $BROADSIDE_TRIAL != ${STOPPED_BEFORE} || sh ${SERVERS_SH} stop ${servers.directory} httpd`;
  const settings = [
    `sizes=${SIZES}`,
    'connections=4',
    'duration=400ms',
    'warmup=100ms',
    'rounds=1',
    `hooks.beforeTrial=${stop}`,
    ...SERVERS.map((name) => `targets.${name}=${servers.url(name)}`),
  ];
  const result = await runCli('coordinator', [
    'run',
    path.join(CLASSIC, 'static-files.yaml'),
    '--allow-hooks',
    ...['--data', data],
    ...settings.flatMap((setting) => ['--set', setting]),
  ]);
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /warning: 1 of 10 trials did not finish/);
  const { stdout } = result;
  // The table that the scenario asks for comes before all others.
  const [, table = ''] =
    /^size \\ target +httpd +nio-sendfile +nio +nio2-sendfile +nio2\n([\s\S]*)/m.exec(stdout) ?? [];
  const [first, second] = table.split('\n').map((line) => line.split(/ {2,}/));
  assert.deepEqual(first!.map(kindOf), ['4KiB', ...SERVERS.map(() => 'rate')], stdout);
  assert.deepEqual(second!.map(kindOf), ['64KiB', 'DNF', 'rate', 'rate', 'rate', 'rate'], stdout);
  assert.match(stdout, /DID NOT FINISH[\s\S]*target=httpd[\s\S]*connect-refused/);

  const [, id] = /^Run +(\S+),/m.exec(stdout)!;
  const report = reportOf(await runCli('coordinator', ['report', id!, '--data', data, '--format', 'json']));
  for (const { cell, state, summary, ledger } of report.trials) {
    assert.equal(ledger.balanced, true, ledger.problems.join());
    if (state !== 'completed') continue;
    const { requests, bytes, errors } = summary;
    assert.ok(requests > 0);
    assert.equal(errors.total, 0);
    // Requests that were cut off at the end have brought some of theirs.
    const { received, body = 0 } = bytes;
    assert.ok(body >= requests * BYTES[String(cell.size)]!, `${JSON.stringify(cell)}: ${body}`);
    assert.ok(received > body);
  }
});
