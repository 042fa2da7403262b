/** A trial of several requests in the report: by name in JSON and text, and thresholds of one name. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { JournalRecord, ThresholdSpec } from '../../../coordinator/journal-records.ts';
import { formatCsv } from '../../../coordinator/report/csv.ts';
import { formatJunit } from '../../../coordinator/report/junit.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import type { Report } from '../../../coordinator/report/schema.ts';
import { formatText } from '../../../coordinator/report/text.ts';
import { thresholdFacts } from '../../../coordinator/report/threshold-facts.ts';
import { Histogram } from '../../../shared/metrics/histogram.ts';
import { encodeHistogram } from '../../../shared/metrics/histogram-codec.ts';
import {
  CLOSED,
  runEnded,
  runRecord,
  samples,
  sweepRun,
  trialPlan,
  trialRecords,
} from './journal-fixture.ts';

function latency(...values: number[]) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return encodeHistogram(histogram.snapshot());
}

const threshold = (that: string, request?: string): ThresholdSpec => ({
  that,
  abort: false,
  afterUs: 0,
  ...(request !== undefined && { request }),
});

async function report(thresholds: ThresholdSpec[] = [], rows?: number): Promise<Report> {
  const plan = trialPlan(0, CLOSED);
  const [request] = plan.requests;
  plan.requests = ['home', 'login', 'idle'].map((name, i) => ({ ...request!, name, weight: 3 - i }));
  if (rows !== undefined) plan.data = { columns: ['user', 'token'], count: rows, rows: [] };
  const records: JournalRecord[] = trialRecords(plan, [
    { worker: 'w1', connections: 4, seconds: [samples(6, 4), samples(2)] },
  ]);
  const intervals = records.flatMap((record) => (record.type === 'interval' ? [record.interval] : []));
  intervals[0]!.byRequest = {
    login: { completed: 2, failed: 1, errors: { status: 1 }, latency: latency(40_000, 60_000) },
    home: { completed: 4, failed: 0, errors: {}, latency: latency(1_000, 2_000, 2_000, 3_000) },
  };
  intervals[1]!.byRequest = { home: { completed: 2, failed: 0, errors: {}, latency: latency(1_000, 2_000) } };
  return buildReport([runRecord([plan], { thresholds }), ...records, runEnded()]);
}

describe('several requests in the report', () => {
  test('summary.byRequest has counts, rates and latency of each name', async () => {
    const { summary, requests } = (await report()).trials[0]!;
    assert.deepEqual(
      requests.map(({ name, weight }) => [name, weight]),
      [
        ['home', 3],
        ['login', 2],
        ['idle', 1],
      ],
    );
    const { home, login, idle } = summary.byRequest!;
    assert.equal(home!.requests, 6);
    assert.equal(home!.requestRate, 6 / (summary.durationUs / 1e6));
    assert.deepEqual([home!.latency.min, home!.latency.max], [1_000, 3_000]);
    assert.deepEqual(login!.errors, { total: 1, byClass: { status: 1 } });
    assert.equal(idle, undefined);
  });

  test('the text has a row a name, in the order of the scenario, also for those that never finished', async () => {
    const lines = formatText(await report()).split('\n');
    const at = lines.findIndex((line) => line.startsWith('By request'));
    assert.match(lines[at]!, /^By request +completed +rate +mean +p50 +p99 +errors$/);
    assert.match(lines[at + 1]!, /^home +6 +[\d.]+\/s .*none$/);
    assert.match(lines[at + 2]!, /^login +2 +[\d.]+\/s .*status: 1$/);
    assert.match(lines[at + 3]!, /^idle +0 +0\/s +none$/);
    assert.ok(lines.some((line) => line.includes('3 requests at http://10.0.0.5:8080 (target)')));
  });

  const JUDGED: [that: string, request: string | undefined, value: number | undefined, passed: boolean][] = [
    ['p(99) < 10ms', 'home', 3_000, true],
    ['p(99) < 10ms', 'login', 60_000, false],
    ['errors == 0', 'home', 0, true],
    ['errors < 30%', 'login', undefined, false],
    ['requests >= 6', 'home', 6, true],
    ['max < 50ms', 'idle', undefined, false],
  ];
  for (const [that, request, value, passed] of JUDGED) {
    test(`${that} of ${request}: ${passed ? 'passed' : 'crossed'}`, async () => {
      const [judged] = (await report([threshold(that, request)])).thresholds;
      assert.equal(judged!.request, request);
      assert.equal(judged!.passed, passed);
      if (value !== undefined) assert.ok(Math.abs(judged!.value! - value) <= value / 1000);
    });
  }

  test('the text says of which request a threshold is', async () => {
    const text = formatText(await report([threshold('p(99) < 10ms', 'login'), threshold('p(99) < 10ms')]));
    assert.match(text, /CROSSED {8}p\(99\) < 10ms \(login\): measured/);
    assert.match(text, /p\(99\) < 10ms: measured/);
  });

  test('rows are counted, and fewer than connections are remarked on', async () => {
    const few = await report([], 2);
    assert.deepEqual(few.trials[0]!.data, { rows: 2, columns: ['user', 'token'] });
    assert.match(formatText(few), /Data {11}2 rows \(user, token\)\n +WARNING: fewer than \d+ connections/);
    assert.doesNotMatch(formatText(await report([], 1000)), /WARNING: fewer/);
    assert.doesNotMatch(formatText(await report()), /^Data/m);
  });
});

describe('with --detail, csv has a row a trial and name', () => {
  const rowsOf = async (of: Report): Promise<Record<string, string>[]> =>
    parse(formatCsv(of, { detail: true }), { columns: true });

  test('in the scenario’s order, also of what never finished', async () => {
    const of = await report();
    const rows = await rowsOf(of);
    assert.deepEqual(
      rows.map((row) => [
        row.trial,
        row.request,
        row.requests_completed,
        row.requests_failed,
        row.errors_status,
      ]),
      [
        ['0', 'home', '6', '0', '0'],
        ['0', 'login', '2', '1', '1'],
        ['0', 'idle', '0', '0', '0'],
      ],
    );
    const { home } = of.trials[0]!.summary.byRequest!;
    assert.equal(Number(rows[0]!.request_rate_per_s), home!.requestRate);
    assert.equal(Number(rows[0]!.latency_mean_us), home!.latency.mean);
    assert.deepEqual(
      [rows[0]!.latency_p99_us, rows[2]!.latency_mean_us, rows[2]!.latency_count],
      ['', '', '0'],
    );
  });

  test('one of a trial whose requests have one name, with the numbers of the whole', async () => {
    const whole = await buildReport(sweepRun());
    const rows = await rowsOf(whole);
    assert.equal(rows.length, whole.trials.length);
    assert.deepEqual(
      rows.map((row) => Number(row.requests_completed)),
      whole.trials.map(({ summary }) => summary.requests),
    );
  });
});

describe('a threshold on a quantile of too few requests', () => {
  test('is judged on what there is, and says that this is no proof', async () => {
    const [judged] = (await report([threshold('p(99) < 1s')])).thresholds;
    assert.deepEqual(
      [judged!.passed, judged!.tooFew, thresholdFacts([judged!])[0]![0]],
      [true, { requests: 8, needed: 368 }, 'TOO FEW'],
    );
    assert.match(
      thresholdFacts([judged!])[0]![1],
      /measured [\d.]+ ms, but of 8 requests: to know it takes 368$/,
    );
  });

  test('is still crossed when what there is crosses it', async () => {
    const [judged] = (await report([threshold('p(99) < 1us')])).thresholds;
    assert.deepEqual([judged!.passed, thresholdFacts([judged!])[0]![0]], [false, 'CROSSED']);
  });

  test('counts the requests of its name', async () => {
    const [judged] = (await report([threshold('p(50) < 1s', 'home')])).thresholds;
    assert.deepEqual(judged!.tooFew, undefined);
    const [login] = (await report([threshold('p(50) < 1s', 'login')])).thresholds;
    assert.deepEqual(login!.tooFew, { requests: 2, needed: 6 });
  });

  test('without a request is no data, which is no pass', async () => {
    const [judged] = (await report([threshold('p(99) < 1s', 'idle')])).thresholds;
    assert.deepEqual([judged!.passed, judged!.value, judged!.tooFew], [false, undefined, undefined]);
  });

  test('has its place in junit', async () => {
    const xml = formatJunit(await report([threshold('p(99) < 1s')]));
    assert.match(xml, /<system-out>all, p\(99\) &lt; 1s: measured .* to know it takes 368<\/system-out>/);
  });
});
