import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { holm } from '../../../../coordinator/report/statistics/holm.ts';

describe('Holm', () => {
  // The second row is R's p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm").
  const rows: [why: string, values: number[], adjusted: number[]][] = [
    ['one stays as it is', [0.04], [0.04]],
    ['the smallest times all, the next times the rest', [0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]],
    ['in the order given, none above 1', [0.9, 0.001, 0.6], [1, 0.003, 1]],
    ['none', [], []],
  ];
  for (const [why, values, adjusted] of rows) {
    test(why, () => {
      const got = holm(values);
      assert.equal(got.length, adjusted.length);
      for (const [i, p] of got.entries()) assert.ok(Math.abs(p - adjusted[i]!) < 1e-12, `${got}`);
    });
  }

  test('never lowers a p, keeps their order, and is at most Bonferroni’s', () => {
    const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, (list) => {
        const adjusted = holm(list);
        list.forEach((p, i) => {
          assert.ok(adjusted[i]! >= p && adjusted[i]! <= Math.min(1, p * list.length));
          for (const [j, q] of list.entries()) assert.ok(p > q || adjusted[i]! <= adjusted[j]!);
        });
      }),
    );
  });
});
