/**
 * Histogram of any numbers: of custom metrics, whose range nobody knows beforehand. Logarithmic bins of a fixed ratio, kept
 * sparsely, for each sign; zero has its own. Two of them merge by addition. Same idea as DDSketch (Masson, Rim, Lee: "DDSketch:
 * a fast and fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019), without its collapsing of bins.
 */
import { BroadsideError } from '../errors.ts';
import { type BinList, decodeBins, encodeBins } from './bin-codec.ts';
import { Bins } from './bins.ts';

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
  positive: BinList;
  negative: BinList;
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
  private readonly positive = new Bins();
  private readonly negative = new Bins();
  /** All bins in the order of their values, until another is recorded. */
  private ordered: Ordered | undefined;

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
    else if (value > 0) this.positive.add(indexOf(value), 1);
    else this.negative.add(indexOf(-value), 1);
  }

  add({ count, min, max, zeros, positive, negative }: DecodedValues): void {
    if (count === 0) return;
    this.ordered = undefined;
    this.count += count;
    this.min = Math.min(this.min, min);
    this.max = Math.max(this.max, max);
    this.zeros += zeros;
    this.positive.addAll(positive);
    this.negative.addAll(negative);
  }

  encode(): EncodedValueHistogram {
    const { count, zeros } = this;
    const [min, max] = count === 0 ? [0, 0] : [this.min, this.max];
    const [positive, negative] = [encodeBins(this.positive.list()), encodeBins(this.negative.list())];
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
    const { upTo } = this.ordered;
    let [from, to] = [0, upTo.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (upTo[middle]! > rank) to = middle;
      else from = middle + 1;
    }
    return Math.min(this.max, Math.max(this.min, valueIn(this.ordered, from)));
  }

  private inOrder(): Ordered {
    const [negative, positive] = [this.negative.list(), this.positive.list()];
    const counts = negative.counts.reverse();
    if (this.zeros > 0) counts.push(this.zeros);
    for (const count of positive.counts) counts.push(count);
    let seen = 0;
    const upTo = counts.map((count) => {
      seen += count;
      return seen;
    });
    return {
      negative: negative.indexes.reverse(),
      zeros: this.zeros > 0 ? 1 : 0,
      positive: positive.indexes,
      upTo,
    };
  }
}

/** Bins of numbers below zero, whether there are zeros, those above; and how many values there are up to each. */
interface Ordered {
  negative: number[];
  zeros: 0 | 1;
  positive: number[];
  upTo: number[];
}

function valueIn({ negative, zeros, positive }: Ordered, place: number): number {
  if (place < negative.length) return -middleOf(negative[place]!);
  const above = place - negative.length - zeros;
  return above < 0 ? 0 : middleOf(positive[above]!);
}

/** Bin i holds the values from γ^(i−1) (not included) to γ^i. */
function indexOf(value: number): number {
  return Math.ceil(Math.log(value) / LOG_GAMMA);
}

/** The value that is within RELATIVE_ERROR of every other one of the bin: 2 γ^i / (γ + 1). */
function middleOf(index: number): number {
  return Math.exp(index * LOG_GAMMA + LOG_TO_MIDDLE);
}

function countOf({ counts }: BinList): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
