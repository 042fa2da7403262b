/**
 * `hlog`: HdrHistogram's interval log, version 1.3 (HdrHistogram, HistogramLogWriter.java), which its log processors
 * and plotters read: one line a second and trial, or one line a trial where the report has no histograms by the
 * second. Latencies in µs; `Interval_Max` in ms, as the log's own default.
 */
import { encodeV2 } from '../../shared/metrics/histogram-codec.ts';
import type { Report, ReportTrial } from './schema.ts';
import { plain } from './text-line.ts';

const EMPTY = encodeV2({ indexes: [], counts: [] });

interface LogLine {
  /** µs since the start of the trial. */
  atUs: number;
  lengthUs: number;
  maxUs: number;
  histogram: string;
}

export function formatHlog({ run, trials }: Report): string {
  const startedUs = Date.parse(run.startedAt) * 1000;
  const started = `${seconds(startedUs)} (seconds since epoch), ${run.startedAt}`;
  const lines = trials.flatMap((trial) => {
    if (trial.startedAt === undefined) return [];
    const offsetUs = Date.parse(trial.startedAt) * 1000 - startedUs;
    // The tools read lines without a tag unless they are told otherwise: those of the only trial there is.
    const tag = run.plannedTrials === 1 ? '' : `Tag=${tagOf(trial)},`;
    return linesOf(trial).map(
      ({ atUs, lengthUs, maxUs, histogram }) =>
        `${tag}${seconds(offsetUs + atUs)},${seconds(lengthUs)},${seconds(maxUs * 1000)},${histogram}`,
    );
  });
  return [
    `#[Logged with Broadside ${run.broadside}: ${plain(run.name)}, run ${run.id}]`,
    '#[Histogram log format version 1.3]',
    `#[BaseTime: ${seconds(startedUs)} (seconds since epoch)]`,
    `#[StartTime: ${started}]`,
    '#[Latencies in microseconds, Interval_Max in milliseconds]',
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ...lines,
    '',
  ].join('\n');
}

function linesOf({ summary, timeline }: ReportTrial): LogLine[] {
  const { durationUs, latency } = summary;
  if (timeline.every(({ histogram }) => histogram === undefined)) {
    const histogram = latency.histogram || EMPTY;
    return [{ atUs: 0, lengthUs: durationUs, maxUs: latency.max, histogram }];
  }
  return timeline.map(({ second, max = 0, histogram = EMPTY }) => {
    const atUs = second * 1e6;
    return { atUs, lengthUs: Math.max(0, Math.min(1e6, durationUs - atUs)), maxUs: max, histogram };
  });
}

/** `target=httpd;size=4KiB;round=1`, with what a tag may not hold (commas, spaces, line breaks) percent-encoded. */
function tagOf({ cell, round }: ReportTrial): string {
  return [...Object.entries(cell), ['round', round] as const]
    .map(([axis, value]) => `${encoded(axis)}=${encoded(String(value))}`)
    .join(';');
}

function encoded(text: string): string {
  return text.replace(/[\s,;=%\p{C}]/gu, encodeURIComponent);
}

function seconds(us: number): string {
  return (us / 1e6).toFixed(3);
}
