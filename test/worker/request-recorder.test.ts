/** From samples in threads to the summary by request, held against the samples themselves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { summarize } from '../../shared/metrics/summary.ts';
import { TimelineBuilder } from '../../shared/metrics/timeline.ts';
import { IntervalMerger } from '../../worker/interval-merger.ts';
import { Recorder } from '../../worker/recorder.ts';

const NAMES = ['home', 'login', 'home', '__proto__'];

interface Sample {
  thread: number;
  request: number;
  endUs: number;
  latencyUs: number;
  failed: boolean;
}

const samples = fc.array(
  fc.record({
    thread: fc.nat(1),
    request: fc.nat(NAMES.length - 1),
    endUs: fc.integer({ min: 1, max: 4_000_000 }),
    latencyUs: fc.integer({ min: 1, max: 60_000 }),
    failed: fc.boolean(),
  }),
  { maxLength: 60 },
);

function summaryOf(list: readonly Sample[], names: readonly string[]) {
  const timeline = new TimelineBuilder();
  let seq = 0;
  const merger = new IntervalMerger(2, (interval) => {
    // As it travels.
    timeline.add('shard', seq++, JSON.parse(JSON.stringify(interval)));
  });
  for (const thread of [0, 1]) {
    const recorder = new Recorder({
      openLoop: false,
      requestNames: names,
      onInterval: (interval) => merger.add(thread, interval),
    });
    recorder.begin(0);
    for (const { request, endUs, latencyUs, failed } of list.filter((one) => one.thread === thread)) {
      recorder.started(request, endUs - latencyUs, true);
      if (failed) recorder.failed(request, 'reset', 'gone', endUs);
      else recorder.completed(request, 200, 0, endUs - latencyUs, endUs, endUs);
    }
    recorder.closeSecondsUntil(4_100_000);
    recorder.end();
    merger.end(thread);
  }
  return summarize(timeline, 4_000_000);
}

test('counts, rates and latencies by name are those of the samples; requests that share a name are one', () => {
  fc.assert(
    fc.property(samples, (unsorted) => {
      const list = [...unsorted].sort((a, b) => a.endUs - b.endUs);
      const { byRequest = {} } = summaryOf(list, NAMES);
      const seen = new Set(list.map(({ request }) => NAMES[request]!));
      assert.deepEqual(new Set(Object.keys(byRequest)), seen);
      for (const name of seen) {
        const own = list.filter(({ request }) => NAMES[request] === name);
        const good = own.filter(({ failed }) => !failed).map(({ latencyUs }) => latencyUs);
        const one = Object.getOwnPropertyDescriptor(byRequest, name)!.value;
        assert.equal(one.requests, good.length);
        assert.equal(one.requestRate, good.length / 4);
        assert.equal(one.errors.total, own.length - good.length);
        assert.deepEqual(
          one.errors.byClass,
          own.length === good.length ? {} : { reset: own.length - good.length },
        );
        assert.equal(one.latency.max, Math.max(0, ...good));
        if (good.length > 0) assert.equal(one.latency.min, Math.min(...good));
      }
    }),
    { numRuns: 60 },
  );
});

test('one name alone splits nothing', () => {
  const list = [{ thread: 0, request: 0, endUs: 5, latencyUs: 2, failed: false }];
  assert.equal(summaryOf(list, ['urls', 'urls']).byRequest, undefined);
});
