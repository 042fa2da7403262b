/** A report takes room for what it shows, not for what it is made from: a sweep's journal has hundreds of megabytes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { JournalWriter } from '../../../coordinator/journal.ts';
import type { JournalRecord, ShardRecord } from '../../../coordinator/journal-records.ts';
import { Histogram } from '../../../shared/metrics/histogram.ts';
import { type EncodedHistogram, encodeHistogram } from '../../../shared/metrics/histogram-codec.ts';
import { emptyCounts, type Interval } from '../../../shared/metrics/interval.ts';
import { temporaryDirectory } from '../../support/lab.ts';
import { CLOSED, runEnded, runRecord, START_US, trialPlan } from './journal-fixture.ts';

const CELLS = 200;
const ROUNDS = 5;
const SECONDS = 4;
const WORKERS = 2;
/** Of a histogram, in one second of one shard. */
const DIFFERENT_VALUES = 500;
/** Of the whole process; Node.js itself takes about 50 of them. When every interval was kept to the end it was 280. */
const MOST_MB = 190;
/** Those that need ever more of a trial, and of how many trials they show latencies by the second; of the first all do. */
const FORMATS: readonly [format: string, trials: number][] = [
  ['csv', 1],
  ['json', CELLS * ROUNDS],
];

const REPORT = `
  import { readJournal } from '${new URL('../../../coordinator/journal-file.js', import.meta.url)}';
  import { buildReport } from '${new URL('../../../coordinator/report/model.js', import.meta.url)}';
  import { optionsFor, piecesFor } from '${new URL('../../../coordinator/report/formats.js', import.meta.url)}';
  const report = await buildReport(readJournal(process.argv[1]), optionsFor(process.argv[2]));
  const bySecond = report.trials.filter(({ timeline }) => timeline.every(({ p99 }) => p99 !== undefined)).length;
  let characters = 0;
  for (const piece of piecesFor(process.argv[2])(report)) characters += piece.length;
  const mostMb = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(JSON.stringify({ trials: report.trials.length, bySecond, characters, mostMb }));
`;

function histogram(seed: number): EncodedHistogram {
  const all = new Histogram();
  for (let i = 0; i < DIFFERENT_VALUES; i++) all.record(300 + seed + i * 3);
  return encodeHistogram(all.snapshot());
}

function* journal(): Generator<JournalRecord> {
  const load = { ...CLOSED, durationUs: SECONDS * 1e6 };
  const trials = Array.from({ length: CELLS * ROUNDS }, (_, i) =>
    trialPlan(i, load, { size: i % CELLS }, Math.floor(i / CELLS) + 1),
  );
  yield runRecord(trials, { cells: trials.slice(0, CELLS).map(({ cell }) => cell) });
  const histograms = Array.from({ length: 16 }, (_, seed) => histogram(seed));
  for (const { index: trial } of trials) {
    const shards = Array.from({ length: WORKERS }, (_, index): ShardRecord => {
      const worker = `w${index}`;
      const clock = { clockOffsetUs: 0, clockUncertaintyUs: 50 };
      return {
        shard: `r1/${trial}/${index}`,
        index,
        worker,
        hostname: worker,
        connections: 1,
        threads: 1,
        ...clock,
      };
    });
    yield { type: 'trial-started', trial, startUs: START_US, shards };
    for (let seq = 0; seq < SECONDS; seq++) {
      for (const { shard, index } of shards) {
        const latency = histograms[(trial + seq + index) % histograms.length]!;
        const firstByte = histograms[(trial + seq + index + 1) % histograms.length]!;
        const done = {
          ...emptyCounts(),
          started: DIFFERENT_VALUES,
          completed: DIFFERENT_VALUES,
          status: { 200: DIFFERENT_VALUES },
        };
        const interval: Interval = {
          second: seq,
          ...done,
          inFlight: 0,
          phases: { latency, firstByte, loopDelay: firstByte },
          firstErrors: [],
        };
        yield { type: 'interval', trial, shard, seq, interval };
      }
    }
    const started = SECONDS * DIFFERENT_VALUES;
    const totals = { started, completed: started, failed: 0, dropped: 0, inFlight: 0 };
    const end = { intervals: SECONDS, totals, endUs: SECONDS * 1e6, cpuSeconds: 1, residentBytes: 1 };
    for (const { shard } of shards) yield { type: 'shard-done', trial, shard, ...end };
    yield { type: 'trial-ended', trial, state: 'completed' };
  }
  yield runEnded();
}

test(`a report of ${CELLS} cells × ${ROUNDS} rounds is made within ${MOST_MB} MB`, async (t) => {
  const directory = await temporaryDirectory(t);
  const writer = await JournalWriter.open(directory);
  for (const record of journal()) {
    const written = writer.append(record);
    if (record.type === 'trial-ended') await written;
  }
  await writer.close();
  for (const [format, secondsOf] of FORMATS) {
    await t.test(format, () => {
      const out = execFileSync(process.execPath, ['--input-type=module', '-e', REPORT, directory, format], {
        encoding: 'utf8',
      });
      const { trials, bySecond, characters, mostMb } = JSON.parse(out);
      assert.deepEqual([trials, bySecond], [CELLS * ROUNDS, secondsOf]);
      assert.ok(characters > 100 * CELLS * ROUNDS, 'a line of each trial at least');
      assert.ok(mostMb < MOST_MB, `it took ${mostMb.toFixed(0)} MB`);
    });
  }
});
