import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type QuantileSupport,
  quantileSupport,
  samplesFor,
} from '../../../../coordinator/report/statistics/quantile-support.ts';
import { Draws } from './simulation.ts';

describe('what a sample says of a quantile', () => {
  const rows: [why: string, n: number, fraction: number, support: QuantileSupport][] = [
    ['nothing of none', 0, 0.5, { inTail: 0, supported: false }],
    ['five values do not bound the median', 5, 0.5, { inTail: 2, supported: false }],
    ['six do, by their smallest and largest', 6, 0.5, { inTail: 3, supported: true, lower: 1, upper: 6 }],
    // Binomial quantiles by @stdlib: 84 and 95; the upper rank is one more.
    ['of a hundred, p90', 100, 0.9, { inTail: 10, supported: true, lower: 84, upper: 96 }],
    ['of a hundred, p99 has no upper end', 100, 0.99, { inTail: 1, supported: false, lower: 97 }],
    ['367 are one too few for p99', 367, 0.99, { inTail: 3, supported: false, lower: 359 }],
    ['368 will do', 368, 0.99, { inTail: 3, supported: true, lower: 360, upper: 368 }],
    ['3688 for p99.9', 3688, 0.999, { inTail: 3, supported: true, lower: 3680, upper: 3688 }],
    ['the maximum is what it is', 3, 1, { inTail: 0, supported: true, upper: 3 }],
    ['a low quantile has its tail below', 100, 0.01, { inTail: 99, supported: false, upper: 4 }],
    // Binomial quantiles by @stdlib: 998938 and 999061.
    ['of a million, p99.9', 1e6, 0.999, { inTail: 1000, supported: true, lower: 998_938, upper: 999_062 }],
  ];
  for (const [why, n, fraction, support] of rows) {
    test(why, () => assert.deepEqual(quantileSupport(n, fraction), support));
  }
});

test('supported is where the interval has both ends, from so many samples on', () => {
  const cases = fc.tuple(
    fc.integer({ min: 1, max: 5_000 }),
    fc.double({ min: 0.01, max: 0.9995, noNaN: true }),
  );
  fc.assert(
    fc.property(cases, ([n, fraction]) => {
      const { supported, lower, upper, inTail } = quantileSupport(n, fraction);
      assert.equal(supported, lower !== undefined && upper !== undefined);
      assert.equal(supported, n >= samplesFor(fraction));
      const rank = n - inTail;
      assert.ok((lower ?? 1) <= rank && rank <= (upper ?? n));
    }),
  );
});

test('the interval holds the quantile in at least 95 % of samples, whatever the distribution', (t) => {
  const random = new Draws(1);
  for (const [n, fraction] of [
    [20, 0.5],
    [100, 0.9],
    [368, 0.99],
  ] as const) {
    const { lower, upper } = quantileSupport(n, fraction);
    let held = 0;
    for (let i = 0; i < 2_000; i++) {
      let below = 0;
      for (let k = 0; k < n; k++) if (random.uniform() <= fraction) below++;
      if (below >= lower! && below < upper!) held++;
    }
    t.diagnostic(`${n} samples, p${fraction * 100}: ${(held / 20).toFixed(1)} %`);
    assert.ok(held / 2_000 >= 0.945, `${n}, ${fraction}: ${held}`);
  }
});
