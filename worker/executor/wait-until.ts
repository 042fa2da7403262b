/** How executors wait. All of it is on global timers, which tests put on a time of their own. */
import type { Clock } from '../../shared/clock.ts';

export type Cancel = () => void;

/**
 * A timer of Node sleeps whole milliseconds from a time of its own that is up to one behind, so it may be late by one;
 * the last of a wait is spent polling instead, with I/O served in between.
 */
const POLL_BELOW_US = 2_000;
/** Beyond this many ms Node takes a timer for one of 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A turn of the event loop with nothing in it takes less, one that serves a reply takes more. */
const EMPTY_TURN_US = 10;

let emptyTurnsUs = 0;

/**
 * What this thread has spent so far on turns of its event loop in which it did nothing but look at the clock, µs. It
 * is CPU time, but not work: whatever comes takes its place.
 */
export function idlePollingUs(): number {
  return emptyTurnsUs;
}

/** Calls `then` in the next turn of the event loop. */
function poll(clock: Clock, then: () => void): NodeJS.Immediate {
  const beforeUs = clock.now();
  return setImmediate(() => {
    const turnUs = clock.now() - beforeUs;
    if (turnUs < EMPTY_TURN_US) emptyTurnsUs += turnUs;
    then();
  });
}

/**
 * Calls `then` at `atUs` on `clock`, never before, and within a turn of the event loop; at once, from inside, if that
 * time has passed.
 * @returns cancels the call
 */
export function callAt(clock: Clock, atUs: number, then: () => void): Cancel {
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  const wait = (): void => {
    const leftUs = atUs - clock.now();
    if (leftUs <= 0) then();
    else if (leftUs < POLL_BELOW_US) immediate = poll(clock, wait);
    else timer = setTimeout(wait, Math.min(Math.floor(leftUs / 1_000) - 1, LONGEST_TIMER_MS));
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** As `callAt`, but never calls from inside: whoever is late must let I/O run between two rounds. */
export function callNextAt(clock: Clock, atUs: number, then: () => void): Cancel {
  let cancel = (): void => {};
  const immediate = poll(clock, () => {
    cancel = callAt(clock, atUs, then);
  });
  return () => {
    clearImmediate(immediate);
    cancel();
  };
}

/**
 * Calls `then` at `atUs` or up to about 2 ms later, never before and never from inside. Only timers: the thread sleeps,
 * and its CPU time says how much it had to do.
 */
export function callSoonAfter(clock: Clock, atUs: number, then: () => void): Cancel {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const leftMs = Math.ceil((atUs - clock.now()) / 1_000);
    timer = setTimeout(
      () => (clock.now() < atUs ? wait() : then()),
      Math.min(Math.max(0, leftMs), LONGEST_TIMER_MS),
    );
  };
  wait();
  return () => clearTimeout(timer);
}
