import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Permits } from '../../../worker/schedule/permits.ts';

const START_US = 1e6;

/** When a thread that always wants to send does so, in one second and in the next, and so on. */
function greedy(perSecond: number, offset: number, stride: number, seconds: number): number[] {
  const permits = new Permits({ perSecond, stripe: { offset, stride } }, START_US);
  const sent: number[] = [];
  for (let nowUs = START_US; ; ) {
    nowUs = Math.max(nowUs, permits.nextUs(nowUs));
    if (nowUs >= START_US + seconds * 1e6 - 1) return sent;
    assert.ok(permits.take(nowUs));
    sent.push(nowUs);
  }
}

describe('permits of a rate cap', () => {
  test('threads that always want to send do so as often as the cap says in each second, whatever it and their number are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 16 }), (cap, threads) => {
        const sent = Array.from({ length: threads }, (_, i) => greedy(cap, i, threads, 3)).flat();
        for (const second of [0, 1, 2]) {
          const from = START_US + second * 1e6 - 0.5;
          assert.equal(sent.filter((us) => us >= from && us < from + 1e6).length, cap);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('they come evenly spaced, the threads in turn', () => {
    assert.deepEqual(greedy(4, 1, 2, 1), [START_US + 250_000, START_US + 750_000]);
  });

  test('however late somebody comes for them, no more are given than the cap allows up to then', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), waits, (cap, all) => {
        const permits = new Permits({ perSecond: cap, stripe: { offset: 0, stride: 1 } }, START_US);
        let nowUs = START_US;
        let taken = 0;
        for (const us of all) {
          nowUs += us;
          while (permits.take(nowUs)) taken++;
          assert.ok(
            taken <= ((nowUs - START_US + 1) * cap) / 1e6 + 1,
            `${taken} after ${nowUs - START_US} µs`,
          );
        }
      }),
    );
  });

  test('after a pause no second has more than the cap allows, and one for each thread that a late permit is good for', () => {
    const pauses = fc.integer({ min: 0, max: 20_000_000 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 16 }),
        pauses,
        (cap, threads, us) => {
          const resumedUs = START_US + us;
          const sent = Array.from({ length: threads }, (_, offset) => {
            const permits = new Permits({ perSecond: cap, stripe: { offset, stride: threads } }, START_US);
            const own: number[] = [];
            for (let nowUs = resumedUs; ; own.push(nowUs)) {
              nowUs = Math.max(nowUs, permits.nextUs(nowUs));
              if (nowUs >= resumedUs + 1e6 - 1) return own;
              assert.ok(permits.take(nowUs));
            }
          }).flat();
          // Of the 10 ms before, and of the moment itself.
          const late = Math.ceil(Math.max(10_000, 1e6 / cap) / (1e6 / cap)) + 1;
          assert.ok(sent.length <= cap + late, `${sent.length} in a second, ${cap} allowed`);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('what nobody takes is good for 10 ms, or until the next one; it does not pile up', () => {
    const many = new Permits({ perSecond: 1_000, stripe: { offset: 0, stride: 1 } }, START_US);
    let after = 0;
    while (many.take(START_US + 5e6)) after++;
    assert.equal(after, 11);
    const few = new Permits({ perSecond: 5, stripe: { offset: 0, stride: 1 } }, START_US);
    assert.ok(few.take(START_US));
    assert.ok(few.take(START_US + 390_000), 'of the 200th ms');
    assert.ok(!few.take(START_US + 390_000));
    assert.ok(few.take(START_US + 400_000));
  });
});
