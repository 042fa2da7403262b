import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { signFlipCanReach, signFlipP } from '../../../../coordinator/report/statistics/sign-flip.ts';

describe('the p of a sign-flip test', () => {
  const rows: [why: string, differences: number[], p: number | undefined][] = [
    ['all on one side: two of all choices', [1, 2, 3, 4, 5], 2 / 32],
    ['one small one on the other side: it and its mirror too', [-1, 2, 3, 4, 5], 4 / 32],
    ['equal ones tie, and ties count', [1, 1, 1, -1], 10 / 16],
    ['a sum of 0 is as near as can be', [1, -1, 2, -2], 1],
    ['no difference at all', [0, 0, 0], 1],
    ['one pair', [7], 1],
    ['none', [], undefined],
    ['more than can be counted', new Array(25).fill(1), undefined],
    ['as many as can be', new Array(24).fill(1), 2 / 2 ** 24],
    // Fisher 1935, §21: Darwin's maize, in eighths of an inch; 863 + 20 of 16384 reach 314.
    ['Darwin’s maize', [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], 1726 / 32768],
  ];
  for (const [why, differences, p] of rows) test(why, () => assert.equal(signFlipP(differences), p));
});

test('is exactly what counting every choice gives', () => {
  const few = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 11 });
  fc.assert(fc.property(few, (differences) => assert.equal(signFlipP(differences), bruteForce(differences))));
});

test('neither scale nor order matters, nor which of the two is called the baseline', () => {
  const values = fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 14 });
  fc.assert(
    fc.property(values, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (differences, scale) => {
      const p = signFlipP(differences);
      assert.equal(signFlipP(differences.map((d) => d * scale)), p);
      assert.equal(signFlipP([...differences].reverse()), p);
      assert.equal(signFlipP(differences.map((d) => -d)), p);
    }),
  );
});

test('has a say where one round may disagree: seven rounds alone, ten in a table of ten', () => {
  assert.deepEqual([signFlipCanReach(6, 0.05), signFlipCanReach(7, 0.05)], [false, true]);
  assert.deepEqual([signFlipCanReach(9, 0.005), signFlipCanReach(10, 0.005)], [false, true]);
  assert.equal(signFlipCanReach(25, 0.05), false);
});

function bruteForce(differences: readonly number[]): number {
  const observed = Math.abs(differences.reduce((sum, d) => sum + d, 0));
  let beyond = 0;
  for (let signs = 0; signs < 2 ** differences.length; signs++) {
    const sum = differences.reduce((total, d, i) => total + (signs & (1 << i) ? d : -d), 0);
    if (Math.abs(sum) >= observed) beyond++;
  }
  return beyond / 2 ** differences.length;
}
