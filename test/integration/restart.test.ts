/** A coordinator that is killed in the middle of a run and started again: the run goes on, and nothing is lost or doubled. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportTrial } from '../../coordinator/report/schema.ts';
import { runCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf } from '../support/lab.ts';
import { accounted, scenarioFile, startRestartLab } from '../support/restart-lab.ts';

for (const [redis, ownRedis] of [
  ['on a Redis that stays', false],
  // Its workers then have a queue of the old one, whose shard is still under way, and one of the new one.
  ['with its own Redis', true],
] as const)
  test(`killed in the first of two trials, ${redis}: both trials are whole, as if nothing had been`, async (t) => {
    const { lab, kill, restart } = await startRestartLab(t, ['w1', 'w2'], { ownRedis });
    const target = await startCountingTarget(t);
    const file = await scenarioFile(t, target.url, [
      'load: { executor: constant-arrival-rate, rate: 200/s, duration: 5s }',
      'workers: { count: 2 }',
      'rounds: 2',
    ]);
    const running = lab.start([file, '--format', 'json']);
    await target.reached(300);
    await kill();
    await running.says(/no coordinator answers .*; asking again for 30 s/);
    restart();
    const result = await running.ended;
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stderr, /the coordinator is back/);
    const { run, trials } = reportOf(result);
    assert.deepEqual(
      trials.map(({ state, ledger }) => [state, ledger.planned, ledger.completed, ledger.balanced]),
      [
        ['completed', 1_000, 1_000, true],
        ['completed', 1_000, 1_000, true],
      ],
    );
    assert.equal(target.arrivalsUs.length, 2_000);
    for (const { timeline } of trials)
      assert.equal(
        timeline.reduce((sum, { requests }) => sum + requests, 0),
        1_000,
      );
    assert.equal(run.coordinatorAway?.length, 1);
    const { from, until, trial } = run.coordinatorAway![0]!;
    assert.equal(trial, 0);
    assert.ok(run.startedAt < from && from < until, `${run.startedAt} ${from} ${until}`);
    const text = await runCli('coordinator', ['report', run.id, '--data', lab.data]);
    assert.match(text.stdout, /away from [\d:.]+ to [\d:.]+ UTC, in the middle of trial 1/);
  });

test('killed twice in one trial, with its own Redis: every request is accounted for', async (t) => {
  const { lab, kill, restart } = await startRestartLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const load = ['-n', '3000', '-c', '4', '-k', '-s', '60', '--workers', '2'];
  const running = lab.start([target.url, ...load, '--format', 'json']);
  await target.reached(500);
  // However long it takes: the load is still there.
  target.hold();
  await kill();
  restart();
  // Progress of a trial that has been taken up; what was told before the client was back is not told to it again.
  await running.says(/the coordinator is back[\s\S]*, workers 2/);
  await kill();
  const last = restart();
  await last.says(/worker w1 is here/);
  target.release();
  const result = await running.ended;
  assert.equal(result.code, 0, result.stderr);
  const { run, trials } = reportOf(result);
  const [{ state, ledger, workers }] = trials as [ReportTrial];
  assert.deepEqual([state, ledger.completed, ledger.balanced], ['completed', 3_000, true]);
  assert.equal(target.arrivalsUs.length, 3_000);
  assert.ok(workers.every(({ requests }) => requests === 1_500));
  assert.equal(run.coordinatorAway?.length, 2);
});

test('killed before the load: the trial is begun anew, and what its workers had prepared is not in it', async (t) => {
  const { lab, kill, restart } = await startRestartLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const file = await scenarioFile(t, target.url, [
    'load: { executor: constant-connections, connections: 2, requests: 50 }',
    'warmup: { requests: 10 }',
  ]);
  target.hold();
  const running = lab.start([file, '--format', 'json']);
  // Of the warm-up: one a connection, and they wait.
  await target.reached(2);
  await kill();
  target.release();
  restart();
  const result = await running.ended;
  assert.equal(result.code, 0, result.stderr);
  const [{ state, ledger, summary, workers }] = reportOf(result).trials as [ReportTrial];
  assert.deepEqual([state, ledger.planned, summary.requests], ['completed', 50, 50]);
  assert.equal(workers.length, 2, 'all that were there, and not only the first one that was back');
  assert.equal(ledger.balanced, true, ledger.problems.join());
});

test('a worker that does not come back after the coordinator is named; the others go on where that is wanted', async (t) => {
  const { lab, kill, restart } = await startRestartLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const file = await scenarioFile(t, target.url, [
    'load: { executor: constant-arrival-rate, rate: 200/s, duration: 4s }',
    'workers: { count: 2 }',
    'onWorkerLoss: shrink',
  ]);
  const running = lab.start([file, '--format', 'json']);
  await target.reached(300);
  await kill();
  lab.workers.get('w2')!.child.kill('SIGKILL');
  restart();
  const result = await running.ended;
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stderr, /worker w2 was lost: it did not come back within 8 s .*going on without it/);
  const [{ state, ledger, workers }] = reportOf(result).trials as [ReportTrial];
  assert.deepEqual(
    [state, ledger.planned, ledger.balanced],
    ['completed', 800, true],
    ledger.problems.join(),
  );
  assert.equal(workers.find(({ name }) => name === 'w1')!.requests, 400);
  assert.ok(workers.find(({ name }) => name === 'w2')!.lost !== undefined);
});

test('away for longer than the lease: the load has stopped, its trial did not finish, and the next one is measured', async (t) => {
  const { lab, kill, restart } = await startRestartLab(t, ['w1']);
  const target = await startCountingTarget(t);
  const file = await scenarioFile(t, target.url, [
    'load: { executor: constant-connections, connections: 2, duration: 60s }',
    'rounds: 2',
  ]);
  const running = lab.start([file, '--format', 'json']);
  await running.says(/[1-9]\d* req\/s/);
  await kill();
  await target.quiet(1_000, 25_000);
  const requests = target.arrivalsUs.length;
  restart();
  await running.says(/nothing was heard from the coordinator for the whole lease/);
  await target.reached(requests + 100);
  running.child.kill('SIGINT');
  const result = await running.ended;
  assert.equal(result.code, 130, result.stderr);
  const [first, second] = reportOf(result).trials as [ReportTrial, ReportTrial];
  assert.equal(first.state, 'dnf');
  assert.match(first.dnf!.reason, /for the whole lease/);
  assert.equal(first.ledger.balanced, true, first.ledger.problems.join());
  assert.equal(accounted(first.ledger), requests);
  assert.equal(second.state, 'aborted');
  assert.equal(accounted(first.ledger) + accounted(second.ledger), target.arrivalsUs.length);
});

test('a run with hooks is settled instead, and the load of its workers stopped; the client does not wait for ever', async (t) => {
  const { lab, kill, restart } = await startRestartLab(t, ['w1'], { args: ['--allow-hooks'] });
  const target = await startCountingTarget(t);
  const file = await scenarioFile(t, target.url, [
    'load: { executor: constant-connections, connections: 2, duration: 60s }',
    'hooks: { beforeRun: "true" }',
  ]);
  const running = lab.start([file, '--format', 'json']);
  await running.says(/[1-9]\d* req\/s/);
  await kill();
  const next = restart();
  await next.says(/worker w1 is here/);
  // Well within the lease of 15 s, in which it would have stopped by itself.
  await target.quiet(1_000, 5_000);
  const result = await running.ended;
  assert.equal(result.code, 3, result.stderr);
  const { run, trials } = reportOf(result);
  assert.match(run.reason!, /its coordinator ended before it did; a run with hooks is not taken up again/);
  assert.equal(trials[0]!.state, 'aborted');
  assert.ok(trials[0]!.summary.requests > 0, 'what was journaled is still reported');
  // And the worker is ready for the next run.
  const after = await lab.run([target.url, '-n', '10', '--workers', '1', '--format', 'json']);
  assert.equal(reportOf(after).trials[0]!.summary.requests, 10);
});
