import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { median, spreadOf } from '../../../../coordinator/report/statistics/spread.ts';

describe('a spread', () => {
  const rows: [why: string, values: number[], expected: object][] = [
    ['of one is that one', [7], { median: 7, min: 7, max: 7 }],
    ['of an even number lies between the middle two', [1, 10], { median: 5.5, min: 1, max: 10 }],
    ['has no interval below three rounds', [4, 2], { median: 3, min: 2, max: 4 }],
    ['has none with a 0, of which there is no logarithm', [0, 1, 1, 1, 1], { median: 1, min: 0, max: 1 }],
  ];
  for (const [why, values, expected] of rows) test(why, () => assert.deepEqual(spreadOf(values), expected));

  test('of equal rounds has an interval of no width', () => {
    const [low, high] = spreadOf([5, 5, 5]).ci95!;
    assert.ok(Math.abs(low - 5) < 1e-9 && Math.abs(high - 5) < 1e-9);
  });

  test('its interval is Student’s t on the logarithms, worked by hand', () => {
    // ln: 0, ln 2, ln 4, ln 8, ln 16; mean ln 4; s = ln 2 × √2.5; half = 2.776445 × s / √5.
    const [low, high] = spreadOf([1, 2, 4, 8, 16]).ci95!;
    const half = 2.776445105 * Math.LN2 * Math.sqrt(2.5 / 5);
    assert.ok(Math.abs(low - 4 * Math.exp(-half)) < 1e-6 && Math.abs(high - 4 * Math.exp(half)) < 1e-6);
  });

  const values = fc.array(fc.double({ min: 1, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 9 });

  test('lies in order, whatever the order of the rounds', () => {
    fc.assert(
      fc.property(values, (list) => {
        const { min, median: middle, max, ci95 } = spreadOf(list);
        assert.ok(min <= middle && middle <= max);
        assert.equal(median([...list].reverse()), middle);
        assert.equal(ci95 === undefined, list.length < 3);
      }),
    );
  });

  test('follows the unit', () => {
    fc.assert(
      fc.property(values, (list) => {
        const { ci95 = [1, 1] } = spreadOf(list);
        const scaled = spreadOf(list.map((value) => value * 1024)).ci95 ?? [1024, 1024];
        for (const [i, end] of ci95.entries()) assert.ok(Math.abs(scaled[i]! / 1024 / end - 1) < 1e-9);
      }),
    );
  });
});
