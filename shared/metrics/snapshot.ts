/**
 * Histograms at rest: merging them, and reading them. A trial keeps one for every second, and a dense `Histogram` takes
 * 188 KB whatever it holds, so what is kept stays a list of used places.
 */
import { Histogram, type HistogramSnapshot, highestAt, middleAt } from './histogram.ts';
import { type Places, roomForPlaces } from './histogram-codec.ts';

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

/** Written over by whatever makes places, which then takes a copy: what is kept should not hold the spare ones. */
const merged = roomForPlaces();

function mergePlaces(a: Places, b: Places): Places {
  const { indexes, counts } = merged;
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
  return { indexes: indexes.slice(0, length), counts: counts.slice(0, length) };
}

/** One kind of array keeps the loop above several times faster than it is over a mixture. */
function typed({ indexes, counts }: HistogramSnapshot): Places {
  return {
    indexes: indexes instanceof Uint16Array ? indexes : new Uint16Array(indexes),
    counts: counts instanceof Float64Array ? counts : new Float64Array(counts),
  };
}

/** For one that is a view of what will be written over. */
export function copyOf(snapshot: HistogramSnapshot): HistogramSnapshot {
  const { indexes, counts } = typed(snapshot);
  return { ...snapshot, indexes: indexes.slice(), counts: counts.slice() };
}

/** What a histogram holds, at rest. */
export function restOf(histogram: Histogram): HistogramSnapshot {
  return histogram.compactSnapshot(merged);
}

/** Dense histograms that nobody uses at the moment: making one anew costs more than clearing it. */
const spare: Histogram[] = [];

/** An empty one. Who has no more use for it gives it back. */
export function borrowHistogram(): Histogram {
  return spare.pop() ?? new Histogram();
}

export function giveBack(histogram: Histogram): void {
  histogram.reset();
  spare.push(histogram);
}

/** All of them together, through the dense histogram: what is faster for many. */
export function mergeAll(snapshots: Iterable<HistogramSnapshot>): HistogramSnapshot {
  const histogram = borrowHistogram();
  for (const snapshot of snapshots) histogram.add(snapshot);
  const all = restOf(histogram);
  giveBack(histogram);
  return all;
}

/**
 * As `Histogram.quantile`, from the places that are used: a dense histogram has many times as many to go through.
 * @param fractions of which it is asked, ascending
 * @returns µs, one for each
 */
export function quantilesOf(snapshot: HistogramSnapshot, fractions: readonly number[]): number[] {
  const { indexes, counts, count, min, max } = snapshot;
  let place = -1;
  let seen = 0;
  return fractions.map((fraction) => {
    if (count === 0) return 0;
    const wanted = Math.max(1, Math.ceil(fraction * count - 1e-9));
    while (seen < wanted && place + 1 < indexes.length) seen += counts[++place]!;
    return seen < wanted ? max : Math.max(min, Math.min(highestAt(indexes[place]!), max));
  });
}

/** As `Histogram.stdev`. */
export function stdevOf({ indexes, counts, count, sum }: HistogramSnapshot): number {
  if (count === 0) return 0;
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < indexes.length; i++) squares += counts[i]! * (middleAt(indexes[i]!) - mean) ** 2;
  return Math.sqrt(squares / count);
}
