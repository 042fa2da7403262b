/** A trial's timeline as few points as a line of bars, or a chart, has room for. */
import type { TimelineRow } from '../../shared/metrics/summary.ts';
import { isSupported } from './quantile-limits.ts';

/** What finished in the few ms after the last whole second is too short a time to be a rate. */
const SHORTEST_US = 100_000;

export interface TimelinePoint {
  /** Its first second. */
  second: number;
  lengthUs: number;
  requestRate: number;
  /** Bytes received, a second. */
  transferRate: number;
  errors: number;
  /** The highest of its seconds that have requests enough to know it. */
  p50?: number;
  p99?: number;
  /** Of a k6 script, at the most: at work, and allocated. */
  vus?: number;
  vusMax?: number;
}

/**
 * @param durationUs the trial's length: its last second may be a part of one
 * @param most points; each is of as many whole seconds as that needs
 */
export function timelinePoints(
  rows: readonly TimelineRow[],
  durationUs: number,
  most: number,
): { seconds: number; points: TimelinePoint[] } {
  const seconds = Math.max(1, Math.ceil(rows.length / most));
  const points: TimelinePoint[] = [];
  for (let second = 0; second < rows.length; second += seconds) {
    const lengthUs = Math.min((second + seconds) * 1e6, durationUs) - second * 1e6;
    if (lengthUs < SHORTEST_US) continue;
    points.push(pointOf(rows.slice(second, second + seconds), second, lengthUs));
  }
  return { seconds, points };
}

function pointOf(rows: readonly TimelineRow[], second: number, lengthUs: number): TimelinePoint {
  const sum = (name: 'requests' | 'bytes' | 'errors') => rows.reduce((all, row) => all + row[name], 0);
  const highest = (name: 'p50' | 'p99') => {
    const values = rows.flatMap((row) => (isSupported(row.requests, name) ? (row[name] ?? []) : []));
    return values.length === 0 ? {} : { [name]: Math.max(...values) };
  };
  return {
    second,
    lengthUs,
    requestRate: (sum('requests') * 1e6) / lengthUs,
    transferRate: (sum('bytes') * 1e6) / lengthUs,
    errors: sum('errors'),
    ...highest('p50'),
    ...highest('p99'),
    ...mostVus(rows),
  };
}

function mostVus(rows: readonly TimelineRow[]): Pick<TimelinePoint, 'vus' | 'vusMax'> {
  const known = rows.flatMap(({ script }) => script ?? []);
  if (known.length === 0) return {};
  return {
    vus: Math.max(...known.map(({ vus }) => vus)),
    vusMax: Math.max(...known.map(({ vusMax }) => vusMax)),
  };
}
