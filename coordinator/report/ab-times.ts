/** The two tables of latencies in ab's output. ab's times are whole milliseconds. */
import { type LatencySummary, quantileOf, type Summary } from '../../shared/metrics/summary.ts';

const PERCENTAGES = [50, 66, 75, 80, 90, 95, 98, 99];

/** A row of Connection Times, µs. */
interface TimesRow {
  min: number;
  mean: number;
  stdev: number;
  median: number;
  max: number;
}

/** Connection Times; nothing when no request completed. */
export function timesLines(summary: Summary): string[] {
  if (summary.requests === 0) return [];
  const total = rowOf(summary.latency);
  const connect = connectRow(summary);
  const service = summary.serviceTime ?? summary.latency;
  return [
    '',
    'Connection Times (ms)',
    '              min  mean[+/-sd] median   max',
    `Connect:    ${cells(connect)}`,
    `Processing: ${cells(afterConnect(rowOf(service), connect))}`,
    `Waiting:    ${cells(afterConnect(rowOf(summary.firstByte ?? service), connect))}`,
    `Total:      ${cells(total)}`,
  ];
}

export function percentageLines(summary: Summary): string[] {
  // As in ab: one request has no percentages.
  if (summary.requests < 2) return [];
  const { latency } = summary;
  return [
    '',
    'Percentage of the requests served within a certain time (ms)',
    ...PERCENTAGES.map((percent) => `  ${percent}%  ${wholeMs(quantileOf(latency, percent / 100), 5)}`),
    ` 100%  ${wholeMs(latency.max, 5)} (longest request)`,
  ];
}

/** `%5d %4d %5.1f %6d %7d`, as ab rounds. */
function cells(row: TimesRow): string {
  const stdev = (row.stdev / 1000).toFixed(1).padStart(5);
  return `${wholeMs(row.min, 5)} ${wholeMs(row.mean, 4)} ${stdev} ${wholeMs(row.median, 6)} ${wholeMs(row.max, 7)}`;
}

function wholeMs(us: number, width: number): string {
  return String(Math.floor((us + 500) / 1000)).padStart(width);
}

function rowOf({ min, mean, stdev, p50, max }: LatencySummary): TimesRow {
  return { min, mean, stdev, median: p50, max };
}

/** ab's connect time is of every request, 0 on a connection that was open already, and ends with the TLS handshake. */
function connectRow({ connect: tcp, secureConnect, requests }: Summary): TimesRow {
  const connect = secureConnect ?? tcp;
  if (connect === undefined) return { min: 0, mean: 0, stdev: 0, median: 0, max: 0 };
  const opened = connect.count;
  const reused = Math.max(0, requests - opened);
  const all = opened + reused;
  const mean = (connect.mean * opened) / all;
  const meanSquare = ((connect.stdev ** 2 + connect.mean ** 2) * opened) / all;
  const beyond = (all / 2 - reused) / opened;
  return {
    min: reused > 0 ? 0 : connect.min,
    mean,
    stdev: Math.sqrt(Math.max(0, meanSquare - mean ** 2)),
    median: beyond > 0 ? quantileOf(connect, beyond) : 0,
    max: connect.max,
  };
}

/**
 * ab's processing and waiting times begin when the connection stands, ours when the request, with its connect if it
 * needs one, begins; the pairs to take off are not kept in merged histograms. The mean of the difference is exact;
 * the deviation takes the two as independent; the others take a typical connect off, and stay in order.
 */
function afterConnect(whole: TimesRow, connect: TimesRow): TimesRow {
  const min = Math.max(0, whole.min - connect.min);
  const max = Math.max(min, whole.max - connect.median);
  return {
    min,
    mean: Math.max(min, whole.mean - connect.mean),
    stdev: Math.sqrt(Math.max(0, whole.stdev ** 2 - connect.stdev ** 2)),
    median: Math.min(max, Math.max(min, whole.median - connect.median)),
    max,
  };
}
