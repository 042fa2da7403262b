import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Interval } from '../../../shared/metrics/interval.ts';
import { summarize, timelineRows } from '../../../shared/metrics/summary.ts';
import { TimelineBuilder } from '../../../shared/metrics/timeline.ts';
import { intervalOf, type Sample } from '../../support/intervals.ts';

interface Sent {
  shard: string;
  seq: number;
  interval: Interval;
}

const sample: fc.Arbitrary<Sample> = fc.record({
  latencyUs: fc.integer({ min: 0, max: 4_000_000 }),
  status: fc.constantFrom(200, 404, 500),
  bytes: fc.integer({ min: 0, max: 1 << 30 }),
  body: fc.integer({ min: 0, max: 1 << 20 }),
  connectUs: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
  error: fc.option(
    fc.record({
      class: fc.constantFrom('reset', 'timeout', 'status'),
      message: fc.constantFrom('one', 'other'),
      atUs: fc.integer({ min: 0, max: 5 }),
    }),
    { nil: undefined },
  ),
});

/** Shards, each with the samples of its intervals. */
const shards = fc.array(fc.array(fc.array(sample, { maxLength: 8 }), { maxLength: 4 }), { maxLength: 4 });

function sendingsOf(shardsOfSamples: Sample[][][]): Sent[] {
  return shardsOfSamples.flatMap((seconds, shard) =>
    seconds.map((samples, seq) => ({ shard: `s${shard}`, seq, interval: intervalOf(seq, samples) })),
  );
}

function merged(sendings: readonly Sent[]): TimelineBuilder {
  const timeline = new TimelineBuilder();
  for (const { shard, seq, interval } of sendings) timeline.add(shard, seq, interval);
  return timeline;
}

describe('exactly once', () => {
  test('any order, with any repeats, gives the same summary and the same rows', () => {
    const shuffled = shards.chain((story) => {
      const sendings = sendingsOf(story);
      const repeats = fc.array(fc.nat({ max: Math.max(0, sendings.length - 1) }), { maxLength: 12 });
      const order = fc.shuffledSubarray(sendings, { minLength: sendings.length });
      return fc.tuple(fc.constant(sendings), order, repeats);
    });
    fc.assert(
      fc.property(shuffled, ([inOrder, order, repeats]) => {
        const late = [...order, ...repeats.flatMap((i) => inOrder[i] ?? [])];
        const one = merged(inOrder);
        const other = merged(late);
        assert.deepEqual(summarize(other, 3e6), summarize(one, 3e6));
        assert.deepEqual(timelineRows(other), timelineRows(one));
        for (const shard of one.shardIds()) assert.deepEqual(other.arrivals(shard), one.arrivals(shard));
      }),
      { numRuns: 60 },
    );
  });

  test('however the samples are spread over shards, the summary is the same', () => {
    const partition = fc.tuple(
      fc.array(fc.array(sample, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat({ max: 3 }), { minLength: 40, maxLength: 40 }),
    );
    fc.assert(
      fc.property(partition, ([seconds, owners]) => {
        const whole = merged(sendingsOf([seconds]));
        const split = [0, 1, 2, 3].map((shard) =>
          seconds.map((samples, second) =>
            samples.filter((_, i) => owners[(second * 12 + i) % 40] === shard),
          ),
        );
        const parts = merged(sendingsOf(split));
        const { errors: one, ...rest } = summarize(whole, 2e6);
        const { errors: other, ...alsoRest } = summarize(parts, 2e6);
        assert.deepEqual(alsoRest, rest);
        assert.deepEqual([other.total, other.byClass], [one.total, one.byClass]);
      }),
      { numRuns: 60 },
    );
  });

  test('two coordinators’ worth of late and repeated intervals merge exactly once', () => {
    // The first coordinator journals some, dies; the second reads that journal and is sent again what was not
    // acknowledged, which overlaps with what was journaled.
    const story = shards.chain((samples) => {
      const sendings = sendingsOf(samples);
      return fc.tuple(
        fc.constant(sendings),
        fc.shuffledSubarray(sendings),
        fc.shuffledSubarray(sendings),
        fc.shuffledSubarray(sendings, { minLength: sendings.length }),
      );
    });
    fc.assert(
      fc.property(story, ([sendings, journaled, resent, after]) => {
        const timeline = new TimelineBuilder();
        let accepted = 0;
        for (const { shard, seq, interval } of [...journaled, ...resent, ...after]) {
          const known = timeline.has(shard, seq);
          assert.equal(timeline.add(shard, seq, interval), !known);
          if (!known) accepted++;
        }
        assert.equal(accepted, sendings.length);
        assert.deepEqual(summarize(timeline, 1e6), summarize(merged(sendings), 1e6));
      }),
      { numRuns: 60 },
    );
  });

  test('a repeat changes nothing, even when it says something else', () => {
    const timeline = new TimelineBuilder();
    assert.equal(timeline.add('s', 0, intervalOf(0, [{ latencyUs: 5 }])), true);
    assert.equal(timeline.add('s', 0, intervalOf(0, [{ latencyUs: 9 }, { latencyUs: 9 }])), false);
    assert.equal(timeline.totals.completed, 1);
    assert.equal(timeline.phase('latency').max, 5);
  });
});

describe('rows', () => {
  test('Σ of the rows is the total', () => {
    fc.assert(
      fc.property(shards, (story) => {
        const timeline = merged(sendingsOf(story));
        const rows = timelineRows(timeline);
        const { requests, bytes, errors } = summarize(timeline, 1e6);
        const sum = (of: (row: (typeof rows)[number]) => number) =>
          rows.reduce((total, row) => total + of(row), 0);
        assert.equal(
          sum((row) => row.requests),
          requests,
        );
        assert.equal(
          sum((row) => row.bytes),
          bytes.received,
        );
        assert.equal(
          sum((row) => row.errors),
          errors.total,
        );
      }),
      { numRuns: 60 },
    );
  });

  test('seconds in which nothing arrived are rows of zeros without quantiles', () => {
    const timeline = merged([
      { shard: 'a', seq: 0, interval: intervalOf(0, [{ latencyUs: 10, bytes: 5 }]) },
      { shard: 'a', seq: 1, interval: intervalOf(3, [{ latencyUs: 20, bytes: 7 }]) },
    ]);
    assert.deepEqual(timelineRows(timeline), [
      { second: 0, requests: 1, bytes: 5, errors: 0, p50: 10, p99: 10 },
      { second: 1, requests: 0, bytes: 0, errors: 0 },
      { second: 2, requests: 0, bytes: 0, errors: 0 },
      { second: 3, requests: 1, bytes: 7, errors: 0, p50: 20, p99: 20 },
    ]);
  });

  test('a late interval joins its second', () => {
    const timeline = new TimelineBuilder();
    timeline.add('a', 1, intervalOf(1, [{ latencyUs: 1 }]));
    timeline.add('b', 0, intervalOf(0, [{ latencyUs: 2 }]));
    timeline.add('b', 1, intervalOf(1, [{ latencyUs: 3 }]));
    assert.equal(timeline.at(1)?.counts.completed, 2);
    assert.deepEqual(
      timeline.at(1)?.latency.map(({ max }) => max),
      [1, 3],
    );
    assert.equal(timeline.lastSecond, 1);
    assert.equal(timeline.at(7), undefined);
  });
});

describe('what arrived of a shard', () => {
  test('in flight comes from the highest seq, not from the last to arrive', () => {
    const timeline = new TimelineBuilder();
    timeline.add('a', 2, intervalOf(2, [], 3));
    timeline.add('a', 0, intervalOf(0, [], 9));
    const { intervals, lastSeq, lastSecond, inFlight } = timeline.arrivals('a')!;
    assert.deepEqual(
      { intervals, lastSeq, lastSecond, inFlight },
      { intervals: 2, lastSeq: 2, lastSecond: 2, inFlight: 3 },
    );
  });
});

test('an interval of which one phase cannot be read adds nothing to the others either', () => {
  const samples = [{ latencyUs: 5, firstByteUs: 3, connectUs: 2 }];
  const good = intervalOf(0, samples);
  const firstByte = { count: 1, min: 5, max: 5, sum: 5, v2: 'AAAA' };
  const timeline = new TimelineBuilder();
  timeline.add('a', 0, good);
  const broken = { ...intervalOf(1, samples), phases: { ...good.phases, firstByte } };
  assert.throws(() => timeline.add('a', 1, broken), { code: 'JOURNAL_CORRUPT' });
  assert.deepEqual(
    summarize(timeline, 1e6),
    summarize(merged([{ shard: 'a', seq: 0, interval: good }]), 1e6),
  );
});

describe('an interval that cannot be is refused and changes nothing', () => {
  const good = intervalOf(0, [{ latencyUs: 5 }]);
  const broken = { count: 1, min: 5, max: 5, sum: 5, v2: 'AAAA' };
  const rows: [what: string, seq: number, interval: Interval][] = [
    ['a negative seq', -1, good],
    ['a seq with a fraction', 0.5, good],
    ['a negative second', 0, { ...good, second: -1 }],
    ['a second that is no number', 0, { ...good, second: Number.NaN }],
    ['a histogram that cannot be read', 0, { ...good, phases: { latency: broken } }],
  ];
  for (const [what, seq, interval] of rows) {
    test(what, () => {
      const timeline = new TimelineBuilder();
      assert.throws(() => timeline.add('a', seq, interval), { code: 'JOURNAL_CORRUPT' });
      assert.deepEqual([timeline.totals.completed, timeline.lastSecond, timeline.shardIds()], [0, -1, []]);
    });
  }
});
