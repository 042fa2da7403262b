/**
 * HdrHistogram of latencies: 3 significant digits, 1 µs to 1 h, its own bucket indexing
 * (Gil Tene, HdrHistogram, AbstractHistogram.java), in one typed array so that recording costs a few nanoseconds.
 * Besides the buckets it keeps the exact minimum, maximum and sum, which bucket values cannot give back.
 */

/** Bucket values are exact below this and within 1/1024 above it. */
const SUB_BUCKETS = 2048;
const HALF = SUB_BUCKETS / 2;
const HALF_MAGNITUDE = 10;
export const HIGHEST_TRACKABLE_US = 3_600_000_000;
/** (22 bucket doublings up to 2^32 + 1) × 1024. */
export const COUNTS_LENGTH = 23 * HALF;

/** The place of a value in the counts. Values are whole µs, 0 to 1 h. */
export function indexOf(valueUs: number): number {
  const bucket = 21 - Math.clz32(valueUs | (SUB_BUCKETS - 1));
  return (bucket << HALF_MAGNITUDE) + (valueUs >>> bucket);
}

/** So many values fall in a place of each bucket; a table, because powers take many times as long, and all is asked. */
const WIDTHS = Float64Array.from({ length: COUNTS_LENGTH / HALF }, (_, bucket) => 2 ** bucket);

/** The lowest value that falls in a place. */
export function lowestAt(index: number): number {
  const bucket = (index >> HALF_MAGNITUDE) - 1;
  if (bucket <= 0) return index;
  return ((index & (HALF - 1)) + HALF) * WIDTHS[bucket]!;
}

/** The highest value that falls in a place. */
export function highestAt(index: number): number {
  const bucket = Math.max(0, (index >> HALF_MAGNITUDE) - 1);
  return lowestAt(index) + WIDTHS[bucket]! - 1;
}

/** The middle of a place, as HdrHistogram's medianEquivalentValue. */
export function middleAt(index: number): number {
  const bucket = Math.max(0, (index >> HALF_MAGNITUDE) - 1);
  return lowestAt(index) + (bucket === 0 ? 0 : WIDTHS[bucket - 1]!);
}

/** A histogram at rest: what is sent, journaled and merged. Only places with a count are listed. */
export interface HistogramSnapshot {
  /** Ascending places, see `indexOf`. */
  indexes: ArrayLike<number>;
  /** Counts at those places, each > 0. */
  counts: ArrayLike<number>;
  /** Number of values. */
  count: number;
  /** Exact, µs; 0 when empty. */
  min: number;
  max: number;
  sum: number;
}

/** What the places of a histogram cannot give back. */
export type ExactPart = Pick<HistogramSnapshot, 'count' | 'min' | 'max' | 'sum'>;

/** Used places and their counts, side by side. */
export interface Places {
  indexes: Uint16Array;
  counts: Float64Array;
}

/** Room for any histogram. */
export function roomForPlaces(): Places {
  return { indexes: new Uint16Array(COUNTS_LENGTH), counts: new Float64Array(COUNTS_LENGTH) };
}

export class Histogram {
  /**
   * The count of each place. Merged over a fleet they may pass 2^32, so they are doubles: exact up to 2^53. Who adds to
   * them says so to `added`.
   */
  readonly places = new Float64Array(COUNTS_LENGTH);
  private lowestUsed = COUNTS_LENGTH;
  private highestUsed = -1;
  private total = 0;
  private minimum = Number.POSITIVE_INFINITY;
  private maximum = 0;
  private sumUs = 0;

  get count(): number {
    return this.total;
  }

  /** Exact; 0 when empty. */
  get min(): number {
    return this.total === 0 ? 0 : this.minimum;
  }

  /** Exact; 0 when empty. */
  get max(): number {
    return this.maximum;
  }

  /** Exact sum in µs. */
  get sum(): number {
    return this.sumUs;
  }

  /** Records one value in µs; fractions are rounded, negatives count as 0, over 1 h as 1 h in the buckets. */
  record(valueUs: number): void {
    let value = valueUs > 0 ? Math.round(valueUs) : 0;
    if (value > this.maximum) this.maximum = value;
    if (value < this.minimum) this.minimum = value;
    this.sumUs += value;
    this.total++;
    if (value > HIGHEST_TRACKABLE_US) value = HIGHEST_TRACKABLE_US;
    const index = indexOf(value);
    if (index < this.lowestUsed) this.lowestUsed = index;
    if (index > this.highestUsed) this.highestUsed = index;
    this.places[index]!++;
  }

  add(other: HistogramSnapshot): void {
    const { indexes, counts } = other;
    const { places } = this;
    const used = indexes.length;
    if (used === 0) return;
    for (let i = 0; i < used; i++) places[indexes[i]!]! += counts[i]!;
    this.added(indexes[0]!, indexes[used - 1]!, other);
  }

  /** That the counts of a histogram were added to `places`, none of them below `lowest` or above `highest`. */
  added(lowest: number, highest: number, { count, min, max, sum }: ExactPart): void {
    this.lowestUsed = Math.min(this.lowestUsed, lowest);
    this.highestUsed = Math.max(this.highestUsed, highest);
    this.total += count;
    this.sumUs += sum;
    this.minimum = Math.min(this.minimum, min);
    this.maximum = Math.max(this.maximum, max);
  }

  reset(): void {
    if (this.highestUsed >= 0) this.places.fill(0, this.lowestUsed, this.highestUsed + 1);
    this.lowestUsed = COUNTS_LENGTH;
    this.highestUsed = -1;
    this.total = 0;
    this.minimum = Number.POSITIVE_INFINITY;
    this.maximum = 0;
    this.sumUs = 0;
  }

  snapshot(): HistogramSnapshot {
    const indexes: number[] = [];
    const counts: number[] = [];
    for (let i = this.lowestUsed; i <= this.highestUsed; i++) {
      if (this.places[i] === 0) continue;
      indexes.push(i);
      counts.push(this.places[i]!);
    }
    return { indexes, counts, count: this.total, min: this.min, max: this.max, sum: this.sumUs };
  }

  /**
   * The same as a snapshot, in arrays that are read faster than lists.
   * @param room for `COUNTS_LENGTH` places, written over; the snapshot is a view of it
   */
  snapshotIn({ indexes, counts }: Places): HistogramSnapshot & Places {
    const { places, highestUsed } = this;
    let used = 0;
    for (let i = this.lowestUsed; i <= highestUsed; i++) {
      const count = places[i]!;
      if (count === 0) continue;
      indexes[used] = i;
      counts[used++] = count;
    }
    return {
      indexes: indexes.subarray(0, used),
      counts: counts.subarray(0, used),
      count: this.total,
      min: this.min,
      max: this.max,
      sum: this.sumUs,
    };
  }

  /**
   * The smallest bucket value that at least `fraction` of the values do not exceed (HdrHistogram's
   * getValueAtPercentile), never above the exact maximum nor below the exact minimum; 0 when empty.
   */
  quantile(fraction: number): number {
    if (this.total === 0) return 0;
    const wanted = Math.max(1, Math.ceil(fraction * this.total - 1e-9));
    let seen = 0;
    for (let i = this.lowestUsed; i <= this.highestUsed; i++) {
      seen += this.places[i]!;
      if (seen >= wanted) return Math.max(this.minimum, Math.min(highestAt(i), this.maximum));
    }
    return this.maximum;
  }

  /** Exact arithmetic mean in µs; 0 when empty. */
  get mean(): number {
    return this.total === 0 ? 0 : this.sumUs / this.total;
  }

  /** Population standard deviation in µs from bucket middles, so it does not depend on the order of merging. */
  get stdev(): number {
    if (this.total === 0) return 0;
    const mean = this.mean;
    let squares = 0;
    for (let i = this.lowestUsed; i <= this.highestUsed; i++) {
      if (this.places[i] === 0) continue;
      squares += this.places[i]! * (middleAt(i) - mean) ** 2;
    }
    return Math.sqrt(squares / this.total);
  }
}
