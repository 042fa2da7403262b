/** What came of each request by its name, over a whole trial: only counts and histograms, merged in any order. */
import type { HistogramSnapshot } from './histogram.ts';
import { decodeHistogram } from './histogram-codec.ts';
import { addRequestCounts, type Interval, type RequestCounts } from './interval.ts';
import { mergeAll } from './snapshot.ts';

/** Merging many at once costs less than one by one, and keeping many costs memory. */
const MOST_UNMERGED = 32;

/** The parts of one interval, decoded. */
export type DecodedRequests = { name: string; counts: RequestCounts; latency?: HistogramSnapshot }[];

/** @throws BroadsideError JOURNAL_CORRUPT when a histogram in it cannot be */
export function decodeRequests({ byRequest = {} }: Interval): DecodedRequests {
  return Object.entries(byRequest).map(([name, { latency, ...counts }]) => ({
    name,
    counts,
    ...(latency !== undefined && { latency: decodeHistogram(latency) }),
  }));
}

export class RequestTotals {
  private readonly entries = new Map<string, { counts: RequestCounts; latency: HistogramSnapshot[] }>();

  add(decoded: DecodedRequests): void {
    for (const { name, counts, latency } of decoded) {
      const entry = this.entries.get(name) ?? {
        counts: { completed: 0, failed: 0, errors: {} },
        latency: [],
      };
      this.entries.set(name, entry);
      addRequestCounts(entry.counts, counts);
      if (latency !== undefined) entry.latency.push(latency);
      if (entry.latency.length >= MOST_UNMERGED) entry.latency = [mergeAll(entry.latency)];
    }
  }

  /** By name, in the order of the names, so that the order of arrival does not show. */
  rows(): { name: string; counts: RequestCounts; latency: HistogramSnapshot }[] {
    return [...this.entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { counts, latency }]) => ({ name, counts, latency: mergeAll(latency) }));
  }
}
