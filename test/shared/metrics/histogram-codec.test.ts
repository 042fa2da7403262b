import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import * as hdr from 'hdr-histogram-js';
import {
  HIGHEST_TRACKABLE_US,
  Histogram,
  type HistogramSnapshot,
} from '../../../shared/metrics/histogram.ts';
import {
  addEncoded,
  decodeHistogram,
  decodeV2,
  encodeHistogram,
  encodeV2,
} from '../../../shared/metrics/histogram-codec.ts';

const latencies = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: HIGHEST_TRACKABLE_US })),
  { minLength: 1, maxLength: 150 },
);

function snapshotOf(values: readonly number[]): HistogramSnapshot {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.snapshot();
}

function theirs(): hdr.Histogram {
  return hdr.build({
    bitBucketSize: 64,
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_TRACKABLE_US,
    numberOfSignificantValueDigits: 3,
  });
}

/** With plain arrays, which compare with what a histogram hands out. */
function listed<T extends { indexes: ArrayLike<number>; counts: ArrayLike<number> }>(
  places: T,
): Omit<T, 'indexes' | 'counts'> & { indexes: number[]; counts: number[] } {
  return { ...places, indexes: Array.from(places.indexes), counts: Array.from(places.counts) };
}

test('what is encoded comes back, exact fields and all', () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const snapshot = snapshotOf(values);
      const back = decodeHistogram(JSON.parse(JSON.stringify(encodeHistogram(snapshot))));
      assert.deepEqual(listed(back), snapshot);
    }),
  );
});

test('counts far above 2^32 come back', () => {
  const places = decodeV2(encodeV2({ indexes: [0, 7, 20_000], counts: [1, 2 ** 40 + 1, 2 ** 50] }));
  assert.deepEqual(listed(places), { indexes: [0, 7, 20_000], counts: [1, 2 ** 40 + 1, 2 ** 50] });
});

test('a small one travels as it is, a large one compressed; both come back', () => {
  const small = encodeHistogram(snapshotOf([1, 2, 3]));
  const large = encodeHistogram(snapshotOf(Array.from({ length: 5_000 }, (_, i) => i * 700)));
  // The first bytes are the cookie, of V2 and of V2 compressed.
  assert.equal(Buffer.from(small.v2, 'base64').readInt32BE(0), 0x1c849313);
  assert.equal(Buffer.from(large.v2, 'base64').readInt32BE(0), 0x1c849314);
  assert.equal(decodeHistogram(small).count, 3);
  assert.equal(decodeHistogram(large).count, 5_000);
});

test('added to a dense one as it is, it is the same as added place by place', () => {
  fc.assert(
    fc.property(fc.array(latencies, { maxLength: 4 }), (parts) => {
      const [direct, byPlace] = [new Histogram(), new Histogram()];
      for (const part of parts.map(snapshotOf)) {
        addEncoded(direct, encodeHistogram(part));
        byPlace.add(part);
      }
      assert.deepEqual(direct, byPlace);
    }),
  );
});

test('counts far above 2^32 are added, too', () => {
  const places = { indexes: [3, 20_000], counts: [2 ** 40 + 1, 2 ** 31] };
  const histogram = new Histogram();
  const exact = { count: 2 ** 40 + 1 + 2 ** 31, min: 3, max: 600_000_000, sum: 0 };
  for (let times = 0; times < 2; times++) addEncoded(histogram, { ...exact, v2: encodeV2(places) });
  const { indexes, counts } = histogram.snapshot();
  assert.deepEqual({ indexes, counts }, { indexes: places.indexes, counts: [2 ** 41 + 2, 2 ** 32] });
});

test('an empty histogram is an empty string, and comes back empty', () => {
  const encoded = encodeHistogram(new Histogram().snapshot());
  assert.equal(encoded.v2, '');
  assert.equal(decodeHistogram(encoded).count, 0);
});

test('hdr-histogram-js reads ours, and finds the same quantiles', () => {
  fc.assert(
    fc.property(latencies, fc.integer({ min: 1, max: 100 }), (values, percentile) => {
      const ours = new Histogram();
      for (const value of values) ours.record(value);
      const read = hdr.decodeFromCompressedBase64(encodeV2(ours.snapshot()), 64, false);
      assert.equal(read.totalCount, values.length);
      const expected = Math.max(ours.min, Math.min(read.getValueAtPercentile(percentile), ours.max));
      assert.equal(ours.quantile(percentile / 100), expected);
    }),
    { numRuns: 60 },
  );
});

test('we read what hdr-histogram-js wrote, place by place', () => {
  fc.assert(
    fc.property(latencies, (values) => {
      const written = theirs();
      for (const value of values) written.recordValue(value);
      const { indexes, counts } = snapshotOf(values);
      assert.deepEqual(listed(decodeV2(hdr.encodeIntoCompressedBase64(written))), { indexes, counts });
    }),
    { numRuns: 60 },
  );
});

describe('what is no V2 histogram is refused with a reason', () => {
  const good = Buffer.from(encodeV2(snapshotOf([1, 5000, 70_000])), 'base64');
  const rows: [what: string, base64: string, reason: RegExp][] = [
    ['nothing at all', '', /no V2 cookie/],
    ['another cookie', Buffer.from('not a histogram').toString('base64'), /no V2 cookie/],
    ['cut short', good.subarray(0, 20).toString('base64'), /does not inflate/],
    ['another payload', wrap(Buffer.alloc(64)), /no V2 payload/],
    ['another precision', hdr.encodeIntoCompressedBase64(withDigits(2)), /another precision or range/],
    ['a run of zeros past the end', withPlaces([0xff, 0xff, 0xff, 0x7f, 0x02]), /more places than there are/],
    ['a count behind the last place', withPlaces([2, 4, 0xfb, 0xef, 0x02, 8, 2, 2, 2, 2, 2]), /more places/],
    ['a count cut short behind others', withPlaces([2, 4, 1, 6, 0x80]), /cut short or too large/],
    ['a count cut short', withPlaces([0x80]), /cut short or too large/],
    ['a count of more than 53 bits', withPlaces(Array<number>(9).fill(0xff)), /cut short or too large/],
  ];
  for (const [what, base64, reason] of rows) {
    test(what, () => {
      assert.throws(() => decodeV2(base64), {
        name: 'BroadsideError',
        code: 'JOURNAL_CORRUPT',
        message: reason,
      });
    });

    test(`${what}, and a histogram that it would be added to is as it was`, () => {
      const before = [1, 5000, 80_000];
      const [histogram, untouched] = [before, before].map((values) => {
        const made = new Histogram();
        for (const value of values) made.record(value);
        return made;
      });
      const exact = { count: 3, min: 1, max: 70_000, sum: 75_001 };
      assert.throws(() => addEncoded(histogram!, { ...exact, v2: base64 }), { message: reason });
      assert.deepEqual(histogram, untouched);
    });
  }

  test('a payload that inflates to far more than a histogram', () => {
    assert.throws(() => decodeV2(wrap(Buffer.alloc(5 << 20))), { code: 'JOURNAL_CORRUPT' });
  });

  function withPlaces(bytes: number[]): string {
    const payload = Buffer.alloc(40 + bytes.length);
    payload.writeInt32BE(0x1c849303 | 0x10, 0);
    payload.writeInt32BE(bytes.length, 4);
    payload.writeInt32BE(3, 12);
    payload.writeBigInt64BE(1n, 16);
    payload.writeBigInt64BE(BigInt(HIGHEST_TRACKABLE_US), 24);
    payload.writeDoubleBE(1, 32);
    Buffer.from(bytes).copy(payload, 40);
    return wrap(payload);
  }

  function wrap(payload: Buffer): string {
    const compressed = deflateSync(payload);
    const head = Buffer.alloc(8);
    head.writeInt32BE(0x1c849304 | 0x10, 0);
    head.writeInt32BE(compressed.length, 4);
    return Buffer.concat([head, compressed]).toString('base64');
  }

  function withDigits(digits: 2): hdr.Histogram {
    const histogram = hdr.build({ numberOfSignificantValueDigits: digits });
    histogram.recordValue(1);
    return histogram;
  }
});
