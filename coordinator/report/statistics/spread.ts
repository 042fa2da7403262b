/** One number of a cell over its rounds. */
import jstat from 'jstat';
import { type Ci95, geometricCi95, logMean } from './log-mean.ts';

export interface Spread {
  median: number;
  min: number;
  max: number;
  /**
   * 95 % interval of what the rounds scatter around (their geometric mean in the long run), from three rounds up;
   * absent when a value is 0. See `geometricCi95` for its limits.
   */
  ci95?: Ci95;
}

/** @param values one a round, at least one, none below 0 */
export function spreadOf(values: readonly number[]): Spread {
  const spread: Spread = { median: median(values), min: Math.min(...values), max: Math.max(...values) };
  const ci95 = values.every((value) => value > 0) ? geometricCi95(logMean(values.map(Math.log))) : undefined;
  return ci95 === undefined ? spread : { ...spread, ci95 };
}

export function median(values: readonly number[]): number {
  return jstat.median(values);
}
