/** A run over the workers of two sites: so many of each, one start, one merged report, and each site's part of it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { runCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab, temporaryDirectory } from '../support/lab.ts';

const scenario = (url: string, pools: string, more = ''): string => `
targets: { it: "${new URL(url).origin}" }
load: { executor: constant-connections, connections: 6, requests: 600, keepAlive: true }
workers: { pools: ${pools}${more} }
`;

test('two of one pool and one of another: each as many as it is to give, its part beside the workers’', async (t) => {
  const lab = await startLab(t, []);
  for (const name of ['a1', 'a2', 'a3']) await lab.addWorker(name, ['--pool', 'site-a']);
  await lab.addWorker('b1', ['--pool', 'site-b']);
  const target = await startCountingTarget(t);
  const file = path.join(await temporaryDirectory(t), 'pools.yaml');

  await writeFile(file, scenario(target.url, '{ site-a: 2, site-b: 1 }'));
  const { trials } = reportOf(await lab.run([file, '--format', 'json']));
  const { workers, pools, summary } = trials[0]!;
  assert.deepEqual(
    workers.map(({ name, pool, connections, requests }) => [name, pool, connections, requests]),
    [
      ['a1', 'site-a', 2, 200],
      ['b1', 'site-b', 2, 200],
      ['a2', 'site-a', 2, 200],
    ],
  );
  assert.deepEqual(
    pools!.map(({ name, workers, requests }) => [name, workers, requests]),
    [
      ['site-a', 2, 400],
      ['site-b', 1, 200],
    ],
  );
  assert.equal(summary.requests, 600);
  assert.equal(target.arrivalsUs.length, 600);

  const text = (await lab.run([file])).stdout;
  assert.match(text, /^Worker +pool +host/m);
  assert.match(text, /^Pools +site-a, 2 workers: 400 requests \(66\.7 %, by its load 66\.7 %\), /m);

  await writeFile(file, scenario(target.url, '{ site-a: 1, site-b: 2, site-c: 1 }', ', wait: 1s'));
  const refused = await lab.run([file]);
  assert.equal(refused.code, 3);
  assert.match(
    refused.stderr,
    /needs 2 workers in pool site-b, and after 1 s only b1 is there; and 1 worker in pool site-c/,
  );
  assert.match((await lab.run([file, '--dry-run'])).stdout, /1 trial/);
});

test('a lab of its own has the workers of each pool', async (t) => {
  const target = await startCountingTarget(t);
  const file = path.join(await temporaryDirectory(t), 'pools.yaml');
  await writeFile(file, scenario(target.url, '{ x: 1, y: 1 }'));
  const { trials } = reportOf(await runCli('coordinator', ['run', file, '--format', 'json']));
  assert.deepEqual(
    trials[0]!.workers.map(({ pool }) => pool),
    ['x', 'y'],
  );
});
