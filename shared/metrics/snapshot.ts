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
  const { indexes, counts } = mergePlaces(typed(a), typed(b));
  return {
    indexes,
    counts,
    count: a.count + b.count,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    sum: a.sum + b.sum,
  };
}

interface Places {
  indexes: Uint16Array;
  counts: Float64Array;
}

function mergePlaces(a: Places, b: Places): Places {
  const most = a.indexes.length + b.indexes.length;
  const indexes = new Uint16Array(most);
  const counts = new Float64Array(most);
  let length = 0;
  let i = 0;
  let j = 0;
  for (; i < a.indexes.length && j < b.indexes.length; length++) {
    const left = a.indexes[i]!;
    const right = b.indexes[j]!;
    if (left === right) {
      indexes[length] = left;
      counts[length] = a.counts[i++]! + b.counts[j++]!;
    } else if (left < right) {
      indexes[length] = left;
      counts[length] = a.counts[i++]!;
    } else {
      indexes[length] = right;
      counts[length] = b.counts[j++]!;
    }
  }
  // What is left over is all of one.
  const [rest, from] = i < a.indexes.length ? [a, i] : [b, j];
  indexes.set(rest.indexes.subarray(from), length);
  counts.set(rest.counts.subarray(from), length);
  length += rest.indexes.length - from;
  // slice, not subarray: what is kept for every second should not hold the spare places.
  return { indexes: indexes.slice(0, length), counts: counts.slice(0, length) };
}

/** One kind of array keeps the loop above several times faster than it is over a mixture. */
function typed({ indexes, counts }: HistogramSnapshot): Places {
  return {
    indexes: indexes instanceof Uint16Array ? indexes : Uint16Array.from(indexes),
    counts: counts instanceof Float64Array ? counts : Float64Array.from(counts),
  };
}

/** All of them together, through the dense histogram: what is faster for many. */
export function mergeAll(snapshots: Iterable<HistogramSnapshot>): HistogramSnapshot {
  return readSnapshot(EMPTY_SNAPSHOT, (histogram) => {
    for (const snapshot of snapshots) histogram.add(snapshot);
    return histogram.snapshot();
  });
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
