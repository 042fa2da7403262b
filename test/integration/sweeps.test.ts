/** Runs of several trials: one that cannot count, one that is interrupted, and what is said before and after. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { runCli, startCli } from '../support/cli.ts';
import { type CountingTarget, startCountingTarget } from '../support/counting-target.ts';
import { type Lab, reportOf, startLab, temporaryDirectory } from '../support/lab.ts';
import { markProcesses } from '../support/processes.ts';

const originOf = ({ url }: CountingTarget): string => new URL(url).origin;

async function scenarioFile(t: TestContext, text: string): Promise<string> {
  const file = path.join(await temporaryDirectory(t), 'scenario.yaml');
  await writeFile(file, text);
  return file;
}

const idOf = (stderr: string): string => /^run (\S+) running$/m.exec(stderr)![1]!;

test('a target that stalls is DNF soon, and the next cell is still measured', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);
  const [stuck, good] = [await startCountingTarget(t), await startCountingTarget(t)];
  const file = await scenarioFile(
    t,
    `targets: { stuck: "${originOf(stuck)}", good: "${originOf(good)}" }
sweep: { target: [stuck, good] }
load: { executor: constant-connections, connections: 4, requests: 2000, duration: 60s }
workers: { count: 2 }
dnf: { stall: 2s }
cooldown: 700ms
`,
  );
  const running = lab.run([file, '--format', 'json']);
  await stuck.reached(100);
  stuck.hold();
  const result = await running;
  assert.equal(result.code, 0, result.stderr);
  assert.ok(result.tookMs < 30_000, `it took ${result.tookMs} ms`);
  assert.match(result.stderr, /^2 trials, about 60\.0 s each, about 2m1s in all$/m);
  assert.match(
    result.stderr,
    /warning: 1 of 2 trials did not finish: target=stuck, round 1: the target stalled/,
  );
  const [first, second] = reportOf(result).trials;
  assert.equal(first!.state, 'dnf');
  assert.match(first!.dnf!.reason, /no reply for [2-4] s from second \d+, 4 requests in flight/);
  assert.deepEqual(
    [first!.ledger.balanced, first!.ledger.inFlight],
    [true, 4],
    first!.ledger.problems.join(),
  );
  assert.ok(first!.stalls[0]!.seconds >= 2, JSON.stringify(first!.stalls));
  assert.equal(second!.state, 'completed');
  assert.equal(second!.summary.requests, 2000);
  assert.equal(good.arrivalsUs.length, 2000);
  const endedMs = Date.parse(first!.startedAt!) + first!.summary.durationUs / 1_000;
  assert.ok(Date.parse(second!.startedAt!) - endedMs >= 700, 'the cool-down was kept');
});

test('nothing but DNF is exit 3; a stall that passes is only listed', async (t) => {
  const lab = await startLab(t, ['w1']);
  const target = await startCountingTarget(t);
  const scenario = (more: string) => `targets: { it: "${originOf(target)}" }
load: { executor: constant-connections, connections: 2, duration: 4s }
${more}`;
  const running = lab.run([await scenarioFile(t, scenario('')), '--format', 'json']);
  await target.reached(50);
  target.hold();
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  target.release();
  const passed = await running;
  assert.equal(passed.code, 0, passed.stderr);
  const [trial] = reportOf(passed).trials;
  assert.equal(trial!.state, 'completed');
  assert.equal(trial!.stalls.length, 1, JSON.stringify(trial!.timeline));
  assert.ok(trial!.stalls[0]!.seconds <= 2);
  const again = await runCli('coordinator', ['report', idOf(passed.stderr), '--coordinator', lab.url]);
  assert.match(again.stdout, /^Stalls +no reply for [12] s from second \d$/m);

  target.hold();
  const failed = await lab.run([await scenarioFile(t, scenario('dnf: { stall: 1s }')), '--format', 'json']);
  target.release();
  assert.equal(failed.code, 3, failed.stderr);
  assert.match(reportOf(failed).trials[0]!.dnf!.reason, /the target stalled/);
});

describe('an interrupted run goes on at its next trial', () => {
  for (const where of ['in a lab of its own', 'on a coordinator'] as const) {
    test(where, async (t) => {
      const marked = markProcesses();
      const target = await startCountingTarget(t);
      const lab: Lab | undefined = where === 'on a coordinator' ? await startLab(t, ['w1']) : undefined;
      const at = lab === undefined ? ['--data', await temporaryDirectory(t)] : ['--coordinator', lab.url];
      const file = await scenarioFile(
        t,
        `targets: { it: "${originOf(target)}" }
sweep: { n: [100, 200, 300] }
order: shuffled
seed: 5
request: { headers: { Authorization: "Bearer secret-\${n}" } }
load: { executor: constant-connections, requests: "\${n}" }
`,
      );
      const run = (...args: string[]) =>
        runCli('coordinator', ['run', file, '--format', 'json', ...args, ...at], marked.env);

      const begun = startCli('coordinator', ['run', file, '--format', 'json', ...at], marked.env);
      // Half-way through the second trial, whichever that is.
      const plan = await runCli('coordinator', ['run', file, '--dry-run']);
      const order = [...plan.stdout.matchAll(/ n=(\d+) /g)].map((match) => Number(match[1]));
      assert.equal(order.length, 3);
      await target.reached(order[0]! + 10);
      target.hold();
      begun.child.kill('SIGINT');
      const stopped = await begun.ended;
      target.release();
      assert.equal(stopped.code, 130, stopped.stderr);
      const first = reportOf(stopped);
      assert.deepEqual(
        first.trials.map(({ state, cell }) => [cell.n, state]),
        [
          [order[0], 'completed'],
          [order[1], 'aborted'],
        ],
      );

      const other = await run('--resume', first.run.id, '--set', 'sweep.n=[100, 200, 301]');
      assert.equal(other.code, 2, other.stdout);
      assert.match(other.stderr, /--resume \S+: the scenario differs from the one that it ran: trial \d/);
      const secret = await run(
        '--resume',
        first.run.id,
        '--set',
        'request.headers.Authorization=Bearer other-${n}',
      );
      assert.equal(secret.code, 2, secret.stdout);
      assert.match(secret.stderr, /the trials are the same, but not all the rest/);

      const before = target.arrivalsUs.length;
      const resumed = await run('--resume', first.run.id);
      assert.equal(resumed.code, 0, resumed.stderr);
      assert.match(resumed.stderr, /^2 trials, as long as their requests take$/m);
      assert.equal(target.arrivalsUs.length - before, order[1]! + order[2]!, 'the first was not run again');
      const whole = reportOf(resumed);
      assert.notEqual(whole.run.id, first.run.id);
      assert.deepEqual(whole.run.resumed, { run: first.run.id, trials: 1 });
      assert.deepEqual(whole.run.order, { name: 'shuffled', seed: 5 });
      assert.deepEqual(
        whole.trials.map(({ summary, state }) => [summary.requests, state]),
        order.map((n) => [n, 'completed']),
      );
      assert.deepEqual(whole.trials[0], first.trials[0], 'as it was measured');

      const done = await run('--resume', whole.run.id);
      assert.equal(done.code, 2);
      assert.match(done.stderr, /all of its 3 trials have completed; nothing is left to run/);
    });
  }
});

describe('a warm-up of a number of requests', () => {
  test('is exactly that many, over all workers, on the connections of the measurement, and in no number', async (t) => {
    const lab = await startLab(t, ['w1', 'w2']);
    const target = await startCountingTarget(t);
    const file = await scenarioFile(
      t,
      `targets: { it: "${originOf(target)}" }
sweep: { n: [5, 64] }
load: { executor: constant-connections, connections: "\${n}", requests: 300 }
warmup: { requests: 101 }
workers: { count: 2, threads: 2 }
rounds: 2
`,
    );
    const result = await lab.run([file, '--format', 'json']);
    assert.equal(result.code, 0, result.stderr);
    const { trials } = reportOf(result);
    assert.equal(target.arrivalsUs.length, 4 * (101 + 300));
    for (const { summary, ledger, cell } of trials) {
      assert.equal(summary.requests, 300);
      assert.ok(ledger.balanced, ledger.problems.join());
      if (cell.n === 5) assert.equal(summary.connections.opened, 0);
    }
  });

  test('ends in its time where nobody answers, and what is stopped in it stops at once', async (t) => {
    const lab = await startLab(t, ['w1']);
    const target = await startCountingTarget(t);
    target.hold();
    const file = await scenarioFile(
      t,
      `targets: { it: "${originOf(target)}" }
load: { executor: constant-connections, connections: 2, requests: 10, keepAlive: true }
request: { timeout: 500ms }
warmup: { requests: 1000, duration: 1s }
`,
    );
    const failed = await lab.run([file, '--format', 'json']);
    assert.equal(failed.code, 3, failed.stderr);
    assert.match(reportOf(failed).trials[0]!.dnf!.reason, /no request completed, 10 failed/);

    const before = target.arrivalsUs.length;
    const long = lab.start([file, '--set', 'warmup.duration=60s', '--format', 'json']);
    await target.reached(before + 2);
    long.child.kill('SIGINT');
    const stopped = await long.ended;
    assert.equal(stopped.code, 130, stopped.stderr);
    await target.quiet(700, 3_000);
  });
});
