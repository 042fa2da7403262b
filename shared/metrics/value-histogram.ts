/**
 * Histogram of any numbers: of custom metrics, whose range nobody knows beforehand. Logarithmic bins of a fixed ratio, kept
 * sparsely, for each sign; zero has its own. Two of them merge by addition. Same idea as DDSketch (Masson, Rim, Lee: "DDSketch:
 * a fast and fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019), without its collapsing of bins.
 */
import { BroadsideError } from '../errors.ts';
import { type Bin, decodeBins, encodeBins } from './bin-codec.ts';

/** A value is told within this share of itself. */
export const RELATIVE_ERROR = 0.0005;

const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);
/** From the end of a bin to the value that is as near to its end as to its beginning, as shares of them. */
const LOG_TO_MIDDLE = Math.log(2 / (GAMMA + 1));

/** Min and max are exact. */
export interface EncodedValueHistogram {
  count: number;
  min: number;
  max: number;
  zeros: number;
  /** Bins as `encodeBins` has them: numbers above and below zero; empty where there are none. */
  positive: string;
  negative: string;
}

/** The same after it was read and found to be whole. */
export interface DecodedValues extends Omit<EncodedValueHistogram, 'positive' | 'negative'> {
  positive: Bin[];
  negative: Bin[];
}

/** @throws BroadsideError JOURNAL_CORRUPT when it cannot be */
export function decodeValues(encoded: EncodedValueHistogram): DecodedValues {
  const positive = decodeBins(encoded.positive);
  const negative = decodeBins(encoded.negative);
  if (countOf(positive) + countOf(negative) + encoded.zeros !== encoded.count) {
    throw new BroadsideError(
      'JOURNAL_CORRUPT',
      `a histogram of ${encoded.count} values has others in its bins`,
    );
  }
  return { ...encoded, positive, negative };
}

export class ValueHistogram {
  count = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  private zeros = 0;
  private readonly positive = new Map<number, number>();
  private readonly negative = new Map<number, number>();
  /** Values in ascending order, and how many there are up to each; until another is recorded. */
  private ordered: { values: number[]; upTo: number[] } | undefined;

  /** @throws BroadsideError JOURNAL_CORRUPT */
  static decode(encoded: EncodedValueHistogram): ValueHistogram {
    const histogram = new ValueHistogram();
    histogram.add(decodeValues(encoded));
    return histogram;
  }

  /** Numbers that are not finite are not taken. */
  record(value: number): void {
    if (!Number.isFinite(value)) return;
    this.ordered = undefined;
    this.count++;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    if (value === 0) this.zeros++;
    else if (value > 0) increment(this.positive, indexOf(value), 1);
    else increment(this.negative, indexOf(-value), 1);
  }

  add({ count, min, max, zeros, positive, negative }: DecodedValues): void {
    if (count === 0) return;
    this.ordered = undefined;
    this.count += count;
    this.min = Math.min(this.min, min);
    this.max = Math.max(this.max, max);
    this.zeros += zeros;
    for (const [index, times] of positive) increment(this.positive, index, times);
    for (const [index, times] of negative) increment(this.negative, index, times);
  }

  encode(): EncodedValueHistogram {
    const { count, zeros } = this;
    const [min, max] = count === 0 ? [0, 0] : [this.min, this.max];
    const [positive, negative] = [encodeBins(sorted(this.positive)), encodeBins(sorted(this.negative))];
    return { count, min, max, zeros, positive, negative };
  }

  /**
   * As k6 computes it: on the straight line between the two values whose ranks (from 0) are nearest to share × (count − 1).
   * Each of them is told within RELATIVE_ERROR, so the quantile is too where they have one sign. Undefined when empty.
   * @param share 0 to 1
   */
  quantile(share: number): number | undefined {
    if (this.count === 0) return undefined;
    const place = Math.min(1, Math.max(0, share)) * (this.count - 1);
    const below = Math.floor(place);
    const low = this.ranked(below);
    const high = place === below ? low : this.ranked(below + 1);
    return low + (high - low) * (place - below);
  }

  /** @param rank from 0 */
  private ranked(rank: number): number {
    if (rank === 0) return this.min;
    if (rank === this.count - 1) return this.max;
    this.ordered ??= this.inOrder();
    const { values, upTo } = this.ordered;
    let [from, to] = [0, values.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (upTo[middle]! > rank) to = middle;
      else from = middle + 1;
    }
    return Math.min(this.max, Math.max(this.min, values[from]!));
  }

  private inOrder(): { values: number[]; upTo: number[] } {
    const values: number[] = [];
    const upTo: number[] = [];
    let seen = 0;
    const next = (value: number, count: number): void => {
      seen += count;
      values.push(value);
      upTo.push(seen);
    };
    for (const [index, count] of sorted(this.negative).reverse()) next(-middleOf(index), count);
    if (this.zeros > 0) next(0, this.zeros);
    for (const [index, count] of sorted(this.positive)) next(middleOf(index), count);
    return { values, upTo };
  }
}

/** Bin i holds the values from γ^(i−1) (not included) to γ^i. */
function indexOf(value: number): number {
  return Math.ceil(Math.log(value) / LOG_GAMMA);
}

/** The value that is within RELATIVE_ERROR of every other one of the bin: 2 γ^i / (γ + 1). */
function middleOf(index: number): number {
  return Math.exp(index * LOG_GAMMA + LOG_TO_MIDDLE);
}

function increment(bins: Map<number, number>, index: number, by: number): void {
  bins.set(index, (bins.get(index) ?? 0) + by);
}

function countOf(bins: readonly Bin[]): number {
  return bins.reduce((sum, [, count]) => sum + count, 0);
}

function sorted(bins: Map<number, number>): [index: number, count: number][] {
  return [...bins].sort((a, b) => a[0] - b[0]);
}
