import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  COUNTS_LENGTH,
  HIGHEST_TRACKABLE_US,
  Histogram,
  highestAt,
  indexOf,
  lowestAt,
  middleAt,
} from '../../../shared/metrics/histogram.ts';
import { mergeAll } from '../../../shared/metrics/snapshot.ts';

/** Values over the whole range, small ones as likely as large ones. */
const latency = fc.oneof(
  fc.integer({ min: 0, max: 3000 }),
  fc.integer({ min: 0, max: 2_000_000 }),
  fc.integer({ min: 0, max: HIGHEST_TRACKABLE_US }),
);
const latencies = fc.array(latency, { minLength: 1, maxLength: 200 });

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

describe('places', () => {
  const rows: [value: number, why: string][] = [
    [0, 'the least value'],
    [1, 'the resolution'],
    [2047, 'the last value that has a place of its own'],
    [2048, 'the first that shares one'],
    [4095, 'the end of a doubling'],
    [4096, 'the start of the next'],
    [HIGHEST_TRACKABLE_US, 'one hour'],
  ];
  for (const [value, why] of rows) {
    test(`${value} µs lies in its place: ${why}`, () => {
      const index = indexOf(value);
      assert.ok(index >= 0 && index < COUNTS_LENGTH);
      assert.ok(lowestAt(index) <= value && value <= highestAt(index));
    });
  }

  test('places follow one another without gap or overlap', () => {
    for (let index = 1; index <= indexOf(HIGHEST_TRACKABLE_US); index++) {
      assert.equal(lowestAt(index), highestAt(index - 1) + 1, `at place ${index}`);
    }
  });

  test('the middle of a place lies in it', () => {
    fc.assert(
      fc.property(latency, (value) => {
        const index = indexOf(value);
        return lowestAt(index) <= middleAt(index) && middleAt(index) <= highestAt(index);
      }),
    );
  });
});

describe('a histogram against the values themselves', () => {
  test('count, min, max, sum and mean are exact', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const histogram = histogramOf(values);
        const sum = values.reduce((total, value) => total + value, 0);
        assert.equal(histogram.count, values.length);
        assert.equal(histogram.min, Math.min(...values));
        assert.equal(histogram.max, Math.max(...values));
        assert.equal(histogram.sum, sum);
        assert.equal(histogram.mean, sum / values.length);
      }),
    );
  });

  test('a quantile lies within 1/1024 above the true one, and never outside min to max', () => {
    fc.assert(
      fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, fraction) => {
        const sorted = [...values].sort((a, b) => a - b);
        const rank = Math.max(1, Math.ceil(fraction * sorted.length - 1e-9));
        const truth = sorted[rank - 1]!;
        const quantile = histogramOf(values).quantile(fraction);
        assert.ok(quantile >= truth && quantile <= truth * (1 + 1 / 1024), `${quantile} for ${truth}`);
        assert.ok(quantile >= sorted[0]! && quantile <= sorted.at(-1)!);
      }),
    );
  });

  test('the standard deviation is within 1/1024 of the largest value of the true one', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const truth = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
        const allowed = Math.max(...values) / 1024 + 1e-6;
        assert.ok(Math.abs(histogramOf(values).stdev - truth) <= allowed);
      }),
    );
  });

  test('quantiles rise with the fraction', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const histogram = histogramOf(values);
        const rising = [0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1].map((fraction) =>
          histogram.quantile(fraction),
        );
        for (let i = 1; i < rising.length; i++) assert.ok(rising[i - 1]! <= rising[i]!);
      }),
    );
  });
});

describe('what is recorded', () => {
  const rows: [why: string, value: number, min: number, max: number][] = [
    ['a fraction is rounded to whole µs', 12.6, 13, 13],
    ['a clock that ran backwards counts as 0', -5, 0, 0],
    [
      'over an hour keeps its exact maximum',
      2 * HIGHEST_TRACKABLE_US,
      2 * HIGHEST_TRACKABLE_US,
      2 * HIGHEST_TRACKABLE_US,
    ],
  ];
  for (const [why, value, min, max] of rows) {
    test(why, () => {
      const histogram = histogramOf([value]);
      assert.deepEqual([histogram.min, histogram.max, histogram.count], [min, max, 1]);
    });
  }

  test('an empty histogram reads as zeros', () => {
    const { count, min, max, mean, stdev, sum } = new Histogram();
    assert.deepEqual(
      [count, min, max, mean, stdev, sum, new Histogram().quantile(0.5)],
      [0, 0, 0, 0, 0, 0, 0],
    );
  });
});

describe('merging', () => {
  test('the parts merged, in any order and either way, are the whole', () => {
    fc.assert(
      fc.property(fc.array(latencies, { maxLength: 6 }), fc.integer(), (parts, turn) => {
        const whole = histogramOf(parts.flat()).snapshot();
        const snapshots = parts.map((part) => histogramOf(part).snapshot());
        const shift = parts.length === 0 ? 0 : Math.abs(turn) % parts.length;
        const turned = [...snapshots.slice(shift), ...snapshots.slice(0, shift)];
        const dense = new Histogram();
        for (const snapshot of turned) dense.add(snapshot);
        const sparse = mergeAll(turned);
        assert.deepEqual(dense.snapshot(), whole);
        assert.deepEqual(
          { ...sparse, indexes: Array.from(sparse.indexes), counts: Array.from(sparse.counts) },
          whole,
        );
      }),
    );
  });

  test('a histogram that was reset is as good as new', () => {
    fc.assert(
      fc.property(latencies, latencies, (before, after) => {
        const histogram = histogramOf(before);
        histogram.reset();
        for (const value of after) histogram.record(value);
        assert.deepEqual(histogram.snapshot(), histogramOf(after).snapshot());
      }),
    );
  });
});
