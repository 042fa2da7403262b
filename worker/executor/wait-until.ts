import type { Clock } from '../../shared/clock.ts';

/** Timers of Node fire up to a millisecond late; the rest of a wait is spent polling, with I/O served in between. */
const POLL_BELOW_US = 1_500;

/**
 * Calls `then` at `atUs` on `clock`, or at once if that has passed, never before.
 * @returns cancels the call
 */
export function callAt(clock: Clock, atUs: number, then: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  const wait = (): void => {
    const leftUs = atUs - clock.now();
    if (leftUs <= 0) then();
    else if (leftUs > POLL_BELOW_US) timer = setTimeout(wait, Math.floor((leftUs - 1_000) / 1_000));
    else immediate = setImmediate(wait);
  };
  wait();
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
