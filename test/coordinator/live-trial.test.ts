import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LiveTrial } from '../../coordinator/live-trial.ts';
import type { LoadPlan } from '../../shared/domain/run.ts';
import { DEFAULT_DNF } from '../../shared/domain/scenario.ts';
import { intervalOf } from '../support/intervals.ts';
import { scriptOf } from '../support/scripts.ts';
import { CLOSED, OPEN, START_US, trialPlan } from './report/journal-fixture.ts';
import { scriptPlan } from './report/script-fixture.ts';

const samples = (count: number, latencyUs: number) =>
  Array.from({ length: count }, () => ({ latencyUs, bytes: 100 }));
const at = (seconds: number): number => START_US + seconds * 1e6;
const live = (load: LoadPlan, planned?: number): LiveTrial =>
  new LiveTrial(trialPlan(0, load), planned, START_US, DEFAULT_DNF);

describe('LiveTrial', () => {
  test('shows nothing before the start, and no negative time', () => {
    const { done, elapsedUs, requestRate, requests } = live(CLOSED, 300).numbers(at(-1), 1);
    assert.deepEqual(
      { done, elapsedUs, requestRate, requests },
      { done: 0, elapsedUs: 0, requestRate: 0, requests: 0 },
    );
  });

  test('merges a whole second from all shards: counts added, quantiles over all', () => {
    const trial = live(CLOSED, 300);
    trial.add(intervalOf(0, samples(99, 1_000)));
    trial.add(intervalOf(0, samples(1, 9_000)));
    trial.add(intervalOf(1, samples(5, 1_000)));
    const numbers = trial.numbers(at(2.1), 2);
    assert.deepEqual([numbers.requestRate, numbers.transferRate], [100, 10_000]);
    assert.deepEqual([numbers.requests, numbers.errors], [105, 0]);
    assert.equal(numbers.p50, 1_000);
    assert.ok(numbers.p99! <= 1_001);
  });

  test('a second that is not in from all shards is not shown, until fewer are at work', () => {
    const trial = live(CLOSED, 300);
    trial.add(intervalOf(0, samples(10, 1)));
    trial.add(intervalOf(0, samples(20, 1)));
    trial.add(intervalOf(1, samples(5, 1)));
    assert.equal(trial.numbers(at(2.1), 2).requestRate, 30);
    assert.equal(trial.numbers(at(2.1), 1).requestRate, 5);
    assert.equal(trial.numbers(at(2.1), 3).requestRate, 0);
  });

  const error = { class: 'reset', message: 'm', atUs: 0 } as const;
  for (const [sentence, load, planned, nowS, finished, done] of [
    ['by requests where they are planned', CLOSED, 300, 1, 75, 0.25],
    [
      'by time where there is only a duration',
      { ...CLOSED, requests: undefined, durationUs: 4e6 },
      undefined,
      1,
      75,
      0.25,
    ],
    ['by whichever is further', { ...CLOSED, durationUs: 2e6 }, 300, 1, 75, 0.5],
    ['arrivals by time', OPEN, 300, 1.5, 30, 0.5],
    ['no more than all of it', CLOSED, 10, 1, 75, 1],
    ['nothing planned at all', CLOSED, 0, 1, 0, 0],
  ] as [string, LoadPlan, number | undefined, number, number, number][]) {
    test(`is done ${sentence}`, () => {
      const trial = live(load, planned);
      trial.add(intervalOf(0, samples(finished, 1)));
      assert.equal(trial.numbers(at(nowS), 1).done, done);
    });
  }

  test('failed and dropped requests count as done', () => {
    const trial = live(CLOSED, 300);
    trial.add({ ...intervalOf(0, [...samples(10, 1), { latencyUs: 1, error }]), dropped: 19 });
    const { done, errors } = trial.numbers(at(1), 1);
    assert.deepEqual([done, errors], [0.1, 1]);
  });

  test('keeps only the last seconds, however long the trial is and however late a shard reports', () => {
    const trial = live(CLOSED, 300);
    for (let second = 0; second < 10_000; second++) trial.add(intervalOf(second, samples(1, 1)));
    trial.add(intervalOf(3, samples(7, 1)));
    assert.equal(trial.numbers(at(10_001.5), 1).requestRate, 1);
    assert.equal(trial.numbers(at(10_001.5), 1).requests, 10_007, 'but all of it is counted');
  });
});

test('a script shows its VUs and iterations of the last whole second, and all checks that failed', () => {
  const trial = new LiveTrial(scriptPlan(0), undefined, START_US, DEFAULT_DNF);
  const second = (at: number, iterations: number, fails: number) => ({
    ...intervalOf(at, samples(1, 1_000)),
    script: scriptOf([], { vus: 3, iterations, checks: { '::ok': { passes: 1, fails } } }),
  });
  assert.equal(trial.numbers(at(0.5), 2).script, undefined);
  for (const interval of [second(0, 4, 1), second(0, 6, 0), second(1, 1, 2)]) trial.add(interval);
  assert.deepEqual(trial.numbers(at(1.5), 2).script, {
    vus: 6,
    iterationRate: 10,
    iterations: 11,
    checksFailed: 3,
  });
});

test('a script that only threw has measured nothing', () => {
  const trial = new LiveTrial(scriptPlan(0), undefined, START_US, DEFAULT_DNF);
  trial.add({ ...intervalOf(0, []), script: scriptOf([], { iterations: 4, thrownIterations: 4 }) });
  const judged = trial.judge();
  assert.match(judged.state === 'dnf' ? judged.reason : '', /all 4 iterations of the script threw/);
});
