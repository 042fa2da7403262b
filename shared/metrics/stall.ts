/** Stalls: seconds in which a target owed replies and gave none. Whole seconds, because intervals are. */
import type { IntervalCounts } from './interval.ts';

export interface Stall {
  /** Since the trial's start instant, whole seconds. */
  fromSecond: number;
  seconds: number;
}

/**
 * Whether a second is a part of a stall, over the whole fleet: requests were under way (still in flight at its end, or
 * failed in it) and no reply came. A reply that broke `expect` is one: whoever answers does not stall.
 */
export function isSilent(
  { completed, failed, status }: Pick<IntervalCounts, 'completed' | 'failed' | 'status'>,
  inFlight: number,
): boolean {
  return completed === 0 && Object.keys(status).length === 0 && (inFlight > 0 || failed > 0);
}

/** Runs of silent seconds, in order. @param silent by second, from 0 */
export function stallsIn(silent: Iterable<boolean>): Stall[] {
  const stalls: Stall[] = [];
  let second = 0;
  for (const now of silent) {
    const last = stalls.at(-1);
    if (now && last !== undefined && last.fromSecond + last.seconds === second) last.seconds++;
    else if (now) stalls.push({ fromSecond: second, seconds: 1 });
    second++;
  }
  return stalls;
}
