import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeBins, encodeBins } from '../../../shared/metrics/bin-codec.ts';
import { decodeValues, RELATIVE_ERROR, ValueHistogram } from '../../../shared/metrics/value-histogram.ts';

/** A logarithm is rounded too. */
const BOUND = RELATIVE_ERROR * 1.000_01;

const magnitude = fc.oneof(
  fc.double({ min: 1e-300, max: Number.MAX_VALUE, noNaN: true }),
  fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
  fc.integer({ min: 1, max: 1000 }),
);
const anything = fc.oneof(
  magnitude,
  magnitude.map((value) => -value),
  fc.constant(0),
);
const values = (of: fc.Arbitrary<number>, minLength = 1) => fc.array(of, { minLength, maxLength: 60 });
const share = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom(0, 0.5, 0.9, 0.95, 0.99, 1),
);

function of(all: readonly number[]): ValueHistogram {
  const histogram = new ValueHistogram();
  for (const value of all) histogram.record(value);
  return histogram;
}

/** As k6 has it: `TrendSink.P`. */
function exactQuantile(all: readonly number[], share: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)]!;
  return low + (sorted[Math.ceil(place)]! - low) * (place - Math.floor(place));
}

describe('what a histogram says', () => {
  test('a quantile of numbers of one sign is within the stated error of that of the numbers themselves', () => {
    fc.assert(
      fc.property(values(magnitude), share, fc.boolean(), (sizes, share, negative) => {
        const all = negative ? sizes.map((size) => -size) : sizes;
        const exact = exactQuantile(all, share);
        if (!Number.isFinite(exact)) return;
        const told = of(all).quantile(share)!;
        // The line between two values is computed in floating point, of the greater of them.
        const rounding = Number.EPSILON * Math.max(...sizes);
        assert.ok(Math.abs(told - exact) <= Math.abs(exact) * BOUND + rounding, `${told} for ${exact}`);
      }),
      { numRuns: 1000 },
    );
  });

  test('each number is told within the stated error, whatever its sign, and in its place', () => {
    fc.assert(
      fc.property(values(anything, 2), (all) => {
        const sorted = [...all].sort((a, b) => a - b);
        const histogram = of(all);
        sorted.forEach((value, rank) => {
          // Divided and multiplied again, a rank may come out a rounding beside itself.
          const place = (rank / (sorted.length - 1)) * (sorted.length - 1);
          if (place !== rank) return;
          const told = histogram.quantile(rank / (sorted.length - 1))!;
          assert.ok(Math.abs(told - value) <= Math.abs(value) * BOUND, `rank ${rank}: ${told} for ${value}`);
        });
      }),
    );
  });

  const rows: [sentence: string, all: number[], share: number, expected: number | undefined][] = [
    ['nothing has no quantile', [], 0.5, undefined],
    ['one value is every quantile', [7], 0.95, 7],
    ['the lowest is exact', [1.234567, 3, 5], 0, 1.234567],
    ['the highest is exact', [1, 3, 5.4321], 1, 5.4321],
    ['only zeros', [0, 0, 0], 0.5, 0],
    ['zero lies between the signs', [-5, 0, 5], 0.5, 0],
    ['only negative ones: the median of two is between them', [-4, -2], 0.5, -3],
    ['a quantile lies on the line between its neighbours', [10, 20], 0.25, 12.5],
    ['what is not a finite number is not taken', [Number.NaN, Number.POSITIVE_INFINITY, 3], 0.5, 3],
    ['the least number there is', [Number.MIN_VALUE], 0.5, Number.MIN_VALUE],
    ['the greatest number there is', [Number.MAX_VALUE, Number.MAX_VALUE], 0.5, Number.MAX_VALUE],
    ['a share beyond 1 is taken for 1', [1, 2], 1.5, 2],
  ];
  for (const [sentence, all, share, expected] of rows) {
    test(sentence, () => assert.equal(of(all).quantile(share), expected));
  }
});

describe('merging', () => {
  test('parts in any order and any grouping are the same as the whole', () => {
    fc.assert(
      fc.property(fc.array(values(anything, 0), { maxLength: 5 }), fc.integer(), (parts, seed) => {
        const encoded = parts.map((part) => of(part).encode());
        const whole = of(parts.flat()).encode();
        assert.deepEqual(mergedFrom(encoded), whole);
        assert.deepEqual(mergedFrom([...encoded].reverse()), whole);
        const cut = Math.abs(seed) % (parts.length + 1);
        assert.deepEqual(
          mergedFrom([mergedFrom(encoded.slice(cut)), mergedFrom(encoded.slice(0, cut))]),
          whole,
        );
      }),
    );
  });

  function mergedFrom(parts: ReturnType<ValueHistogram['encode']>[]) {
    const merged = new ValueHistogram();
    for (const part of parts) merged.add(decodeValues(part));
    return merged.encode();
  }

  test('one that was cut off is refused', () => {
    const whole = of([5, 6, -7]).encode();
    for (const broken of [
      { ...whole, positive: whole.positive.slice(0, 4) },
      { ...whole, negative: '' },
      { ...whole, count: 4 },
      { ...whole, positive: '////////////////' },
    ]) {
      assert.throws(() => decodeValues(broken), { code: 'JOURNAL_CORRUPT' });
    }
  });
});

test('bins come back from their text as they went into it', () => {
  const bin = fc.tuple(fc.integer({ min: -800_000, max: 800_000 }), fc.maxSafeNat());
  fc.assert(
    fc.property(fc.uniqueArray(bin, { selector: ([index]) => index }), (bins) => {
      const sorted = bins.sort((a, b) => a[0] - b[0]);
      const list = { indexes: sorted.map(([index]) => index), counts: sorted.map(([, count]) => count) };
      assert.deepEqual(decodeBins(encodeBins(list)), list);
    }),
  );
});
