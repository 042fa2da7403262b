import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Histogram } from '../../../shared/metrics/histogram.ts';
import { encodeHistogram } from '../../../shared/metrics/histogram-codec.ts';
import { emptyCounts, type Interval } from '../../../shared/metrics/interval.ts';
import type { ScriptInterval } from '../../../shared/metrics/script-interval.ts';
import { type ScriptSummary, summarizeScript } from '../../../shared/metrics/script-summary.ts';
import { decodeScript, ScriptTotals } from '../../../shared/metrics/script-totals.ts';
import { measureScript } from '../../../shared/metrics/script-value.ts';
import { summarize, timelineRows } from '../../../shared/metrics/summary.ts';
import { TimelineBuilder } from '../../../shared/metrics/timeline.ts';
import { RELATIVE_ERROR } from '../../../shared/metrics/value-histogram.ts';
import { type ScriptSample, scriptOf, times } from '../../support/scripts.ts';

interface Part {
  shard: string;
  second: number;
  script: ScriptInterval;
}

function totalsOf(parts: readonly Part[]): ScriptTotals {
  const totals = new ScriptTotals();
  for (const { shard, second, script } of parts)
    totals.add(shard, second, decodeScript(intervalOf(second, script))!);
  return totals;
}

function intervalOf(second: number, script: ScriptInterval): Interval {
  return { second, inFlight: 0, phases: {}, firstErrors: [], ...emptyCounts(), script };
}

const summaryOf = (parts: readonly Part[]): ScriptSummary => summarizeScript(totalsOf(parts), 4e6);

describe('merging', () => {
  const value = fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: 0, max: 1000 }));
  const sample: fc.Arbitrary<ScriptSample> = fc.oneof(
    fc.record({
      metric: fc.constantFrom('counted', 'c{name:a}'),
      type: fc.constant('counter' as const),
      value,
    }),
    fc.record({
      metric: fc.constant('rated'),
      type: fc.constant('rate' as const),
      value: fc.constantFrom(0, 1),
    }),
    fc.record({ metric: fc.constant('trended'), type: fc.constant('trend' as const), value }),
    fc.record({
      metric: fc.constant('gauged'),
      type: fc.constant('gauge' as const),
      value,
      atUs: fc.integer({ min: 0, max: 5 }),
    }),
  );
  const count = fc.nat(50);
  const part: fc.Arbitrary<Part> = fc.record({
    shard: fc.constantFrom('a', 'b', 'c'),
    second: fc.nat(3),
    script: fc
      .tuple(
        fc.array(sample, { maxLength: 12 }),
        fc.record({
          iterations: count,
          thrownIterations: count,
          droppedIterations: count,
          vus: count,
          vusMax: count,
        }),
        fc.dictionary(
          fc.constantFrom('::ok', '::g::ok', '::g::h::ok'),
          fc.record({ passes: count, fails: count }),
        ),
      )
      .map(([samples, counts, checks]) => scriptOf(samples, { ...counts, checks })),
  });

  test('parts in any order come to the same, to the last bit', () => {
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }),
        fc.infiniteStream(fc.double({ noNaN: true })),
        (parts, keys) => {
          const shuffled = parts
            .map((part) => ({ part, key: keys.next().value! }))
            .sort((a, b) => a.key - b.key)
            .map(({ part }) => part);
          assert.deepEqual(summaryOf(shuffled), summaryOf(parts));
          assert.deepEqual(totalsOf(shuffled).rows(), totalsOf(parts).rows());
        },
      ),
    );
  });

  test('parts come to the same as one shard that had all of their samples in a second', () => {
    fc.assert(
      fc.property(fc.array(fc.array(sample, { maxLength: 12 }), { minLength: 1, maxLength: 6 }), (lists) => {
        const parts = lists.map((samples, i) => ({ shard: `s${i}`, second: 0, script: scriptOf(samples) }));
        // Of gauges set at one time the greater one counts; that is a rule for shards, not for samples.
        const once = lists.flat().filter(({ type }) => type !== 'gauge');
        const whole = summaryOf([{ shard: 's0', second: 0, script: scriptOf(once) }]);
        const merged = summaryOf(parts);
        for (const [name, metric] of Object.entries(whole.metrics)) {
          const other = merged.metrics[name]!;
          if (name.startsWith('vus')) continue;
          assert.deepEqual(withoutSums(other), withoutSums(metric), name);
        }
      }),
    );
  });

  /** Sums of floats: within their rounding. */
  function withoutSums(metric: ScriptSummary['metrics'][string]): object {
    if (metric.type === 'trend')
      return { ...metric, mean: metric.mean.toPrecision(6) === '0' ? 0 : Math.round(metric.mean) };
    if (metric.type !== 'counter') return metric;
    return { ...metric, count: Math.round(metric.count), rate: 0 };
  }

  test('what cannot be merged changes nothing', () => {
    const timeline = new TimelineBuilder();
    timeline.add('a', 0, intervalOf(0, scriptOf([{ metric: 'm', type: 'counter', value: 1 }])));
    const before = summarize(timeline, 1e6);
    const one = new Histogram();
    one.record(5);
    const latency = encodeHistogram(one.snapshot());
    const broken = scriptOf(times('t', [1, 2, 3]));
    (broken.metrics.t as { values: { count: number } }).values.count = 4;
    for (const script of [scriptOf([{ metric: 'm', type: 'rate', value: 1 }]), broken]) {
      const interval = { ...intervalOf(1, script), phases: { latency } };
      assert.throws(() => timeline.add('a', 1, interval), { code: 'JOURNAL_CORRUPT' });
      assert.deepEqual(summarize(timeline, 1e6), before);
    }
  });
});

describe('the summary', () => {
  const vus = (shard: string, second: number, vus: number, more: Partial<ScriptInterval> = {}): Part => ({
    shard,
    second,
    script: scriptOf([], { vus, vusMax: 10, ...more }),
  });

  test('VUs are summed over the shards at every second, and what only some of them say of both ends is not the lowest', () => {
    const parts = [vus('a', 0, 5), vus('b', 0, 4), vus('a', 1, 6), vus('b', 1, 3), vus('b', 2, 3)];
    const { vus: most, metrics } = summaryOf(parts);
    assert.deepEqual(most, { max: 9, allocated: 20 });
    assert.deepEqual(metrics.vus, { type: 'gauge', contains: 'default', value: 9, min: 9, max: 9 });
    assert.deepEqual(
      totalsOf(parts)
        .rows()
        .map((row) => row.vus),
      [9, 9, 3],
    );
  });

  test('what comes late of a second counts, but not its VUs once more', () => {
    const late = vus('a', 0, 5, { iterations: 2 });
    assert.deepEqual(totalsOf([vus('a', 0, 5, { iterations: 7 }), late]).rows()[0], {
      iterations: 9,
      droppedIterations: 0,
      checksFailed: 0,
      vus: 5,
      vusMax: 10,
      shards: 1,
    });
  });

  test('checks are told apart by their group; groups have the sums of their own', () => {
    const checks = {
      '::ok': { passes: 3, fails: 1 },
      '::login::ok': { passes: 1, fails: 0 },
      '::login::in::ok': { passes: 0, fails: 2 },
    };
    const duration = times('group_duration{group:::login}', [10, 30]);
    const summary = summaryOf([{ shard: 'a', second: 0, script: scriptOf(duration, { checks }) }]);
    assert.deepEqual(
      summary.checks.map(({ group, name, passes, fails, rate }) => [group, name, passes, fails, rate]),
      [
        ['', 'ok', 3, 1, 0.75],
        ['::login', 'ok', 1, 0, 1],
        ['::login::in', 'ok', 0, 2, 0],
      ],
    );
    assert.deepEqual(
      summary.groups.map(({ path, checks, duration }) => [path, checks, duration?.mean]),
      [
        ['::login', { passes: 1, fails: 0 }, 20],
        ['::login::in', { passes: 0, fails: 2 }, undefined],
      ],
    );
  });

  test('every metric is described by its type; a trend states its error', () => {
    const samples: ScriptSample[] = [
      { metric: 'data', type: 'counter', value: 8192, contains: 'data' },
      { metric: 'fine', type: 'rate', value: 1 },
      { metric: 'fine', type: 'rate', value: 0 },
      { metric: 'level', type: 'gauge', value: 7, atUs: 10 },
      { metric: 'level', type: 'gauge', value: 3, atUs: 20 },
      ...times('wait', [10, 20, 30, 40]),
    ];
    const { metrics } = summaryOf([{ shard: 'a', second: 0, script: scriptOf(samples) }]);
    const { p50, p90, p95, p99, ...rest } = metrics.wait as Extract<typeof metrics.wait, { type: 'trend' }>;
    assert.deepEqual(
      [metrics.data, metrics.fine, metrics.level, rest],
      [
        { type: 'counter', contains: 'data', count: 8192, rate: 2048 },
        { type: 'rate', contains: 'default', passes: 1, fails: 1, rate: 0.5 },
        { type: 'gauge', contains: 'default', value: 3, min: 3, max: 7 },
        { type: 'trend', contains: 'time', count: 4, min: 10, mean: 25, max: 40, error: RELATIVE_ERROR },
      ],
    );
    for (const [told, exact] of [
      [p50, 25],
      [p90, 37],
      [p95, 38.5],
      [p99, 39.7],
    ] as const)
      assert.ok(Math.abs(told - exact) <= exact * RELATIVE_ERROR * 1.01, `${told} for ${exact}`);
  });

  test('an error that a part states beyond its histogram is the error of the whole', () => {
    const coarse = scriptOf(times('wait', [1]));
    Object.assign(coarse.metrics.wait!, { relativeError: 0.02 });
    const parts = [coarse, scriptOf(times('wait', [2]))].map((script, i) => ({
      shard: `${i}`,
      second: 0,
      script,
    }));
    assert.equal((summaryOf(parts).metrics.wait as { error: number }).error, 0.02);
  });

  test('the timeline has what the script did in each second', () => {
    const timeline = new TimelineBuilder();
    const script = scriptOf([], { vus: 3, iterations: 4, checks: { '::ok': { passes: 1, fails: 2 } } });
    timeline.add('a', 0, intervalOf(0, script));
    timeline.add('a', 1, intervalOf(2, script));
    assert.deepEqual(
      timelineRows(timeline).map(({ script }) => script),
      [0, 1, 2].map((second) =>
        second === 1
          ? undefined
          : { iterations: 4, droppedIterations: 0, checksFailed: 2, vus: 3, vusMax: 1 },
      ),
    );
    assert.equal(summarize(timeline, 3e6).script?.iterations, 8);
  });
});

describe('what a threshold is held against', () => {
  const samples: ScriptSample[] = [
    { metric: 'counted', type: 'counter', value: 8 },
    { metric: 'rated', type: 'rate', value: 1 },
    { metric: 'level', type: 'gauge', value: 3, atUs: 20 },
    ...times('wait{name:a,ok:yes}', [10, 20, 30]),
  ];
  const totals = totalsOf([{ shard: 'a', second: 0, script: scriptOf(samples, { iterations: 2 }) }]);
  const value = (name: string, method: 'count' | 'rate' | 'value' | 'avg' | 'max' | 'med') =>
    measureScript(totals, name, { method }, 4e6);
  const rows: [sentence: string, told: number | undefined, expected: number | undefined][] = [
    ['the count of a counter', value('counted', 'count'), 8],
    ['its rate, a second', value('counted', 'rate'), 2],
    ['the share of a rate', value('rated', 'rate'), 1],
    ['the last value of a gauge', value('level', 'value'), 3],
    ['the mean of a trend', value('wait{name:a,ok:yes}', 'avg'), 20],
    ['the same by a name with its tags in another order', value('wait{ ok: yes, name:"a" }', 'max'), 30],
    ['the sum of the VUs', value('vus', 'value'), 1],
    ['a counter that was never added to is 0', value('never', 'count'), 0],
    ['a trend without a value has no median', value('never', 'med'), undefined],
    ['nobody knows whether what never came was a rate', value('never', 'rate'), undefined],
    ['a quantile', measureScript(totals, 'wait{name:a,ok:yes}', { method: 'p', percent: 100 }, 4e6), 30],
  ];
  for (const [sentence, told, expected] of rows) test(sentence, () => assert.equal(told, expected));

  test('a script that threw in every iteration and sent nothing has no data at all', () => {
    const script = scriptOf(samples, { iterations: 5, thrownIterations: 5 });
    const thrown = totalsOf([{ shard: 'a', second: 0, script }]);
    assert.equal(measureScript(thrown, 'counted', { method: 'count' }, 1e6), undefined);
    assert.equal(measureScript(thrown, 'never', { method: 'count' }, 1e6), undefined);
  });
});
