/** What happens when a worker or a connection is lost: bounded, named, and nothing counted twice. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab, temporaryDirectory } from '../support/lab.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

async function scenario(
  t: Parameters<typeof temporaryDirectory>[0],
  url: string,
  lines: string[],
): Promise<string> {
  const file = path.join(await temporaryDirectory(t), 'scenario.yaml');
  await writeFile(
    file,
    [`targets: { it: "${new URL(url).origin}" }`, 'request: { path: / }', ...lines].join('\n'),
  );
  return file;
}

test('a worker killed in mid-run: the run ends within 15 s, names it, the share lost and what was in flight', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const running = lab.run([target.url, '-t', '60', '-c', '8', '-k', '--workers', '2', '--format', 'json']);
  await target.reached(2_000);
  await lab.coordinator.says(/worker w2 is here/);
  lab.workers.get('w2')!.child.kill('SIGKILL');
  const killedMs = performance.now();
  const result = await running;
  const endedMs = performance.now() - killedMs;
  assert.ok(endedMs < 15_000, `it took ${endedMs} ms`);
  assert.equal(result.code, 3, result.stderr);
  const report = reportOf(result);
  const [trial] = report.trials;
  assert.equal(trial!.state, 'dnf');
  assert.match(trial!.dnf!.reason, /w2/);
  const lost = trial!.workers.find(({ name }) => name === 'w2')!;
  assert.ok(lost.lost !== undefined, 'the report marks the worker');
  assert.ok(trial!.workers.find(({ name }) => name === 'w1')!.requests > 0, 'the other one is in the report');
  assert.ok(trial!.ledger.lost <= 4, `${trial!.ledger.lost} lost; w2 had 4 connections`);
  assert.equal(trial!.ledger.balanced, true, trial!.ledger.problems.join());
});

test('onWorkerLoss: shrink goes on without the worker and says so', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const file = await scenario(t, target.url, [
    'load: { executor: constant-arrival-rate, rate: 200/s, duration: 12s }',
    'workers: { count: 2 }',
    'onWorkerLoss: shrink',
  ]);
  const running = lab.run([file, '--format', 'json']);
  await target.reached(300);
  lab.workers.get('w1')!.child.kill('SIGKILL');
  const result = await running;
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /w1 .*going on without it/);
  const [trial] = reportOf(result).trials;
  assert.equal(trial!.state, 'completed');
  assert.ok(trial!.workers.find(({ name }) => name === 'w1')!.lost !== undefined);
  assert.equal(trial!.ledger.planned, 2_400);
  assert.equal(trial!.ledger.started + trial!.ledger.dropped, 2_400);
  assert.equal(trial!.ledger.balanced, true, trial!.ledger.problems.join());
});

test('a websocket that is cut for 3 s loses and doubles nothing', async (t) => {
  const lab = await startLab(t, ['w1']);
  const proxy = await startTcpProxy(t, new URL(lab.url));
  await lab.addWorker('w2', [], { url: proxy.url });
  const target = await startCountingTarget(t);
  const running = lab.run([
    target.url,
    '--rate',
    '400',
    '-t',
    '8',
    '-k',
    '--workers',
    '2',
    '--format',
    'json',
  ]);
  await target.reached(600);
  proxy.cut();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  proxy.mend();
  const result = await running;
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /worker w2 was cut/);
  assert.match(result.stderr, /worker w2 is back/);
  const [trial] = reportOf(result).trials;
  const { ledger, summary, timeline } = trial!;
  assert.deepEqual([ledger.planned, ledger.started, ledger.completed, ledger.lost], [3_200, 3_200, 3_200, 0]);
  assert.equal(summary.requests, target.arrivalsUs.length);
  assert.equal(
    timeline.reduce((sum, second) => sum + second.requests, 0),
    3_200,
  );
  assert.equal(ledger.balanced, true, ledger.problems.join());
});

test('a worker that comes back under its old name after being killed does not run its shard again', async (t) => {
  const lab = await startLab(t, ['w1']);
  const target = await startCountingTarget(t);
  const running = lab.run([
    target.url,
    '-n',
    '1000000',
    '-c',
    '2',
    '-k',
    '--workers',
    '1',
    '--format',
    'json',
  ]);
  await target.reached(500);
  lab.workers.get('w1')!.child.kill('SIGKILL');
  await lab.workers.get('w1')!.ended;
  const sentBefore = target.arrivalsUs.length;
  await lab.addWorker('w1');
  const result = await running;
  assert.equal(result.code, 3, result.stderr);
  assert.match(reportOf(result).trials[0]!.dnf!.reason, /w1 was lost: its process was started anew/);
  // The next run is taken by the new process: by then it would have taken the old shard too.
  const next = await lab.run([target.url, '-n', '10', '--workers', '1', '--format', 'json']);
  assert.equal(reportOf(next).trials[0]!.summary.requests, 10);
  assert.equal(target.arrivalsUs.length, sentBefore + 10);
});

test('SIGTERM drains a worker: its load stops, what it measured arrives, nothing is lost', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const running = lab.run([target.url, '-t', '60', '-c', '4', '-k', '--workers', '2', '--format', 'json']);
  await target.reached(1_000);
  const worker = lab.workers.get('w1')!;
  worker.child.kill('SIGTERM');
  const left = await worker.ended;
  assert.equal(left.code, 0, left.stderr);
  const result = await running;
  assert.equal(result.code, 3, result.stderr);
  const [trial] = reportOf(result).trials;
  assert.match(trial!.dnf!.reason, /w1 leaves: SIGTERM/);
  assert.equal(trial!.ledger.lost, 0);
  assert.equal(trial!.ledger.balanced, true, trial!.ledger.problems.join());
  assert.equal(trial!.ledger.completed + trial!.ledger.inFlight, target.arrivalsUs.length);
});
