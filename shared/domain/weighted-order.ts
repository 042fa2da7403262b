/**
 * In which order weighted requests are sent. No chance is involved: the same weights give the same order on every
 * machine, a whole cycle has each request exactly as often as its weight says, and at no point within the cycle is
 * any request a whole one ahead of its share or behind it.
 */

/** Longest cycle: the sum of the weights once their common divisor is taken out. */
export const LONGEST_CYCLE = 100_000;

/**
 * One cycle of indexes into `weights` (whole numbers, 1 or more, of which `cycleLength` is at most `LONGEST_CYCLE`).
 *
 * R. Tijdeman, "The chairman assignment problem", Discrete Mathematics 32 (1980): of those whose share has come far
 * enough to be served again, always the one that must be served soonest; no request is then ever off its share by
 * more than 1 − 1/(2n − 2).
 */
export function weightedOrder(weights: readonly number[]): Uint32Array {
  const divisor = weights.reduce(greatestCommonDivisor);
  const shares = weights.map((weight) => weight / divisor);
  const length = cycleLength(weights);
  if (length === weights.length) return Uint32Array.from(weights.keys());
  const order = new Uint32Array(length);
  const served = new Array<number>(weights.length).fill(0);
  // All in whole numbers, multiplied by length and by 2n − 2: nothing is rounded.
  const unit = 2 * weights.length - 2;
  for (let turn = 0; turn < length; turn++) {
    let next = -1;
    let soonest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < shares.length; i++) {
      const share = shares[i]!;
      if (unit * (share * (turn + 1) - served[i]! * length) < length) continue;
      const due = (unit * (served[i]! + 1) - 1) / share;
      if (due >= soonest) continue;
      soonest = due;
      next = i;
    }
    order[turn] = next;
    served[next]!++;
  }
  return order;
}

export function cycleLength(weights: readonly number[]): number {
  const divisor = weights.reduce(greatestCommonDivisor);
  return weights.reduce((sum, weight) => sum + weight, 0) / divisor;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
