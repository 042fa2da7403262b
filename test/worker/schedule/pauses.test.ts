import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConstantConnections, Pause, ThinkTime } from '../../../shared/domain/load-plan.ts';
import { splitLoad } from '../../../shared/domain/shard.ts';
import { meanPauseUs, Pauses } from '../../../worker/schedule/pauses.ts';

const WHOLE = { offset: 0, stride: 1 };
const DRAWS = 20_000;

function draws(pause: Pause, seed = 1): number[] {
  const pauses = new Pauses({ pause, seed, stripe: WHOLE }, 4);
  return Array.from({ length: DRAWS }, (_, i) => pauses.next(i % 4));
}

/** Kolmogorov's D times √n: above 1.63 once in a hundred. */
function distance(values: readonly number[], cumulative: (value: number) => number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const most = sorted.reduce((d, value, i) => {
    const u = cumulative(value);
    return Math.max(d, u - i / sorted.length, (i + 1) / sorted.length - u);
  }, 0);
  return most * Math.sqrt(sorted.length);
}

describe('pauses', () => {
  const ROWS: [sentence: string, pause: Pause, cumulative: (us: number) => number][] = [
    [
      'uniform ones are uniform',
      { distribution: 'uniform', minUs: 50_000, maxUs: 150_000 },
      (us) => (us - 50_000) / 100_000,
    ],
    [
      'exponential ones are exponential',
      { distribution: 'exponential', meanUs: 100_000 },
      (us) => 1 - Math.exp(-us / 100_000),
    ],
  ];
  for (const [sentence, pause, cumulative] of ROWS) {
    test(`${sentence} (Kolmogorov–Smirnov), with the mean that they say`, () => {
      const all = draws(pause);
      assert.ok(distance(all, cumulative) < 1.63);
      const mean = all.reduce((sum, us) => sum + us, 0) / DRAWS;
      assert.ok(Math.abs(mean / meanPauseUs(pause) - 1) < 0.02);
    });
  }

  test('fixed ones are fixed', () => {
    assert.deepEqual(new Set(draws({ distribution: 'fixed', us: 70 })), new Set([70]));
    assert.equal(meanPauseUs({ distribution: 'fixed', us: 70 }), 70);
  });

  test('the same seed gives the same, another seed others', () => {
    const pause: Pause = { distribution: 'exponential', meanUs: 100_000 };
    assert.deepEqual(draws(pause), draws(pause));
    assert.notDeepEqual(draws(pause), draws(pause, 2));
  });

  test('a connection thinks the same, whichever worker and thread has it', () => {
    const thinkTime: ThinkTime = {
      pause: { distribution: 'exponential', meanUs: 1 },
      seed: 5,
      stripe: WHOLE,
    };
    const load: ConstantConnections = {
      executor: 'constant-connections',
      connections: 23,
      durationUs: 1e6,
      keepAlive: true,
      thinkTime,
    };
    const firstTwo = (share: ConstantConnections): string[] => {
      const pauses = new Pauses(share.thinkTime!, share.connections);
      return Array.from(
        { length: share.connections },
        (_, slot) => `${pauses.next(slot)} ${pauses.next(slot)}`,
      );
    };
    const shares = splitLoad(load, 3).flatMap((each) => splitLoad(each, 2)) as ConstantConnections[];
    assert.equal(shares.length, 6);
    assert.deepEqual(shares.flatMap(firstTwo).sort(), firstTwo(load).sort());
  });
});
