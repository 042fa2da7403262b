/** How far a sample can be trusted with a quantile, from nothing but its size. */
import jstat from 'jstat';

/** What either end of the 95 % interval leaves out. */
const TAIL = 0.025;

export interface QuantileSupport {
  /** Samples beyond the quantile's own rank. */
  inTail: number;
  /**
   * Whether the interval has both ends: n ≥ ln 0.025 / ln(fraction), which is 368 for p99 and 3688 for p99.9, or
   * about 3.7 samples expected in the tail. With fewer, not even the largest value is safely beyond the quantile.
   */
  supported: boolean;
  /** Rank from 1, rising, of the lower end of the 95 % interval; absent where the smallest value is none. */
  lower?: number;
  /** Of the upper end; absent where the largest value is none. */
  upper?: number;
}

/**
 * Order statistics as limits of a quantile: the number of samples at or below it is binomial, whatever the
 * distribution (David & Nagaraja, Order Statistics, 2003, §7.1; Hahn & Meeker 1991, §5.2). The limits hold at least
 * 95 %, at most 2.5 % on either side. For independent samples; requests that queue behind one another are not quite,
 * so read it as the least that is needed.
 *
 * @param n samples, a whole number
 * @param fraction 0.999 for p99.9; above 0, at most 1, which is the maximum and always known
 */
export function quantileSupport(n: number, fraction: number): QuantileSupport {
  if (n <= 0) return { inTail: 0, supported: false };
  if (fraction >= 1) return { inTail: 0, supported: true, upper: n };
  const inTail = n - Math.max(1, Math.ceil(fraction * n));
  const lower = binomialQuantile(TAIL, n, fraction);
  const upper = binomialQuantile(1 - TAIL, n, fraction) + 1;
  return {
    inTail,
    supported: n >= samplesFor(fraction),
    ...(lower >= 1 && { lower }),
    ...(upper <= n && { upper }),
  };
}

/** The fewest samples that support a quantile, of which the tail on its narrower side decides. */
export function samplesFor(fraction: number): number {
  return fraction >= 1 ? 1 : Math.ceil(Math.log(TAIL) / Math.log(Math.max(fraction, 1 - fraction)));
}

/** The smallest k with P(X ≤ k) ≥ p: from where a normal distribution has it, a step or two to where it is. */
function binomialQuantile(p: number, n: number, fraction: number): number {
  const reaches = (k: number) => jstat.binomial.cdf(k, n, fraction) >= p;
  const normal = n * fraction + jstat.normal.inv(p, 0, Math.sqrt(n * fraction * (1 - fraction)));
  let k = Math.min(n, Math.max(0, Math.floor(normal)));
  while (k < n && !reaches(k)) k++;
  while (k > 0 && reaches(k - 1)) k--;
  return k;
}
