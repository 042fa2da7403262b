import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { matrixRows } from '../../../coordinator/report/csv-matrix.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { pivotsOf } from '../../../coordinator/report/pivot.ts';
import { pivotTable } from '../../../coordinator/report/pivot-table.ts';
import {
  FRACTIONS,
  type QuantileName,
  quantileLimits,
  quantileText,
} from '../../../coordinator/report/quantile-limits.ts';
import { Histogram } from '../../../shared/metrics/histogram.ts';
import { EMPTY_SNAPSHOT } from '../../../shared/metrics/snapshot.ts';
import { sweepRun } from './journal-fixture.ts';

function recorded(values: readonly number[]) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.snapshot();
}

test('the limits of 1 to 1000 are its own ranks', () => {
  const limits = quantileLimits(recorded(Array.from({ length: 1000 }, (_, i) => i + 1)));
  // Binomial quantiles (2.5 %, 97.5 %) of 1000 by @stdlib: 469 531, 881 918, 983 996; the upper rank is one more.
  assert.deepEqual(limits.p50, { inTail: 500, supported: true, low: 469, high: 532 });
  assert.deepEqual(limits.p90, { inTail: 100, supported: true, low: 881, high: 919 });
  assert.deepEqual(limits.p99, { inTail: 10, supported: true, low: 983, high: 997 });
  assert.deepEqual(limits.p999, { inTail: 1, supported: false, low: 997 });
});

test('of no requests nothing is known', () => {
  for (const limits of Object.values(quantileLimits(EMPTY_SNAPSHOT))) {
    assert.deepEqual(limits, { inTail: 0, supported: false });
  }
});

test('the quantile lies between its limits', () => {
  const values = fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 500 });
  fc.assert(
    fc.property(values, (list) => {
      const snapshot = recorded(list);
      const limits = quantileLimits(snapshot);
      const histogram = new Histogram();
      histogram.add(snapshot);
      for (const name of Object.keys(FRACTIONS) as QuantileName[]) {
        const value = histogram.quantile(FRACTIONS[name]);
        const { low = 0, high = Number.POSITIVE_INFINITY } = limits[name];
        assert.ok(low <= value && value <= high, `${name}: ${low} ${value} ${high}`);
      }
    }),
    { numRuns: 30 },
  );
});

describe('a quantile is printed', () => {
  const rows: [why: string, fraction: number, n: number | undefined, text: string][] = [
    ['where there are samples enough', 0.99, 368, '7 µs'],
    ['as what it would take, where there are not', 0.99, 367, 'n<368'],
    ['the same for p99.9', 0.999, 3687, 'n<3688'],
    ['where nobody knows how many there were', 0.99, undefined, '7 µs'],
    ['always, if it is the maximum', 1, 1, '7 µs'],
  ];
  for (const [why, fraction, n, text] of rows) {
    test(why, () =>
      assert.equal(
        quantileText(7, fraction, n, (value) => `${value} µs`),
        text,
      ),
    );
  }
});

test('a table of a quantile that the rounds are too small for says so in every cell', async () => {
  const journal = sweepRun().map((record) =>
    record.type === 'run'
      ? { ...record, report: [{ ...record.report[0], metric: 'p(99)', unit: 'ms' }] }
      : record,
  );
  const report = await buildReport(journal);
  const pivots = pivotsOf(report);
  const [pivot] = pivots;
  assert.deepEqual(
    matrixRows(report)
      .slice(1)
      .map(([, ...cells]) => cells),
    [
      [undefined, undefined],
      [undefined, undefined],
    ],
  );
  assert.deepEqual(
    pivotTable(pivot!).rows.map(([, ...cells]) => cells),
    [
      ['n<368', 'n<368'],
      ['n<368', 'n<368'],
    ],
  );
});
