import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ConstantArrivalRate, OpenLoad, RampingArrivalRate } from '../../../shared/domain/load-plan.ts';
import { rateCurve } from '../../../shared/domain/rate-curve.ts';
import { splitLoad, splitLoadByWeight, totalArrivals } from '../../../shared/domain/shard.ts';
import { arrivalsOf } from '../../../worker/schedule/arrivals.ts';

const COMMON = { maxWaitUs: 0, keepAlive: true, stripe: { offset: 0, stride: 1 } };
const maxConnections = fc.integer({ min: 1, max: 50 });
const constant: fc.Arbitrary<ConstantArrivalRate> = fc
  .record({
    rate: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0.1, max: 5_000, noNaN: true })),
    durationUs: fc.integer({ min: 1, max: 2_000_000 }),
    maxConnections,
  })
  .map((numbers) => ({ executor: 'constant-arrival-rate', ...COMMON, ...numbers }));

const rate = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 5_000 }),
  fc.double({ min: 0, max: 50, noNaN: true }),
);
const ramping: fc.Arbitrary<RampingArrivalRate> = fc
  .record({
    startRate: rate,
    stages: fc.array(
      fc.record({ durationUs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500_000 })), target: rate }),
      { minLength: 1, maxLength: 6 },
    ),
    maxConnections,
  })
  .map((numbers) => ({
    executor: 'ramping-arrival-rate',
    ...COMMON,
    ...numbers,
    durationUs: numbers.stages.reduce((sum, { durationUs }) => sum + durationUs, 0),
  }));

const even = fc.oneof(constant, ramping);
const poisson = fc
  .tuple(even, fc.integer({ min: 0, max: 2 ** 32 - 1 }))
  .map(([load, seed]): OpenLoad => ({ ...load, poisson: { seed } }));

function dueTimes(load: OpenLoad): number[] {
  const arrivals = arrivalsOf(load);
  const due = Array.from({ length: arrivals.count }, () => arrivals.next());
  assert.equal(arrivals.next(), Number.POSITIVE_INFINITY, 'no more than it has');
  return due;
}

/** Λ(us), summed up from the stages by trapezia. */
function arrivalsBy(load: OpenLoad, us: number): number {
  const stages =
    load.executor === 'ramping-arrival-rate'
      ? load.stages
      : [{ durationUs: load.durationUs, target: load.rate }];
  let from = load.executor === 'ramping-arrival-rate' ? load.startRate : load.rate;
  let left = us;
  let sum = 0;
  for (const { durationUs, target } of stages) {
    if (left <= 0) break;
    const part = Math.min(durationUs, left);
    const rateThere = durationUs === 0 ? target : from + ((target - from) * part) / durationUs;
    sum += ((from + rateThere) / 2) * (part / 1e6);
    left -= part;
    from = target;
  }
  return sum;
}

describe('arrivals', () => {
  for (const [kind, load] of [
    ['even', even],
    ['Poisson', poisson],
  ] as const) {
    test(`${kind}: the shares of workers and of their threads partition the arrivals of the whole, to the bit`, () => {
      fc.assert(
        fc.property(
          load,
          fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 4 }),
          (load, weights, threads) => {
            const shares = (splitLoadByWeight(load, weights) as OpenLoad[]).flatMap((shard) =>
              splitLoad(shard, threads),
            ) as OpenLoad[];
            const merged = shares.flatMap(dueTimes).sort((a, b) => a - b);
            assert.deepEqual(merged, dueTimes(load));
          },
        ),
      );
    });

    test(`${kind}: as many as planned, in order, inside the load`, () => {
      fc.assert(
        fc.property(load, (load) => {
          const due = dueTimes(load);
          assert.equal(due.length, totalArrivals(load));
          due.forEach((us, i) => {
            assert.ok(us >= (due[i - 1] ?? 0) && us <= load.durationUs + 1e-3);
          });
        }),
      );
    });
  }

  test('evenly spaced at a constant rate, without drift', () => {
    fc.assert(
      fc.property(constant, (load) => {
        dueTimes(load).forEach((us, k) => {
          assert.ok(Math.abs(us - (k * 1e6) / load.rate) < 1e-3);
        });
      }),
    );
  });

  test('arrival k comes when the integral of the rate has reached k, also where the rate falls to 0 or rests there', () => {
    fc.assert(
      fc.property(even, (load) => {
        dueTimes(load).forEach((us, k) => {
          assert.ok(Math.abs(arrivalsBy(load, us) - k) < 1e-6, `${k}: ${arrivalsBy(load, us)} at ${us} µs`);
        });
      }),
    );
  });

  test('the number planned: arrival k counts when the one after it would be due by the end', () => {
    fc.assert(
      fc.property(even, (load) => {
        const total = arrivalsBy(load, load.durationUs);
        assert.ok(totalArrivals(load) <= total + 1e-6 && totalArrivals(load) > total - 1 - 1e-6);
        const due = dueTimes(load);
        if (due.length > 0) assert.ok(due.at(-1)! < load.durationUs);
      }),
    );
  });

  function ramp(startRate: number, ...stages: [seconds: number, target: number][]): RampingArrivalRate {
    return {
      executor: 'ramping-arrival-rate',
      ...COMMON,
      maxConnections: 1,
      startRate,
      stages: stages.map(([seconds, target]) => ({ durationUs: seconds * 1e6, target })),
      durationUs: stages.reduce((sum, [seconds]) => sum + seconds * 1e6, 0),
    };
  }
  const RAMPS: [sentence: string, load: RampingArrivalRate, dueSeconds: number[]][] = [
    ['a rise from 0: at the square roots', ramp(0, [4, 2]), [0, 2, Math.sqrt(8), Math.sqrt(12)]],
    [
      'a fall to 0: the same from the other end',
      ramp(2, [4, 0]),
      [0, 4 - Math.sqrt(12), 4 - Math.sqrt(8), 2],
    ],
    ['a jump, then flat', ramp(0, [0, 2], [2, 2]), [0, 0.5, 1, 1.5]],
    [
      'rest in between: nothing comes until it is over',
      ramp(1, [2, 1], [0, 0], [3, 0], [0, 1], [2, 1]),
      [0, 1, 5, 6],
    ],
    ['rest at first: nothing comes until it is over', ramp(0, [3, 0], [0, 1], [2, 1]), [3, 4]],
    ['rest at last', ramp(1, [2, 1], [0, 0], [10, 0]), [0, 1]],
  ];
  for (const [sentence, load, dueSeconds] of RAMPS) {
    test(sentence, () => {
      const due = dueTimes(load).map((us) => us / 1e6);
      assert.equal(due.length, dueSeconds.length);
      due.forEach((seconds, k) => {
        assert.ok(Math.abs(seconds - dueSeconds[k]!) < 1e-9, `${k}: ${seconds}, not ${dueSeconds[k]}`);
      });
    });
  }

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
        ...COMMON,
      } as const;
      assert.equal(arrivalsOf(load).count, count);
    });
  }

  test('ten million arrivals: the last is where it belongs, and nothing was kept', () => {
    const load: OpenLoad = {
      executor: 'constant-arrival-rate',
      rate: 20_000,
      durationUs: 500e6,
      maxConnections: 1,
      ...COMMON,
    };
    for (const each of [load, { ...load, poisson: { seed: 7 } }]) {
      const arrivals = arrivalsOf(each);
      const before = process.memoryUsage().heapUsed;
      let last = 0;
      let most = 0;
      for (let i = 0; i < arrivals.count; i++) {
        const us = arrivals.next();
        most = Math.max(most, us - last);
        last = us;
      }
      assert.ok(process.memoryUsage().heapUsed - before < 50e6);
      if (each.poisson === undefined) assert.ok(Math.abs(last - (500e6 - 50)) < 1e-3);
      // Of ten million exponential gaps of 50 µs the longest is about 50 ln(10^7) = 806 µs, and the last time is one
      // gap before the end.
      else assert.ok(last > 500e6 - 1_000 && last < 500e6 && most > 600 && most < 1_200, `${last}, ${most}`);
    }
  });
});

/** Kolmogorov's D of values that should be uniform on 0 to 1, times √n: above 1.63 once in a hundred (0.01). */
function distance(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  const most = sorted.reduce((d, u, i) => Math.max(d, Math.abs(u - i / n), Math.abs((i + 1) / n - u)), 0);
  return most * Math.sqrt(n);
}

describe('Poisson arrivals', () => {
  const load: OpenLoad = {
    executor: 'constant-arrival-rate',
    rate: 1_000,
    durationUs: 20e6,
    maxConnections: 1,
    ...COMMON,
    poisson: { seed: 1 },
  };
  const rising: OpenLoad = {
    executor: 'ramping-arrival-rate',
    startRate: 0,
    stages: [
      { durationUs: 10e6, target: 2_000 },
      { durationUs: 5e6, target: 0 },
    ],
    durationUs: 15e6,
    maxConnections: 1,
    ...COMMON,
    poisson: { seed: 2 },
  };

  for (const [name, each] of [
    ['at a constant rate', load],
    ['on a ramp', rising],
  ] as const) {
    test(`${name}: in the time of Λ they are uniform, and their gaps exponential (Kolmogorov–Smirnov)`, () => {
      const { total } = rateCurve(each);
      const times = dueTimes(each).map((us) => arrivalsBy(each, us));
      assert.equal(times.length, totalArrivals(each));
      assert.ok(distance(times.map((y) => y / total)) < 1.63);
      const gaps = times.map((y, i) => y - (times[i - 1] ?? 0));
      assert.ok(distance(gaps.map((gap) => 1 - Math.exp(-gap))) < 1.63);
      // Independent, as far as neighbours tell: no correlation beyond chance.
      const covariance =
        gaps.slice(1).reduce((sum, gap, i) => sum + (gap - 1) * (gaps[i]! - 1), 0) / gaps.length;
      assert.ok(Math.abs(covariance) < 3 / Math.sqrt(gaps.length));
    });
  }

  test('the same seed gives the same times, another seed others', () => {
    assert.deepEqual(dueTimes(load), dueTimes({ ...load }));
    const other = dueTimes({ ...load, poisson: { seed: 2 } });
    assert.ok(dueTimes(load).every((us, i) => us !== other[i]));
    // Pinned, so that a schedule does not change from one version to the next unnoticed.
    assert.deepEqual(dueTimes(load).slice(0, 3).map(Math.round), [1555, 3302, 3407]);
  });
});
