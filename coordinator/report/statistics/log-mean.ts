/**
 * Rounds on the scale of their logarithms: rates and times of one cell differ from round to round by factors rather
 * than by amounts, and ratios become differences.
 */
import jstat from 'jstat';
import { studentQuantile } from './student.ts';

/** Below this, an interval would be wider than the table it stands in (n = 2: t = 12.7). */
export const FEWEST_FOR_INTERVAL = 3;

/** Below this share of the mean, what is left of a standard deviation is rounding. */
const ROUNDING = 1e-12;

export type Ci95 = [low: number, high: number];

export interface LogMean {
  n: number;
  mean: number;
  /** Standard error of the mean; exactly 0 when all are the same. */
  error: number;
}

export function logMean(logs: readonly number[]): LogMean {
  const n = logs.length;
  const mean = jstat.mean(logs);
  const deviation = n < 2 ? 0 : jstat.stdev(logs, true);
  const rounding = ROUNDING * Math.max(1, ...logs.map(Math.abs));
  return { n, mean, error: deviation <= rounding ? 0 : deviation / Math.sqrt(n) };
}

/**
 * 95 % interval of the geometric mean: Student's t interval of the mean of the logarithms, put back (Student 1908;
 * on logarithms as bioequivalence studies do it, FDA 2001). Its middle is √(low × high).
 *
 * Exact for any n when the noise is log-normal, which also a percentile bootstrap is not: of five rounds that one
 * holds the truth in about 83 %. Limits: the rounds have to be independent, so drift over a run counts as noise
 * unless it is taken out first by pairing; symmetric noise with heavy tails makes it too wide rather than too narrow;
 * one-sided noise (a stall in some of the rounds) moves the mean itself, and with few rounds most runs do not see it.
 * With 3 or 4 rounds nothing in the data can show that the noise is not log-normal, and the interval rests on it.
 *
 * @returns undefined for fewer than FEWEST_FOR_INTERVAL
 */
export function geometricCi95({ n, mean, error }: LogMean): Ci95 | undefined {
  if (n < FEWEST_FOR_INTERVAL) return undefined;
  const half = studentQuantile(0.975, n - 1) * error;
  return [Math.exp(mean - half), Math.exp(mean + half)];
}
