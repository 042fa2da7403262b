import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { callAt, callNextAt, callSoonAfter, idlePollingUs } from '../../../worker/executor/wait-until.ts';
import { VirtualTime } from '../../support/virtual-time.ts';

const TURN_US = 5;

/** When the call comes, for a wait of `waitUs`. */
function calledAt(wait: typeof callAt, waitUs: number, latenessUs = 0): number {
  const time = new VirtualTime({ turnUs: TURN_US, latenessUs: () => latenessUs });
  let at = Number.NaN;
  time.run(() => {
    wait(time.clock, waitUs, () => {
      at = time.nowUs;
    });
  });
  return at;
}

const waits = fc.integer({ min: -1_000, max: 10_000_000 });
/** What a timer of Node is late when the thread has nothing else to do: it counts from a time up to 1 ms old. */
const lateness = fc.integer({ min: 0, max: 999 });

describe('waiting', () => {
  for (const [name, wait, mostLateUs] of [
    ['callAt', callAt, TURN_US],
    ['callNextAt', callNextAt, 2 * TURN_US],
    ['callSoonAfter', callSoonAfter, 2_000],
  ] as const) {
    test(`${name} is never early, and late by at most ${mostLateUs} µs`, () => {
      fc.assert(
        fc.property(waits, lateness, (waitUs, late) => {
          const lateUs = calledAt(wait, waitUs, late) - Math.max(0, waitUs);
          assert.ok(lateUs >= 0 && lateUs <= mostLateUs, `${lateUs}`);
        }),
      );
    });

    test(`${name} comes after 60 days, longer than a timer can be`, () => {
      const days = 60 * 24 * 3_600e6;
      assert.ok(calledAt(wait, days) - days <= mostLateUs);
    });

    test(`${name}, once cancelled, never calls`, () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 5_000 }),
          fc.integer({ min: 1, max: 5_000 }),
          (waitUs, cancelUs) => {
            const time = new VirtualTime({ turnUs: TURN_US });
            let calledUs = 0;
            time.run(() => {
              const cancel = wait(time.clock, waitUs, () => {
                calledUs = time.nowUs;
              });
              time.at(cancelUs, cancel);
            });
            assert.ok(calledUs <= cancelUs);
          },
        ),
      );
    });
  }

  test('what polling costs is known, where nothing else was done in a turn; timers cost none', () => {
    const before = idlePollingUs();
    calledAt(callSoonAfter, 5_000);
    assert.equal(idlePollingUs(), before);
    calledAt(callAt, 1_500);
    assert.equal(idlePollingUs() - before, 1_500);
    const busy = new VirtualTime({ turnUs: 30 });
    busy.run(() => callAt(busy.clock, 1_500, () => {}));
    assert.equal(idlePollingUs() - before, 1_500, 'turns with something in them are work');
  });
});
