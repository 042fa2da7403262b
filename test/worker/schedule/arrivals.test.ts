import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ConstantArrivalRate } from '../../../shared/domain/run.ts';
import { splitLoad, totalArrivals } from '../../../shared/domain/shard.ts';
import { evenArrivals } from '../../../worker/schedule/arrivals.ts';

const whole: fc.Arbitrary<ConstantArrivalRate> = fc
  .record({
    rate: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0.1, max: 5_000, noNaN: true })),
    durationUs: fc.integer({ min: 1, max: 2_000_000 }),
    maxConnections: fc.integer({ min: 1, max: 50 }),
  })
  .map((numbers) => ({
    executor: 'constant-arrival-rate',
    maxWaitUs: 0,
    keepAlive: true,
    stripe: { offset: 0, stride: 1 },
    ...numbers,
  }));

function dueTimes(load: ConstantArrivalRate): number[] {
  const arrivals = evenArrivals(load);
  return Array.from({ length: arrivals.count }, (_, i) => arrivals.dueUs(i));
}

describe('evenArrivals', () => {
  test('the shares of workers and of their threads partition the arrivals of the whole', () => {
    fc.assert(
      fc.property(
        whole,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 4 }),
        (load, workers, threads) => {
          const shares = splitLoad(load, workers).flatMap((shard) =>
            splitLoad(shard, threads),
          ) as ConstantArrivalRate[];
          const merged = shares.flatMap(dueTimes).sort((a, b) => a - b);
          assert.deepEqual(merged, dueTimes(load));
        },
      ),
    );
  });

  test('are evenly spaced, from 0, before the end, as many as rate × duration', () => {
    fc.assert(
      fc.property(whole, (load) => {
        const due = dueTimes(load);
        assert.equal(due.length, totalArrivals(load));
        for (let i = 0; i < due.length; i++) {
          assert.ok(Math.abs(due[i]! - (i * 1e6) / load.rate) < 1e-3, 'no drift');
          assert.ok(due[i]! < load.durationUs + 1e-3);
        }
      }),
    );
  });

  for (const [rate, durationUs, count] of [
    [1_500, 10_000_000, 15_000],
    [0.1, 30_000_000, 3],
    [1, 999_999, 0],
    [3, 1_000_000, 3],
  ] as const) {
    test(`${rate}/s for ${durationUs} µs are ${count}`, () => {
      const load = {
        executor: 'constant-arrival-rate',
        rate,
        durationUs,
        maxConnections: 1,
        maxWaitUs: 0,
        keepAlive: true,
      } as const;
      assert.equal(evenArrivals({ ...load, stripe: { offset: 0, stride: 1 } }).count, count);
    });
  }
});
