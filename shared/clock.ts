/**
 * One clock for a whole process: microseconds since the Unix epoch, monotonic. The wall clock is read once, at
 * start (as `performance.timeOrigin`, which has microseconds where Date.now has not); after that only the monotonic clock counts, so that a step of the wall clock cannot bend a timeline.
 *
 * `process.hrtime` counts from the same origin in every thread of a process, `performance.now` does not; threads
 * therefore take the process's `epochBaseUs` and agree with its main thread to the microsecond.
 */
export interface Clock {
  /** Microseconds since the epoch, with a fraction. */
  now(): number;
  /** What `now` adds to the machine's monotonic microseconds; hand it to `clockFrom` in another thread. */
  readonly epochBaseUs: number;
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint()) / 1000;
}

/** hrtime minus performance.now: the closest of a few pairs of readings, for a first call may take milliseconds. */
function betweenClocksUs(): number {
  let best = 0;
  let closest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 8; i++) {
    const before = performance.now() * 1000;
    const middle = monotonicUs();
    const after = performance.now() * 1000;
    if (after - before >= closest) continue;
    closest = after - before;
    best = middle - (before + after) / 2;
  }
  return best;
}

/** The clock of another thread of this process, rebuilt from its base. */
export function clockFrom(epochBaseUs: number): Clock {
  // performance.now() costs half of hrtime.bigint(), and it is read twice a request.
  const shiftUs = epochBaseUs + betweenClocksUs();
  return { epochBaseUs, now: () => performance.now() * 1000 + shiftUs };
}

/** This process's clock. */
export const clock: Clock = clockFrom(performance.timeOrigin * 1000 - betweenClocksUs());
