import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Histogram } from '../../shared/metrics/histogram.ts';
import { decodeHistogram } from '../../shared/metrics/histogram-codec.ts';
import { emptyCounts, type Interval } from '../../shared/metrics/interval.ts';
import { IntervalMerger } from '../../worker/interval-merger.ts';
import type { ThreadInterval } from '../../worker/recorder.ts';

function threadInterval(second: number, latenciesUs: readonly number[], inFlight = 0): ThreadInterval {
  const latency = new Histogram();
  for (const us of latenciesUs) latency.record(us);
  const counts = { ...emptyCounts(), started: latenciesUs.length, completed: latenciesUs.length };
  const phases = latenciesUs.length === 0 ? {} : { latency: latency.snapshot() };
  return { second, ...counts, inFlight, phases, firstErrors: [] };
}

/** A thread: the latencies of each of its seconds from 0 on. */
const thread = fc.array(fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 5 }), { maxLength: 8 });

describe('IntervalMerger', () => {
  test('merges second by second, each once and in order, whichever thread is ahead', () => {
    fc.assert(
      fc.property(
        fc.array(thread, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        (threads, choices) => {
          const merged: Interval[] = [];
          const merger = new IntervalMerger(threads.length, (interval) => merged.push(interval));
          const next = threads.map(() => 0);
          // The threads' seconds and ends come in any interleaving.
          for (let open = threads.map((_, i) => i); open.length > 0; ) {
            const which = open[choices.next().value! % open.length]!;
            const seconds = threads[which]!;
            if (next[which]! < seconds.length) {
              const second = next[which]!++;
              merger.add(which, threadInterval(second, seconds[second]!, 1));
            } else {
              merger.end(which);
              open = open.filter((other) => other !== which);
            }
          }
          const longest = Math.max(...threads.map(({ length }) => length));
          assert.deepEqual(
            merged.map(({ second }) => second),
            Array.from({ length: longest }, (_, second) => second),
          );
          for (const { second, completed, inFlight, phases } of merged) {
            const all = threads.flatMap((seconds) => seconds[second] ?? []);
            assert.equal(completed, all.length);
            assert.equal(inFlight, threads.filter(({ length }) => length > second).length);
            const expected = new Histogram();
            for (const us of all) expected.record(us);
            const { count, min, max, sum } =
              phases.latency === undefined ? expected : decodeHistogram(phases.latency);
            assert.deepEqual(
              [count, min, max, sum],
              [expected.count, expected.min, expected.max, expected.sum],
            );
          }
        },
      ),
    );
  });

  test('a second is handed on when the last thread has handed it in or has ended, not before', () => {
    const merged: number[] = [];
    const merger = new IntervalMerger(2, ({ second, completed }) => merged.push(second, completed));
    merger.add(0, threadInterval(0, [1]));
    merger.add(0, threadInterval(1, [1]));
    assert.deepEqual(merged, []);
    merger.add(1, threadInterval(0, [1, 1]));
    assert.deepEqual(merged, [0, 3]);
    merger.end(1);
    assert.deepEqual(merged, [0, 3, 1, 1]);
    merger.end(0);
    assert.deepEqual(merged, [0, 3, 1, 1]);
  });

  test('the earliest first error of each class stays', () => {
    const merged: Interval[] = [];
    const merger = new IntervalMerger(2, (interval) => merged.push(interval));
    const failing = (atUs: number): ThreadInterval => ({
      ...threadInterval(0, []),
      firstErrors: [{ class: 'reset', message: `at ${atUs}`, atUs }],
    });
    merger.add(0, failing(900));
    merger.add(1, failing(100));
    assert.deepEqual(merged[0]!.firstErrors, [{ class: 'reset', message: 'at 100', atUs: 100 }]);
  });
});
