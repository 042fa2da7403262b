import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { HistogramLogReader, listTags } from 'hdr-histogram-js';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { formatHlog } from '../../../coordinator/report/hlog.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { Histogram } from '../../../shared/metrics/histogram.ts';
import { decodeV2 } from '../../../shared/metrics/histogram-codec.ts';
import { hostileRun } from './hostile-fixture.ts';
import { closedRun, lostRun, START_US, sweepRun } from './journal-fixture.ts';
import { inRepository } from './repository.ts';

interface ReadInterval {
  tag: string;
  /** ms since the epoch. */
  from: number;
  to: number;
  count: number;
  p50: number;
  max: number;
}

function readBack(log: string): ReadInterval[] {
  const reader = new HistogramLogReader(log, 'packed');
  const intervals: ReadInterval[] = [];
  for (let one = reader.nextIntervalHistogram(); one !== null; one = reader.nextIntervalHistogram()) {
    intervals.push({
      tag: one.tag ?? '',
      from: Math.round(one.startTimeStampMsec),
      to: Math.round(one.endTimeStampMsec),
      count: one.totalCount,
      p50: one.getValueAtPercentile(50),
      max: one.maxValue,
    });
  }
  return intervals;
}

async function logOf(records: JournalRecord[], secondHistograms = true): Promise<string> {
  return formatHlog(await buildReport(records, { secondHistograms }));
}

for (const [name, records] of [
  ['closed', closedRun()],
  ['lost', lostRun()],
  ['sweep', sweepRun()],
] as const) {
  test(`${name}: hdr-histogram-js reads a line a second and trial, and what it reads is the timeline`, async () => {
    const { trials } = await buildReport(records);
    const rows = trials.flatMap(({ timeline }) => timeline);
    const intervals = readBack(await logOf(records));
    assert.deepEqual(
      intervals.map(({ count, p50 }) => [count, count === 0 ? undefined : p50]),
      rows.map(({ requests, p50 }) => [requests, p50]),
    );
    for (const { count, max } of intervals) if (count > 0) assert.ok(max >= 1_000 && max < 25_000);
  });
}

test('lines begin at the trial’s start instant and end with its load', async () => {
  const start = START_US / 1000 + 500;
  assert.deepEqual(
    readBack(await logOf(closedRun())).map(({ from, to }) => [from - start, to - start]),
    [
      [0, 1000],
      [1000, 2000],
      [2000, 2346],
    ],
  );
});

test('a report without histograms by the second has a line a trial', async () => {
  const { trials } = await buildReport(closedRun());
  const [only, ...others] = readBack(await logOf(closedRun(), false));
  assert.deepEqual(others, []);
  const { requests, latency } = trials[0]!.summary;
  assert.deepEqual([only!.count, only!.p50], [requests, latency.p50]);
});

test('each trial of several has a tag of its own, without what a tag may not hold', async () => {
  const tags = listTags(await logOf(sweepRun()));
  assert.equal(new Set(tags).size, 20);
  assert.equal(tags[0], 'target=httpd;size=4KiB;round=1');
  const hostile = await logOf(hostileRun());
  assert.equal(listTags(hostile).length, 2);
  for (const line of hostile.split('\n').filter((line) => line.startsWith('Tag='))) {
    assert.match(line, /^Tag=[^\s,]+,[\d.]+,[\d.]+,[\d.]+,HIST[\w+/=]+$/);
  }
});

test('the only trial has no tag, so that tools read it unasked', async () => {
  assert.deepEqual(listTags(await logOf(closedRun())), ['NO TAG']);
});

test('what HdrHistogram’s Java writer wrote is, place by place, what we record of the same values', () => {
  const log = readFileSync(inRepository('test/coordinator/report/hlog-recorded/java.hlog'), 'utf8');
  const lines = log.split('\n').filter((line) => line.startsWith('Tag='));
  assert.equal(lines.length, 6);
  for (const line of lines) {
    const [tag, from, , , payload] = line.split(',');
    const second = Number(from);
    const factor = tag === 'Tag=a' ? 1 : 2;
    const ours = new Histogram();
    for (let i = 0; i < 500; i++) ours.record(1 + ((i * i * factor * (second + 1) * 7919) % 3_000_000));
    if (second === 2 && factor === 2) ours.record(3_600_000_000);
    const { indexes, counts } = ours.snapshot();
    const read = decodeV2(payload!);
    assert.deepEqual({ indexes: [...read.indexes], counts: [...read.counts] }, { indexes, counts });
  }
});
