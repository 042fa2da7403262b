import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fittedTables, plainTable } from '../../../coordinator/report/text-table.ts';

describe('a table that is too wide', () => {
  const model = {
    head: ['size', 'first', 'second', 'third'],
    rows: [
      ['4KiB', '1.00', '2.00', '3.00'],
      ['64KiB', '10.00', '20.00', '30.00'],
    ],
    right: [1, 2, 3],
    marks: [
      [undefined, undefined, undefined, undefined],
      [undefined, undefined, ['tied' as const], ['best' as const, 'partial' as const]],
    ],
  };
  const linesAt = (width: number) => fittedTables(model, width).map(plainTable);

  test('stays whole where there is room, its signs after numbers that stay below one another', () => {
    assert.deepEqual(linesAt(80), [
      ['size   first  second    third', '4KiB    1.00    2.00     3.00', '64KiB  10.00   20.00 =  30.00 *†'],
    ]);
  });

  test('is parted between columns, each part with the first', () => {
    assert.deepEqual(linesAt(25), [
      ['size   first  second', '4KiB    1.00    2.00', '64KiB  10.00   20.00 ='],
      ['size   third', '4KiB    3.00', '64KiB  30.00 *†'],
    ]);
  });

  test('keeps every column once, and no part wider than asked for if it has more than one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'b', '7') }), {
          minLength: 2,
          maxLength: 12,
        }),
        fc.integer({ min: 10, max: 60 }),
        (head, width) => {
          const parts = fittedTables({ head, rows: [head], right: [] }, width);
          assert.deepEqual(
            parts.flatMap((part) => part.head.slice(1)),
            head.slice(1),
          );
          for (const part of parts) {
            assert.equal(part.head[0], head[0]);
            const widest = Math.max(...plainTable(part).map((line) => line.length));
            assert.ok(part.head.length === 2 || widest <= width, `${widest} > ${width}`);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
