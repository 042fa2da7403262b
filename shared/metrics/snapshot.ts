/**
 * Merging histograms at rest. A trial keeps one for every second, and a dense `Histogram` takes 188 KB whatever it
 * holds, so what is kept stays a list of used places, and one dense histogram is lent to whoever reads quantiles.
 */
import { Histogram, type HistogramSnapshot } from './histogram.ts';

export const EMPTY_SNAPSHOT: HistogramSnapshot = {
  indexes: [],
  counts: [],
  count: 0,
  min: 0,
  max: 0,
  sum: 0,
};

/** Both together; neither is changed. Exact, so the order of merging does not matter. */
export function mergeSnapshots(a: HistogramSnapshot, b: HistogramSnapshot): HistogramSnapshot {
  if (a.count === 0) return b;
  if (b.count === 0) return a;
  const most = a.indexes.length + b.indexes.length;
  const indexes = new Uint16Array(most);
  const counts = new Float64Array(most);
  let length = 0;
  for (let i = 0, j = 0; i < a.indexes.length || j < b.indexes.length; length++) {
    const left = i < a.indexes.length ? a.indexes[i]! : Number.POSITIVE_INFINITY;
    const right = j < b.indexes.length ? b.indexes[j]! : Number.POSITIVE_INFINITY;
    indexes[length] = Math.min(left, right);
    if (left <= right) counts[length]! += a.counts[i++]!;
    if (right <= left) counts[length]! += b.counts[j++]!;
  }
  return {
    // slice, not subarray: what is kept for every second should not hold the spare places.
    indexes: indexes.slice(0, length),
    counts: counts.slice(0, length),
    count: a.count + b.count,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    sum: a.sum + b.sum,
  };
}

let lent: Histogram | undefined;

/** Reads a snapshot as a histogram. The histogram is valid only inside `read`, which must not call this again. */
export function readSnapshot<T>(snapshot: HistogramSnapshot, read: (histogram: Histogram) => T): T {
  const histogram = lent ?? new Histogram();
  lent = histogram;
  histogram.reset();
  histogram.add(snapshot);
  return read(histogram);
}
