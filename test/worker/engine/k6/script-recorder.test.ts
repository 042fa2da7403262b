import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeHistogram } from '../../../../shared/metrics/histogram-codec.ts';
import { addCounts, emptyCounts, type Interval } from '../../../../shared/metrics/interval.ts';
import type { MetricPart } from '../../../../shared/metrics/script-interval.ts';
import { CsvRows } from '../../../../worker/engine/k6/csv-rows.ts';
import { KNOWN_METRICS, type MetricKind } from '../../../../worker/engine/k6/known-metrics.ts';
import { SampleTags } from '../../../../worker/engine/k6/sample-tags.ts';
import { ScriptRecorder, type ScriptRecorderOptions } from '../../../../worker/engine/k6/script-recorder.ts';
import { RECORDINGS, recordedCsv, recordedSamples } from './recording.ts';

const CUSTOM: [string, MetricKind][] = [
  ['page_wait', { type: 'trend', contains: 'time' }],
  ['page_size', { type: 'trend', contains: 'default' }],
  ['logins', { type: 'counter', contains: 'default' }],
  ['open_carts', { type: 'gauge', contains: 'default' }],
  ['fresh', { type: 'rate', contains: 'default' }],
];

function recorderFor(options: Partial<ScriptRecorderOptions> = {}): {
  recorder: ScriptRecorder;
  intervals: Interval[];
} {
  const intervals: Interval[] = [];
  const recorder: ScriptRecorder = new ScriptRecorder({
    submetrics: [],
    severalScenarios: true,
    onInterval: (interval) => intervals.push(interval),
    onUnknown: () => recorder.learn(new Map(CUSTOM)),
    ...options,
  });
  return { recorder, intervals };
}

function countsOf(intervals: readonly Interval[]) {
  const counts = emptyCounts();
  for (const interval of intervals) addCounts(counts, interval);
  return counts;
}

function partsOf(intervals: readonly Interval[], metric: string): MetricPart[] {
  return intervals.flatMap(({ script }) => script?.metrics[metric] ?? []);
}

const plain = (tags: Record<string, string> = {}): SampleTags =>
  new SampleTags(new Map(Object.entries(tags)));

describe('what k6 wrote', () => {
  for (const recording of RECORDINGS) {
    const truth = recordedSamples(recording);
    const of = (metric: string) => truth.filter((sample) => sample.metric === metric);
    const start =
      Math.min(...truth.filter(({ tags }) => tags.scenario !== undefined).map(({ timeUs }) => timeUs)) -
      40_000;
    const submetrics = ['http_req_duration{kind:page,zone:a b}', 'checks{group:::log in, then "look"}'];
    const { recorder, intervals } = recorderFor({ submetrics });
    const rows = new CsvRows((metric, timeUs, value, tags) => recorder.sample(metric, timeUs, value, tags));
    recorder.begin(-start);
    rows.push(recordedCsv(recording));
    recorder.closeSeconds();
    recorder.learn(new Map(CUSTOM));
    const unknown = recorder.end();
    const counts = countsOf(intervals);

    test(`of ${recording}: requests, as k6 counts them, with those of setup() and teardown()`, () => {
      const requests = of('http_reqs');
      assert.equal(counts.started, requests.length);
      assert.equal(counts.completed, requests.filter(({ tags }) => tags.expected_response === 'true').length);
      assert.deepEqual(counts.errors, { status: 4, 'connect-refused': 4 });
      assert.deepEqual(counts.status, { 200: 8, 404: 4 });
      const sum = (metric: string): number => of(metric).reduce((total, { value }) => total + value, 0);
      assert.equal(counts.bytesReceived, sum('data_received'));
      assert.equal(counts.bytesSent, sum('data_sent'));
      assert.equal(
        counts.connectionsOpened,
        of('http_req_connecting').filter(({ value }) => value > 0).length,
      );
    });

    test(`of ${recording}: latency is that of completed requests, in µs`, () => {
      const latencies = intervals.flatMap(({ phases }) =>
        phases.latency === undefined ? [] : [decodeHistogram(phases.latency)],
      );
      const durations = of('http_req_duration').filter(({ tags }) => tags.expected_response === 'true');
      assert.equal(
        latencies.reduce((total, { count }) => total + count, 0),
        durations.length,
      );
      assert.equal(
        Math.max(...latencies.map(({ max }) => max)),
        Math.round(Math.max(...durations.map(({ value }) => value)) * 1_000),
      );
    });

    test(`of ${recording}: the first error of each class, in words`, () => {
      const errors = intervals.flatMap(({ firstErrors }) => firstErrors);
      assert.deepEqual(errors.map(({ class: name, message }) => [name, message]).sort(), [
        ['connect-refused', 'dial: connection refused ( héllo )'],
        ['status', 'HTTP 404 (line one\nline two)'],
      ]);
    });

    test(`of ${recording}: checks by group and name`, () => {
      const checks = intervals.flatMap(({ script }) => Object.entries(script!.checks));
      const sums: Record<string, [number, number]> = {};
      for (const [key, { passes, fails }] of checks)
        sums[key] = [(sums[key]?.[0] ?? 0) + passes, (sums[key]?.[1] ?? 0) + fails];
      assert.deepEqual(sums, {
        '::log in, then "look"::status is 200, "ok"': [6, 0],
        '::log in, then "look"::is large': [0, 6],
      });
    });

    test(`of ${recording}: metrics of each type; those that a threshold asks for, and by scenario and group`, () => {
      assert.deepEqual(unknown, []);
      const trend = (metric: string): number =>
        partsOf(intervals, metric).reduce(
          (n, part) => n + (part.type === 'trend' ? part.values.count : Number.NaN),
          0,
        );
      assert.equal(trend('http_req_duration'), of('http_req_duration').length);
      assert.equal(trend('page_wait'), 6);
      assert.equal(trend('http_req_duration{kind:page,zone:a b}'), 6);
      assert.equal(trend('http_req_duration{scenario:buy}'), 8);
      assert.equal(trend('http_req_duration{group:::log in, then "look"}'), 6);
      const first = (metric: string) => partsOf(intervals, metric)[0];
      assert.deepEqual(first('logins'), { type: 'counter', contains: 'default', sum: 6 });
      assert.deepEqual(first('fresh'), { type: 'rate', passes: 2, total: 4 });
      assert.deepEqual(first('checks{group:::log in, then "look"}'), { type: 'rate', passes: 6, total: 12 });
      const gauge = first('open_carts');
      assert.ok(
        gauge?.type === 'gauge' &&
          gauge.min === 0 &&
          gauge.max === Math.max(...of('open_carts').map(({ value }) => value)),
      );
    });

    test(`of ${recording}: what is streamed is summed apart from the intervals`, () => {
      assert.equal(recorder.totals.requests, counts.started);
      assert.equal(recorder.totals.judged, counts.started);
      assert.equal(recorder.totals.counters.get('logins'), 6);
      assert.equal(recorder.totals.counters.get('iterations'), 10);
      assert.equal(recorder.completed + recorder.failed, counts.started);
    });
  }
});

describe('seconds', () => {
  const at = (seconds: number): number => seconds * 1e6;

  test('one is handed on when a sample has come that is half a second later than its end', () => {
    const { recorder, intervals } = recorderFor();
    recorder.begin(0);
    for (const [seconds, closed] of [
      [0.2, 0],
      [1.4, 0],
      [1.6, 1],
      [4.4, 3],
    ] as const) {
      recorder.sample('iterations', at(seconds), 1, plain());
      recorder.closeSeconds();
      assert.equal(intervals.length, closed, `after ${seconds} s`);
    }
    assert.deepEqual(
      intervals.map(({ second, script }) => [second, script!.iterations]),
      [
        [0, 1],
        [1, 2],
        [2, 0],
      ],
    );
  });

  test('what comes for one that was handed on goes into an interval of its own', () => {
    const { recorder, intervals } = recorderFor();
    recorder.begin(0);
    recorder.hadVus(0, 5, 10);
    for (const seconds of [0.5, 2.5, 0.7]) {
      recorder.sample('iterations', at(seconds), 1, plain());
      recorder.closeSeconds();
    }
    recorder.end();
    assert.equal(recorder.late, 1);
    const ofFirst = intervals
      .filter(({ second }) => second === 0)
      .map(({ script }) => [script!.iterations, script!.vus]);
    assert.deepEqual(ofFirst, [
      [1, 5],
      [1, 0],
    ]);
  });

  test('what came before the start is the first one’s, but not the VUs that wait for it', () => {
    const { recorder, intervals } = recorderFor();
    recorder.sample('vus', at(100), 0, plain());
    recorder.sample('data_sent', at(100), 7, plain({ group: '::setup' }));
    recorder.begin(-at(100.5));
    recorder.sample('vus', at(101), 3, plain());
    recorder.end();
    assert.deepEqual(
      intervals.map(({ second, bytesSent }) => [second, bytesSent]),
      [[0, 7]],
    );
    assert.deepEqual(partsOf(intervals, 'vus'), [
      { type: 'gauge', contains: 'default', last: 3, atUs: 500_000, min: 3, max: 3 },
    ]);
  });

  test('one with a metric of unknown type waits until somebody says what it is', () => {
    const { recorder, intervals } = recorderFor({
      onUnknown: (metrics) => assert.deepEqual(metrics, ['fresh']),
    });
    recorder.begin(0);
    recorder.sample('fresh', at(0.1), 1, plain());
    recorder.sample('iterations', at(3), 1, plain());
    recorder.closeSeconds();
    assert.equal(intervals.length, 0);
    recorder.learn(new Map(CUSTOM));
    recorder.closeSeconds();
    assert.deepEqual(partsOf(intervals, 'fresh'), [{ type: 'rate', passes: 1, total: 1 }]);
  });

  test('after the end of the load k6 still tells of its VUs; nobody hears it', () => {
    const { recorder, intervals } = recorderFor();
    recorder.begin(0);
    recorder.sample('iterations', at(0.5), 1, plain());
    recorder.loadEndUs = at(0.6);
    recorder.sample('vus', at(5), 0, plain());
    recorder.end();
    assert.deepEqual(
      intervals.map(({ second }) => second),
      [0],
    );
  });
});

test('names and groups without end do not fill the memory, and are counted all the same', () => {
  const { recorder, intervals } = recorderFor();
  recorder.begin(0);
  for (let i = 0; i < 1_000; i++) {
    const tags = plain({
      name: `page ${i}`,
      group: `::group ${i}`,
      status: '200',
      expected_response: 'true',
    });
    recorder.sample('http_reqs', 1_000 + i, 1, tags);
    recorder.sample('http_req_duration', 1_000 + i, 1.5, tags);
  }
  recorder.end();
  const [interval] = intervals;
  assert.equal(Object.keys(interval!.byRequest!).length, 201);
  const named = Object.values(interval!.byRequest!).reduce((sum, { completed }) => sum + completed, 0);
  assert.equal(named, 1_000);
  assert.equal(
    Object.keys(interval!.script!.metrics).filter((name) => name.startsWith('http_reqs{')).length,
    100,
  );
  assert.ok(recorder.namesAreLeftOut && recorder.series.groupsLeftOut.size > 0);
});

test('k6’s own metrics are known without asking', () => {
  assert.deepEqual(KNOWN_METRICS.get('http_req_duration'), { type: 'trend', contains: 'time' });
  assert.deepEqual(KNOWN_METRICS.get('data_received'), { type: 'counter', contains: 'data' });
});
