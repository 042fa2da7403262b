/** Which of the whole's arrivals or connections a share has, and cutting that into smaller shares. Pure arithmetic. */
import type { Stripe } from './load-plan.ts';

/** How many of `total`, numbered from 0, are on a stripe. */
export function countOn({ offset, stride, width = 1 }: Stripe, total: number): number {
  const beyond = total - offset;
  if (beyond <= 0) return 0;
  const turns = Math.floor(beyond / stride);
  return Math.ceil(turns * width + Math.min(width, beyond - turns * stride));
}

/** The number, in the whole, of a stripe's j-th from 0. */
export function placeOn({ offset, stride, width = 1 }: Stripe, j: number): number {
  return width === 1 ? offset + stride * j : offset + stride * Math.floor(j / width) + (j % width);
}

/** The i-th of `parts` that a stripe is cut into: each has some of every turn, or where there are too few takes turns. */
export function partOf({ offset, stride, width = 1 }: Stripe, i: number, parts: number): Stripe {
  if (width === 1) return { offset: offset + stride * i, stride: stride * parts };
  if (parts > width) return { offset: offset + stride * i, stride: stride * parts, width };
  const [from, to] = [i, i + 1].map((n) => Math.floor((width * n) / parts));
  return { offset: offset + from!, stride, width: to! - from! };
}

/** The whole, cut by weights: of each turn through all of them, share i has as many as its weight. */
export function weightedStripes({ offset, stride }: Stripe, weights: readonly number[]): Stripe[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let before = 0;
  return weights.map((weight) => {
    const stripe = { offset: offset + stride * before, stride: stride * whole, width: weight };
    before += weight;
    return stripe;
  });
}

/** With the same proportions, as small as they can be: turns are then as short as they can be. */
export function reduced(weights: readonly number[]): number[] {
  const divisor = weights.reduce((a, b) => gcd(a, b));
  return weights.map((weight) => weight / divisor);
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
