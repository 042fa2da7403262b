import assert from 'node:assert/strict';
import { test } from 'node:test';
import { studentQuantile, studentTwoSidedP } from '../../../../coordinator/report/statistics/student.ts';

/** Printed in every table of t, here to more digits (@stdlib/stats-base-dists-t-quantile). */
const T_975: [degrees: number, t: number][] = [
  [1, 12.706204736174694],
  [2, 4.302652729749462],
  [3, 3.182446305283708],
  [4, 2.776445105197794],
  [9, 2.262157162798205],
  [29, 2.045229642132704],
  [100, 1.9839715185235518],
];

for (const [degrees, t] of T_975) {
  test(`97.5 % of Student's t with ${degrees} degrees of freedom lie below ${t.toFixed(3)}`, () => {
    assert.ok(Math.abs(studentQuantile(0.975, degrees) - t) < 1e-6);
    assert.ok(Math.abs(studentTwoSidedP(t, degrees) - 0.05) < 1e-7);
    assert.equal(studentTwoSidedP(-t, degrees), studentTwoSidedP(t, degrees));
  });
}

test('a p is 1 at 0, and small ones keep their digits', () => {
  assert.equal(studentTwoSidedP(0, 4), 1);
  // With 2 degrees of freedom there is a closed form, 1 − t / √(2 + t²), which is nearly 1 / t².
  assert.ok(Math.abs(studentTwoSidedP(1e6, 2) / 1e-12 - 1) < 1e-6);
  assert.equal(studentTwoSidedP(Number.POSITIVE_INFINITY, 4), 0);
});
