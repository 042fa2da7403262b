/**
 * How busy a load thread is with itself (DESIGN: the generator's own limits): its CPU time, and how late its event loop
 * gets round to a timer. A generator that is late measures itself.
 */
import { readFileSync } from 'node:fs';
import type { Clock } from '../shared/clock.ts';
import { idlePollingUs } from './executor/wait-until.ts';

/** Often enough to see a pause of a few milliseconds, seldom enough to cost nothing. */
const EVERY_MS = 10;

/**
 * CPU time that the calling thread has worked for, µs, without its polling for the next due time, which would give way
 * to work; undefined where the system does not tell (Linux does: proc(5), schedstat, ns on the CPU).
 */
export function threadCpuUs(): number | undefined {
  try {
    const onCpuNs = Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
    return onCpuNs / 1_000 - idlePollingUs();
  } catch {
    return undefined;
  }
}

/**
 * Calls `onDelay` with how much later than asked a timer fired, µs, every few milliseconds.
 * @returns ends it
 */
export function watchLoopDelay(clock: Clock, onDelay: (delayUs: number) => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const dueUs = clock.now() + EVERY_MS * 1_000;
    timer = setTimeout(() => {
      onDelay(Math.max(0, clock.now() - dueUs));
      wait();
    }, EVERY_MS);
  };
  wait();
  return () => clearTimeout(timer);
}
