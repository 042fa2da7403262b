/**
 * Histograms at rest: merging them, and reading them. A trial keeps one for every second, and a dense `Histogram` takes
 * 188 KB whatever it holds, so what is kept stays a list of used places.
 */
import {
  Histogram,
  type HistogramSnapshot,
  highestAt,
  middleAt,
  type Places,
  roomForPlaces,
} from './histogram.ts';

export const EMPTY_SNAPSHOT: HistogramSnapshot = {
  indexes: [],
  counts: [],
  count: 0,
  min: 0,
  max: 0,
  sum: 0,
};

/**
 * What a histogram holds, to be read at once.
 * @returns a view that is valid until the next is asked for
 */
export function viewOf(histogram: Histogram): HistogramSnapshot & Places {
  return histogram.snapshotIn(viewed);
}

const viewed = roomForPlaces();

/** Of a view, to be kept. */
export function copyOf(view: HistogramSnapshot & Places): HistogramSnapshot {
  return { ...view, indexes: view.indexes.slice(), counts: view.counts.slice() };
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
  const all = copyOf(viewOf(histogram));
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
  const quantiles: number[] = [];
  let place = -1;
  let seen = 0;
  // No function in here: what it would share with this one is slow to add to.
  for (const fraction of fractions) {
    const wanted = Math.max(1, Math.ceil(fraction * count - 1e-9));
    while (seen < wanted && place + 1 < indexes.length) seen += counts[++place]!;
    const within = seen < wanted ? max : Math.max(min, Math.min(highestAt(indexes[place]!), max));
    quantiles.push(count === 0 ? 0 : within);
  }
  return quantiles;
}

/** As `Histogram.stdev`. */
export function stdevOf({ indexes, counts, count, sum }: HistogramSnapshot): number {
  if (count === 0) return 0;
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < indexes.length; i++) squares += counts[i]! * (middleAt(indexes[i]!) - mean) ** 2;
  return Math.sqrt(squares / count);
}
