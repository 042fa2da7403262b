/** The exact permutation test for pairs. */

/** 2^12 sums a half, well below a millisecond. With more pairs Student's t and this test say the same. */
const MOST = 24;
/** Sums in another order differ in their last digits; ties must stay ties. */
const TIE = 1e-12;

/**
 * Fisher's randomization test for pairs (The Design of Experiments, 1935, §21): if the two of a pair do not differ,
 * each difference could as well have had the other sign. Of all 2^n ways to choose the signs, the share whose sum
 * lies at least as far from 0 as the observed one. Exact, whatever the noise; never below 2/2^n.
 *
 * Counted, not sampled: the sums of both halves are sorted and met in the middle (Horowitz & Sahni 1974).
 *
 * @returns undefined for none, or more than 24
 */
export function signFlipP(differences: readonly number[]): number | undefined {
  const n = differences.length;
  if (n === 0 || n > MOST) return undefined;
  const sum = differences.reduce((total, d) => total + d, 0);
  const reach = differences.reduce((total, d) => total + Math.abs(d), 0);
  const least = Math.abs(sum) - TIE * reach;
  if (least <= 0) return 1;
  const left = signedSums(differences.slice(0, n >> 1));
  const right = signedSums(differences.slice(n >> 1));
  let from = right.length;
  let beyond = 0;
  for (const part of left) {
    while (from > 0 && part + right[from - 1]! >= least) from--;
    beyond += right.length - from;
  }
  // Every choice has its mirror image on the other side.
  return (2 * beyond) / 2 ** n;
}

/**
 * Whether the test can stay at or below `level` even when the smallest difference has the other sign than the rest:
 * its second smallest p is 4/2^n. Without that room it would only ever confirm a unanimous vote.
 */
export function signFlipCanReach(n: number, level: number): boolean {
  return n <= MOST && 4 / 2 ** n <= level;
}

/** ±d1 ±d2 …, all 2^n of them, rising. */
function signedSums(differences: readonly number[]): Float64Array {
  const sums = new Float64Array(2 ** differences.length);
  let length = 1;
  for (const d of differences) {
    for (let i = 0; i < length; i++) {
      sums[length + i] = sums[i]! - d;
      sums[i]! += d;
    }
    length *= 2;
  }
  return sums.sort();
}
