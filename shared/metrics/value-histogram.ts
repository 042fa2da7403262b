/**
 * Histogram of any numbers: of custom metrics, whose range nobody knows beforehand. Logarithmic bins of a fixed ratio, kept
 * sparsely, for each sign; zero has its own. Two of them merge by addition. Same idea as DDSketch (Masson, Rim, Lee: "DDSketch:
 * a fast and fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019), without its collapsing of bins.
 */

/** A value is told within this share of itself. */
export const RELATIVE_ERROR = 0.0005;

const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);

/** Bins as pairs of index and count, in order of index; min and max are exact. */
export interface EncodedValueHistogram {
  count: number;
  min: number;
  max: number;
  zeros: number;
  positive: number[];
  negative: number[];
}

export class ValueHistogram {
  count = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  private zeros = 0;
  private readonly positive = new Map<number, number>();
  private readonly negative = new Map<number, number>();

  static decode(encoded: EncodedValueHistogram): ValueHistogram {
    const histogram = new ValueHistogram();
    histogram.add(encoded);
    return histogram;
  }

  /** Numbers that are not finite are not taken. */
  record(value: number): void {
    if (!Number.isFinite(value)) return;
    this.count++;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    if (value === 0) this.zeros++;
    else if (value > 0) increment(this.positive, indexOf(value), 1);
    else increment(this.negative, indexOf(-value), 1);
  }

  add(encoded: EncodedValueHistogram): void {
    if (encoded.count === 0) return;
    this.count += encoded.count;
    this.min = Math.min(this.min, encoded.min);
    this.max = Math.max(this.max, encoded.max);
    this.zeros += encoded.zeros;
    addPairs(this.positive, encoded.positive);
    addPairs(this.negative, encoded.negative);
  }

  encode(): EncodedValueHistogram {
    const { count, zeros } = this;
    const [min, max] = count === 0 ? [0, 0] : [this.min, this.max];
    return { count, min, max, zeros, positive: pairsOf(this.positive), negative: pairsOf(this.negative) };
  }

  /**
   * The smallest value that at least this share of the values do not exceed, within RELATIVE_ERROR; undefined when empty.
   * @param share 0 to 1
   */
  quantile(share: number): number | undefined {
    if (this.count === 0) return undefined;
    const rank = Math.min(this.count, Math.max(1, Math.ceil(share * this.count)));
    if (rank === this.count) return this.max;
    let seen = 0;
    for (const [value, count] of this.ascending()) {
      seen += count;
      if (seen >= rank) return Math.min(this.max, Math.max(this.min, value));
    }
    return this.max;
  }

  private *ascending(): Generator<[value: number, count: number]> {
    for (const [index, count] of sorted(this.negative).reverse()) yield [-middleOf(index), count];
    if (this.zeros > 0) yield [0, this.zeros];
    for (const [index, count] of sorted(this.positive)) yield [middleOf(index), count];
  }
}

/** Bin i holds the values from γ^(i−1) (not included) to γ^i. */
function indexOf(value: number): number {
  return Math.ceil(Math.log(value) / LOG_GAMMA);
}

/** The value that is within RELATIVE_ERROR of every other one of the bin. */
function middleOf(index: number): number {
  return (2 * Math.exp(index * LOG_GAMMA)) / (GAMMA + 1);
}

function increment(bins: Map<number, number>, index: number, by: number): void {
  bins.set(index, (bins.get(index) ?? 0) + by);
}

function addPairs(bins: Map<number, number>, pairs: readonly number[]): void {
  for (let i = 0; i < pairs.length; i += 2) increment(bins, pairs[i]!, pairs[i + 1]!);
}

function sorted(bins: Map<number, number>): [index: number, count: number][] {
  return [...bins].sort((a, b) => a[0] - b[0]);
}

function pairsOf(bins: Map<number, number>): number[] {
  return sorted(bins).flat();
}
