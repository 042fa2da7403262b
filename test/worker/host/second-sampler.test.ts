/** When seconds begin and end, on a clock that only the test moves. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostSecond } from '../../../shared/metrics/host-second.ts';
import { between, type HostReading, readHost } from '../../../worker/host/host-reader.ts';
import { ProcessWatch } from '../../../worker/host/process-watch.ts';
import { SecondSampler } from '../../../worker/host/second-sampler.ts';

const MINUTES_US = 7 * 60e6;

/** A host whose clock is `offsetUs` before the coordinator's, and whose timers are late by `lateUs`. */
function simulate({ offsetUs = MINUTES_US, fromUs = -50_000, lateUs = 300 }) {
  let nowUs = fromUs + offsetUs;
  let due: { atUs: number; call: () => void } | undefined;
  const seconds: HostSecond[] = [];
  const sampler = new SecondSampler({
    clock: {
      now: () => nowUs,
      after: (ms, call) => {
        const mine = { atUs: nowUs + ms * 1_000, call };
        due = mine;
        return () => {
          if (due === mine) due = undefined;
        };
      },
    },
    read: (): HostReading => ({}),
    processes: new ProcessWatch([]),
    originUs: 0,
    offsetUs,
    onSecond: (second) => seconds.push(second),
  });
  return {
    sampler,
    seconds,
    /** @param toUs on the coordinator's clock, which is as fast as the host's */
    run: (toUs: number, late = lateUs) => {
      while (due !== undefined && due.atUs + late <= toUs + offsetUs) {
        const { atUs, call } = due;
        nowUs = Math.max(nowUs, atUs + late);
        due = undefined;
        call();
      }
      nowUs = Math.max(nowUs, toUs + offsetUs);
    },
  };
}

const spans = (seconds: HostSecond[]) =>
  seconds.map(({ second, fromUs, lengthUs }) => [second, fromUs, lengthUs]);

describe('seconds of a sampled host', () => {
  test('begin at the start instant and follow one another, however wrong its clock', () => {
    const { run, seconds } = simulate({});
    run(3_100_000);
    assert.deepEqual(spans(seconds), [
      [0, 300, 1_000_000],
      [1, 1_000_300, 1_000_000],
      [2, 2_000_300, 1_000_000],
    ]);
  });

  test('a timer that is early does not make a second of nothing', () => {
    const { run, seconds } = simulate({ lateUs: -700 });
    run(3_000_000);
    assert.deepEqual(
      spans(seconds).map(([second]) => second),
      [0, 1, 2],
    );
  });

  test('a host that comes late begins where it comes', () => {
    const { run, seconds } = simulate({ fromUs: 1_400_000 });
    run(3_100_000);
    assert.deepEqual(spans(seconds), [
      [1, 1_400_000, 600_300],
      [2, 2_000_300, 1_000_000],
    ]);
  });

  test('a pause makes one long second, said as such, and then they are whole again', () => {
    const { run, seconds } = simulate({});
    run(1_100_000);
    run(3_700_000, 1_500_000);
    run(5_100_000);
    assert.deepEqual(spans(seconds), [
      [0, 300, 1_000_000],
      [1, 1_000_300, 2_499_700],
      [3, 3_500_000, 500_300],
      [4, 4_000_300, 1_000_000],
    ]);
  });

  test('a better offset moves where the next second ends', () => {
    const { run, seconds, sampler } = simulate({});
    run(1_100_000);
    sampler.align(MINUTES_US + 40_000);
    run(3_100_000);
    assert.deepEqual(spans(seconds).slice(1), [
      [1, 960_300, 1_040_000],
      [2, 2_000_300, 1_000_000],
    ]);
  });

  test('a better offset that comes just before a second ends moves its end, and skips nothing', () => {
    const { run, seconds, sampler } = simulate({});
    run(1_990_000);
    sampler.align(MINUTES_US + 2_000);
    run(3_100_000);
    assert.deepEqual(
      seconds.map(({ second }) => second),
      [0, 1, 2],
    );
  });

  test('one that is asked a moment before the start begins with the start', () => {
    const { run, seconds } = simulate({ fromUs: -10_000 });
    run(2_100_000);
    assert.deepEqual(spans(seconds), [
      [0, 300, 1_000_000],
      [1, 1_000_300, 1_000_000],
    ]);
  });

  test('the end has what there is of the last second', () => {
    const { run, seconds, sampler } = simulate({});
    run(1_250_000);
    sampler.end();
    run(9_000_000);
    assert.deepEqual(spans(seconds), [
      [0, 300, 1_000_000],
      [1, 1_000_300, 249_700],
    ]);
  });

  test('an end before the beginning has nothing', () => {
    const { run, seconds, sampler } = simulate({});
    sampler.end();
    run(2_000_000);
    assert.deepEqual(seconds, []);
  });
});

test('where the system tells nothing, a second has nothing but its time', () => {
  const nothing = readHost(() => undefined);
  assert.deepEqual(nothing, {});
  assert.deepEqual(between(nothing, nothing), {});
});
