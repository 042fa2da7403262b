import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { mostParts, rowsOf } from '../../../shared/domain/data-rows.ts';
import { dataSchema, readCsv } from '../../../shared/domain/data-spec.ts';
import { Refusal } from '../../../shared/domain/fields.ts';
import type { DataPlan } from '../../../shared/domain/run.ts';

const numbered = (count: number): DataPlan => ({
  columns: ['n'],
  count,
  rows: Array.from({ length: count }, (_, i) => [String(i)]),
});

describe('rows over workers and threads', () => {
  test('whatever threads each worker has, every row belongs to exactly one of them, and none has none', () => {
    const shape = fc.record({
      count: fc.integer({ min: 1, max: 200 }),
      workers: fc.integer({ min: 1, max: 9 }),
      threads: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 9, maxLength: 9 }),
    });
    fc.assert(
      fc.property(shape, ({ count, workers, threads }) => {
        const whole = numbered(count);
        const parts = Math.min(workers, mostParts(whole));
        const shares = Array.from({ length: parts }, (_, i) => rowsOf(whole, i, parts)).flatMap(
          (shard, i) => {
            const pieces = Math.min(threads[i]!, mostParts(shard));
            return Array.from({ length: pieces }, (_, j) => rowsOf(shard, j, pieces));
          },
        );
        for (const share of shares) {
          assert.ok(share.count > 0);
          assert.equal(share.count, share.rows.length);
        }
        const all = shares.flatMap(({ rows }) => rows.map(([n]) => Number(n)));
        assert.deepEqual(
          all.sort((a, b) => a - b),
          whole.rows.map((_, i) => i),
        );
      }),
    );
  });

  test('without data any number of parts will do', () => assert.equal(mostParts(undefined), Infinity));
});

describe('reading rows', () => {
  const GOOD: [sentence: string, csv: string, columns: string[], rows: string[][]][] = [
    [
      'the first row names the columns',
      'a,b\n1,2\n3,4\n',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['names are trimmed, values are not', ' a , b\n 1, 2\n', ['a', 'b'], [[' 1', ' 2']]],
    [
      'quotes, commas, line breaks and empty values',
      'a,b\n"x, ""y""","1\n2"\n,\n',
      ['a', 'b'],
      [
        ['x, "y"', '1\n2'],
        ['', ''],
      ],
    ],
    ['CRLF, a byte-order mark, empty lines, no end of line', '\ufeffa\r\n1\r\n\r\n2', ['a'], [['1'], ['2']]],
    ['names with dots and spaces', 'first name,x.y\n1,2\n', ['first name', 'x.y'], [['1', '2']]],
  ];
  for (const [sentence, csv, columns, rows] of GOOD) {
    test(sentence, () => assert.deepEqual(readCsv(csv), { columns, rows }));
  }

  const BAD: [sentence: string, csv: string, message: RegExp][] = [
    ['nothing', '', /there are no rows; expected a row of column names/],
    ['only names', 'a,b\n', /there are no rows/],
    ['a row too short', 'a,b\n1,2\n3\n', /not CSV: Invalid Record Length: expect 2, got 1 on line 3/],
    ['a quote without end', 'a\n"1\n', /not CSV: Quote Not Closed/],
    ['a column without a name', 'a,,c\n1,2,3\n', /column 2 has no name/],
    ['a name that cannot be referred to', 'a}\n1\n', /column 1 has no name that can be written/],
    ['a name twice', 'a, a\n1,2\n', /two columns are named "a"/],
    ['too much', `a\n${'x'.repeat(9 * 1024 ** 2)}\n`, /more than 8 MiB/],
  ];
  for (const [sentence, csv, message] of BAD) {
    test(`${sentence} is refused`, () => {
      const read = readCsv(csv);
      assert.ok(read instanceof Refusal);
      assert.match(read.message, message);
    });
  }

  test('shuffled: the same rows, in an order that the seed alone decides', () => {
    const csv = `n\n${Array.from({ length: 50 }, (_, i) => i).join('\n')}\n`;
    const order = (seed?: number) =>
      dataSchema.parse({ csv, order: 'shuffled', ...(seed !== undefined && { seed }) }).rows.flat();
    const sequential = dataSchema.parse({ csv }).rows.flat();
    assert.deepEqual(order(7), order(7));
    assert.deepEqual(order(), order(0));
    assert.notDeepEqual(order(7), order(8));
    assert.notDeepEqual(order(7), sequential);
    assert.deepEqual([...order(7)].sort(), [...sequential].sort());
  });
});
