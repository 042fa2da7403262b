/** Open loop over several workers: every arrival accounted for, evenly spaced at the target, stalls in the latencies. */
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab } from '../support/lab.ts';

/** The busiest window of this length. */
function mostWithin(timesUs: readonly number[], windowUs: number): number {
  const sorted = [...timesUs].sort((a, b) => a - b);
  let most = 0;
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while (sorted[last]! - sorted[first]! >= windowUs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

test('1500/s for 10 s over three workers: 15000 planned, all accounted for, no 20 ms window holds more than twice its share', async (t) => {
  const lab = await startLab(t, ['w1', 'w2', 'w3']);
  // Workers, coordinator and target share this machine with other tests. When one of them is kept from its core for a
  // while, what was due meanwhile comes at once; so much is measured, on both sides, and allowed. A schedule that is
  // bursty or late by itself is so every time.
  const attempts: string[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const target = await startCountingTarget(t);
    const targetDelay = monitorEventLoopDelay({ resolution: 5 });
    targetDelay.enable();
    const args = [target.url, '--rate', '1500', '-t', '10', '-k', '--workers', '3', '--format', 'json'];
    const [trial] = reportOf(await lab.run(args)).trials;
    targetDelay.disable();
    const { ledger, summary } = trial!;
    assert.equal(ledger.planned, 15_000);
    assert.equal(ledger.started + ledger.dropped, 15_000);
    assert.equal(ledger.balanced, true);
    assert.equal(summary.requests, ledger.started);
    assert.equal(target.arrivalsUs.length, ledger.started);
    assert.ok(summary.latency.p50 >= summary.serviceTime!.p50, 'latency counts from the intended start');
    const pauseUs = Math.max(targetDelay.max / 1_000, summary.sendLag!.max);
    const allowed = 60 + (1_500 * pauseUs) / 1e6;
    const busiest = mostWithin(target.arrivalsUs, 20_000);
    attempts.push(`${busiest} (allowed ${Math.round(allowed)}, median lag ${summary.sendLag!.p50} µs)`);
    if (busiest <= allowed && summary.sendLag!.p50 < 5_000) return;
  }
  assert.fail(`the busiest 20 ms held, in three runs: ${attempts.join(', ')}; the even share is 30`);
});

test('a target that stalls for a second shows it in the latency from the intended start, and in no dropped arrival', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const running = lab.run([
    target.url,
    '--rate',
    '300',
    '-t',
    '4',
    '-k',
    '--workers',
    '2',
    '--format',
    'json',
  ]);
  await target.reached(400);
  target.hold();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  target.release();
  const [trial] = reportOf(await running).trials;
  const { ledger, summary } = trial!;
  assert.equal(ledger.planned, 1_200);
  assert.equal(ledger.started, 1_200);
  assert.equal(summary.requests, 1_200);
  assert.ok(summary.latency.max > 950_000, `the longest latency is ${summary.latency.max} µs`);
  // About 300 of 1200 arrivals fell into the stall: a quarter of all had to wait, an eighth for more than half of it.
  assert.ok(summary.latency.p90 > 400_000, `p90 is ${summary.latency.p90} µs`);
  assert.ok(summary.latency.p50 < 400_000, `p50 is ${summary.latency.p50} µs`);
});

test('arrivals that find all connections busy for too long are dropped, and counted', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  target.hold();
  const running = lab.run([
    target.url,
    '--rate',
    '200',
    '-t',
    '3',
    '-c',
    '10',
    '-s',
    '30',
    '-k',
    '--workers',
    '2',
    '--format',
    'json',
  ]);
  await target.reached(10);
  // Ten connections hang; what arrived in the first second has waited its second by now and is dropped.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  target.release();
  const [trial] = reportOf(await running).trials;
  const { ledger } = trial!;
  assert.equal(ledger.planned, 600);
  assert.equal(ledger.started + ledger.dropped, 600);
  assert.ok(ledger.dropped > 100, `dropped ${ledger.dropped}`);
  assert.equal(ledger.started, target.arrivalsUs.length);
  assert.equal(ledger.balanced, true);
});
