import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { noiseFloorOf } from '../../../../coordinator/report/statistics/noise-floor.ts';

describe('the noise floor', () => {
  const rows: [why: string, values: number[]][] = [
    ['needs five rounds', [100, 101, 99, 100]],
    ['needs logarithms', [100, 101, 0, 100, 101]],
  ];
  for (const [why, values] of rows) test(why, () => assert.equal(noiseFloorOf(values), undefined));

  test('of rounds without noise is 1', () => {
    assert.deepEqual(noiseFloorOf([7, 7, 7, 7, 7]), { rounds: 5, ratio: 1 });
  });

  test('worked by hand for steps of 1 %', () => {
    // t(97.5 %, 4) + t(80 %, 4) = 2.776445 + 0.940965; ν = 32/11, median share (1 − 22/288)³.
    const values = [100, 101, 100, 101, 100];
    const expected = Math.exp(((2.776445 + 0.940965) * Math.log(1.01)) / Math.sqrt(5 * (1 - 22 / 288) ** 3));
    assert.ok(Math.abs(noiseFloorOf(values)!.ratio - expected) < 1e-6);
  });

  test('slow drift is not in it, unlike in the spread', () => {
    const drifting = Array.from({ length: 20 }, (_, i) => 100 * 1.02 ** i);
    const jumping = drifting.map((_, i) => drifting[(i * 7) % 20]!);
    assert.ok(noiseFloorOf(drifting)!.ratio < 1.03 && noiseFloorOf(jumping)!.ratio > 1.1);
  });

  test('neither the unit nor the direction of time matters', () => {
    const values = fc.array(fc.double({ min: 1, max: 1e6, noNaN: true }), { minLength: 5, maxLength: 20 });
    fc.assert(
      fc.property(values, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (list, scale) => {
        const floor = Math.log(noiseFloorOf(list)!.ratio);
        for (const other of [list.map((value) => value * scale), [...list].reverse()]) {
          assert.ok(Math.abs(Math.log(noiseFloorOf(other)!.ratio) - floor) <= 1e-9 * Math.max(1, floor));
        }
      }),
    );
  });
});
