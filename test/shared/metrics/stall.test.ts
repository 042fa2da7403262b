import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSilent, stallsIn } from '../../../shared/metrics/stall.ts';

const NONE = { completed: 0, failed: 0, status: {} };
const SECONDS: [
  sentence: string,
  counts: Parameters<typeof isSilent>[0],
  inFlight: number,
  silent: boolean,
][] = [
  ['requests in flight, no reply', NONE, 3, true],
  ['nothing to do', NONE, 0, false],
  ['a reply', { ...NONE, completed: 1 }, 3, false],
  ['nothing but refused connections', { ...NONE, failed: 40 }, 0, true],
  ['replies that were not as expected', { ...NONE, failed: 4, status: { 503: 4 } }, 3, false],
];

describe('stalls', () => {
  for (const [sentence, counts, inFlight, silent] of SECONDS) {
    test(`${sentence}: ${silent ? 'silent' : 'not silent'}`, () =>
      assert.equal(isSilent(counts, inFlight), silent));
  }

  test('silent seconds in a row are one stall', () => {
    const silent = [...'.##..#.###'].map((letter) => letter === '#');
    assert.deepEqual(stallsIn(silent), [
      { fromSecond: 1, seconds: 2 },
      { fromSecond: 5, seconds: 1 },
      { fromSecond: 7, seconds: 3 },
    ]);
    assert.deepEqual(stallsIn([]), []);
  });
});
