/** A mix with rows over two workers: the server sees the weights and the rows, and each row from one thread alone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { reportOf, startLab, temporaryDirectory } from '../support/lab.ts';

test('weights and rows over two workers, as the server sees them', async (t) => {
  const seen = new Map<string, number>();
  const connectionsOf = new Map<string, Set<number>>();
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://h');
    const user = url.searchParams.get('user');
    const key = user ?? url.pathname;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    if (user !== null) {
      const ports = connectionsOf.get(user) ?? new Set();
      connectionsOf.set(user, ports.add(request.socket.remotePort!));
    }
    request.resume();
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;

  const directory = await temporaryDirectory(t);
  const users = Array.from({ length: 8 }, (_, i) => `u ${i}&x`);
  await writeFile(path.join(directory, 'users.csv'), `user\n${users.join('\n')}\n`);
  const file = path.join(directory, 'mix.yaml');
  await writeFile(
    file,
    `targets: { it: "http://127.0.0.1:${port}" }
requests:
  - { name: home, weight: 3, path: / }
  - { name: profile, path: "/profile?user=\${data.user}" }
data: { file: users.csv }
load: { executor: constant-connections, connections: 4, requests: 800 }
workers: { count: 2, threads: 2 }
thresholds: [{ that: "requests >= 190", request: profile }]
`,
  );
  const lab = await startLab(t, ['w1', 'w2']);
  const report = reportOf(await lab.run([file, '--format', 'json']));
  const { summary, ledger } = report.trials[0]!;
  assert.ok(ledger.balanced);
  assert.equal(summary.requests, 800);

  // Four threads of 200 requests each are whole cycles of four.
  assert.equal(seen.get('/'), 600);
  assert.equal(summary.byRequest!.home!.requests, 600);
  assert.equal(summary.byRequest!.profile!.requests, 200);
  assert.ok(report.thresholds.every(({ passed }) => passed));

  // Each thread has one connection and two rows, which it takes in turn.
  assert.deepEqual(
    users.map((user) => seen.get(user)),
    users.map(() => 25),
  );
  for (const [user, ports] of connectionsOf) assert.equal(ports.size, 1, user);

  const journal = await readFile(path.join(lab.data, 'runs', report.run.id, 'journal.jsonl'), 'utf8');
  assert.ok(!journal.includes('u 3&x'), 'a row is in the journal');
});
