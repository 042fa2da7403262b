/** What a baseline's rounds say about how small a difference its run could have shown at all. */
import jstat from 'jstat';
import { FEWEST_FOR_CLAIM, LEVEL } from './comparison.ts';
import { studentQuantile } from './student.ts';

const POWER = 0.8;

export interface NoiseFloor {
  /** Rounds of the baseline. */
  rounds: number;
  /**
   * Above 1. As many rounds of a cell that is faster or slower by this factor, and no noisier than the baseline,
   * would have been called different in about 80 % of runs, by one paired t-test at 5 %; smaller differences less
   * often.
   */
  ratio: number;
}

/**
 * The minimum detectable ratio, exp((t(97.5 %) + t(80 %)) × s / √n) with n − 1 degrees of freedom (Bloom 1995, on
 * logarithms). s is the standard deviation of the log ratio of two rounds that differ in nothing: of neighbouring
 * rounds of the baseline (von Neumann 1941), since slow drift, which pairing takes out, is not in those either.
 * An estimate, as often too high as too low: from five rounds the exponent is known within a factor of about two.
 *
 * @param values the baseline's rounds in the order in which they ran
 * @returns undefined for fewer than five, or with a value that has no logarithm
 */
export function noiseFloorOf(values: readonly number[]): NoiseFloor | undefined {
  const n = values.length;
  if (n < FEWEST_FOR_CLAIM || values.some((value) => value <= 0)) return undefined;
  const steps = values.slice(1).map((value, i) => Math.log(value / values[i]!) ** 2);
  const deviation = Math.sqrt(jstat.mean(steps) / medianShare(n));
  const reach = studentQuantile(1 - LEVEL / 2, n - 1) + studentQuantile(POWER, n - 1);
  return { rounds: n, ratio: Math.exp((reach * deviation) / Math.sqrt(n)) };
}

/**
 * The median of a mean square of n − 1 successive differences, over its expectation: it is distributed nearly as
 * χ²/ν with ν = 2 (n − 1)² / (3n − 4) degrees of freedom, of which the median is that of Wilson & Hilferty (1931).
 */
function medianShare(n: number): number {
  const degrees = (2 * (n - 1) ** 2) / (3 * n - 4);
  return (1 - 2 / (9 * degrees)) ** 3;
}
