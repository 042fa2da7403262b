/**
 * How busy a load thread is with itself (DESIGN: the generator's own limits): its CPU time, and how late its event loop
 * gets round to a timer. A generator that is late measures itself.
 */
import { readFileSync } from 'node:fs';
import type { Clock } from '../shared/clock.ts';
import type { ThreadLoad } from '../shared/metrics/interval.ts';
import { idlePollingUs } from './executor/wait-until.ts';

/** Often enough to see a pause of a few milliseconds, seldom enough to cost nothing. */
const EVERY_MS = 10;

/** Of the calling thread, since it began, µs. */
export interface ThreadTimes {
  /** Any monotonic clock. */
  atUs: number;
  /** On a CPU, without polling for the next due time, which would give way to work. */
  cpuUs: number;
  /** Polling. */
  idleUs: number;
  /** Ready to run, and waiting for a CPU. */
  waitUs: number;
}

/** Undefined where the system does not tell (Linux does: proc(5), schedstat, ns on the CPU and ns of waiting for it). */
export function threadTimes(): ThreadTimes | undefined {
  try {
    const [onCpuNs, waitNs] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ').map(Number);
    const idleUs = idlePollingUs();
    return {
      atUs: performance.now() * 1_000,
      cpuUs: onCpuNs! / 1_000 - idleUs,
      idleUs,
      waitUs: waitNs! / 1_000,
    };
  } catch {
    return undefined;
  }
}

/** As `ThreadTimes.cpuUs`. */
export function threadCpuUs(): number | undefined {
  return threadTimes()?.cpuUs;
}

/** Of a second: from here on the thread had no time left for more. */
const FULL = 0.95;
/** Less than this is no second to judge by. */
const SHORTEST_US = 500_000;

/** What a thread did with its time, added up over its seconds. */
export class ThreadLoadSum {
  private readonly sum: ThreadLoad = { cpuUs: 0, waitUs: 0, lengthUs: 0, fullUs: 0 };

  /** Whole µs; undefined where there was no second to judge by. */
  get total(): ThreadLoad | undefined {
    const { cpuUs, waitUs, lengthUs, fullUs } = this.sum;
    if (lengthUs === 0) return undefined;
    const [cpu, wait, length, full] = [cpuUs, waitUs, lengthUs, fullUs].map(Math.round);
    return { cpuUs: cpu!, waitUs: wait!, lengthUs: length!, fullUs: full! };
  }

  /** From one end of a second to the next. */
  add(before: ThreadTimes, now: ThreadTimes): void {
    const lengthUs = now.atUs - before.atUs;
    if (lengthUs < SHORTEST_US) return;
    const cpuUs = Math.max(0, now.cpuUs - before.cpuUs);
    const idleUs = Math.max(0, now.idleUs - before.idleUs);
    // A thread waits for a core to poll on, too: that is nobody's loss.
    const waitUs = (now.waitUs - before.waitUs) * (cpuUs / Math.max(1, cpuUs + idleUs));
    this.sum.cpuUs += cpuUs;
    this.sum.waitUs += waitUs;
    this.sum.lengthUs += lengthUs;
    if (cpuUs + waitUs >= lengthUs * FULL) this.sum.fullUs += lengthUs;
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
