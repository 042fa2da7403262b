import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CsvRows } from '../../../../worker/engine/k6/csv-rows.ts';
import type { RawSample } from '../../../support/k6-samples.ts';
import { RECORDINGS, recordedCsv, recordedSamples } from './recording.ts';

const HEADER =
  'metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,name,scenario,status,extra_tags,metadata\n';

/** What is read of these chunks, and what was no row. */
function read(chunks: readonly (string | Buffer)[]): { samples: RawSample[]; badRows: number; bad: string } {
  const samples: RawSample[] = [];
  const rows = new CsvRows((metric, timeUs, value, tags) => {
    samples.push({ metric, timeUs, value, tags: Object.fromEntries(tags.all) });
  });
  for (const chunk of chunks) rows.push(Buffer.from(chunk));
  rows.end();
  return { samples, badRows: rows.badRows, bad: rows.firstBadRow };
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places)].sort((a, b) => a - b);
  return [0, ...ends].map((from, i) => bytes.subarray(from, ends[i] ?? bytes.length));
}

const comparable = ({ metric, timeUs, value, tags }: RawSample): string => {
  const told = Object.entries(tags).filter(([, tag]) => tag !== '');
  return JSON.stringify([metric, timeUs, value.toFixed(6), told.sort()]);
};

describe('what k6 wrote', () => {
  for (const recording of RECORDINGS) {
    const bytes = recordedCsv(recording);

    test(`of ${recording}: every sample is that of its JSON`, () => {
      const { samples, badRows } = read([bytes]);
      assert.equal(badRows, 0);
      const truth = recordedSamples(recording);
      assert.ok(truth.length > 200);
      assert.deepEqual(samples.map(comparable).sort(), truth.map(comparable).sort());
    });

    test(`of ${recording}: cut at every byte, it is the same`, () => {
      const whole = read([bytes]);
      // Enough to have all kinds of rows; each cut reads it again.
      const part = bytes.subarray(0, 4_000);
      const expected = read([part]);
      for (let at = 0; at <= part.length; at++)
        assert.deepEqual(read(cutAt(part, [at])), expected, `at ${at}`);
      assert.deepEqual(read(Array.from(bytes, (byte) => Buffer.of(byte))), whole);
    });

    test(`of ${recording}: cut anywhere, any number of times, it is the same`, () => {
      const whole = read([bytes]);
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 60 }), (places) => {
          assert.deepEqual(read(cutAt(bytes, places)), whole);
        }),
        { numRuns: 50 },
      );
    });
  }
});

test('any tags and values come back as they were, however the text is cut', () => {
  const quoted = (field: string): string =>
    /[",\r\n]|^\s/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  const field = fc.string({ unit: fc.constantFrom(...'ab ,"\n\ré&=:'), maxLength: 12 });
  const sample = fc.record({
    name: field,
    group: field,
    value: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
  });
  fc.assert(
    fc.property(
      fc.array(sample, { maxLength: 20 }),
      fc.array(fc.nat(4_000), { maxLength: 20 }),
      (all, places) => {
        const rows = all.map(
          ({ name, group, value }) =>
            `m,1796086227181437,${value.toFixed(6)},,,,,${quoted(group)},${quoted(name)},s,200,,\n`,
        );
        const bytes = Buffer.from(HEADER + rows.join(''));
        const { samples, badRows } = read(
          cutAt(
            bytes,
            places.filter((place) => place < bytes.length),
          ),
        );
        assert.equal(badRows, 0);
        assert.deepEqual(
          samples.map(({ value, tags }) => [value, tags.name ?? '', tags.group ?? '']),
          all.map(({ name, group, value }) => [Number(value.toFixed(6)), name, group]),
        );
      },
    ),
  );
});

describe('single rows', () => {
  const tail = ',,,,,,,,,,\n';
  const cases: [that: string, row: string, sample: Partial<RawSample>][] = [
    ['a whole number', `m,1,3.000000${tail}`, { value: 3 }],
    ['one below zero', `m,1,-0.250000${tail}`, { value: -0.25 }],
    [
      'one with more digits than a double has',
      `m,1,12345678901234567890.123456${tail}`,
      { value: 12345678901234567e3 },
    ],
    ['infinity', `m,1,+Inf${tail}`, { value: Number.POSITIVE_INFINITY }],
    ['no number', `m,1,NaN${tail}`, { value: Number.NaN }],
    ['a name that is quoted', `" m",1,1.000000${tail}`, { metric: ' m' }],
    ['two extra tags', 'm,1,1.000000,,,,,,,,,a=1&b=2,\n', { tags: { a: '1', b: '2' } }],
    ['an extra tag with an ampersand', 'm,1,1.000000,,,,,,,,,a=1&2,\n', { tags: { a: '1&2' } }],
    ['metadata, which are no tags', 'm,1,1.000000,,,,,,,,,,vu=3\n', { tags: {} }],
  ];
  for (const [that, row, sample] of cases) {
    test(that, () => {
      const { samples, badRows } = read([HEADER, row]);
      assert.equal(badRows, 0);
      assert.equal(samples.length, 1);
      assert.deepEqual({ ...samples[0], ...sample }, samples[0]);
    });
  }
});

describe('what is no row is counted, the first one kept, and what follows is read', () => {
  const good = 'm,1,1.000000,,,,,,,,,,\n';
  const cases: [that: string, text: string, bad: string][] = [
    ['words before the header', `hello\n${HEADER}${good}`, 'hello'],
    ['words between rows', `${HEADER}an extension says\n${good}`, 'an extension says'],
    ['a time that is none', `${HEADER}m,soon,1.0,,,,,,,,,,\n${good}`, 'm,soon,1.0,,,,,,,,,,'],
    ['a row that ends too early', `${HEADER}m,17\n${good}`, 'm,17'],
    ['a row without its end: k6 was killed', `${HEADER}${good}m,17960862`, 'm,17960862'],
  ];
  for (const [that, text, bad] of cases) {
    test(that, () =>
      assert.deepEqual(
        { ...read([text]), samples: read([text]).samples.length },
        { samples: 1, badRows: 1, bad },
      ),
    );
  }

  test('a text without any line break does not fill the memory', () => {
    const chunk = Buffer.alloc(700_000, 'x');
    assert.equal(read([HEADER, chunk, chunk, `\n${good}`]).samples.length, 1);
  });
});
