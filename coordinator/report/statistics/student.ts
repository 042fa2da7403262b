/** Student's t distribution, as jstat computes it. */
import jstat from 'jstat';

/** @param probability of a value below the result, 0 to 1 */
export function studentQuantile(probability: number, degrees: number): number {
  return jstat.studentt.inv(probability, degrees);
}

/**
 * Probability of a t at least as far from 0, on either side. By the incomplete beta function (Numerical
 * Recipes, §6.4), not as 1 − cdf, which loses the small ones that Holm's method needs.
 */
export function studentTwoSidedP(t: number, degrees: number): number {
  return Number.isFinite(t) ? jstat.ibeta(degrees / (degrees + t * t), degrees / 2, 0.5) : 0;
}
