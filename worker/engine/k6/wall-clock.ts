/** k6 stamps its samples with the wall clock; everything here is on the process's monotonic one. */
import type { Clock } from '../../../shared/clock.ts';

/**
 * What has to be added to µs of the wall clock to have µs of `clock`, to a few µs: the wall clock is read where it turns from
 * one millisecond to the next, for which this polls up to two of them.
 */
export function wallToClockUs(clock: Clock): number {
  const from = Date.now();
  let now = from;
  while (now === from) now = Date.now();
  return clock.now() - now * 1_000;
}
