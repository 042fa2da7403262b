/** A k6 at work, asked how it is: ten times a second, and at the end of every second, until its load is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../shared/clock.ts';
import type { RestClient } from './rest-client.ts';

const STATUS_EVERY_MS = 100;
/** Questions in a row without an answer. */
const MOST_UNANSWERED = 3;

export interface LoadWatch {
  clock: Clock;
  rest: Pick<RestClient, 'status'>;
  /** The start instant, µs on the process's clock. */
  startUs: number;
  /** False once nobody wants to know any more. */
  goesOn(): boolean;
  /** Its exit says more than that it does not answer. */
  hasExited(): boolean;
  /** At the end of each second, and in the end; VUs that it has. */
  onSecond(second: number, vus: number, vusMax: number): void;
}

export interface LoadEnd {
  /** When it last said that it was at work, and when it said that it was not; µs on the process's clock. */
  aliveUs: number;
  endedUs: number;
  /** By the script itself, before its time. */
  interrupted: boolean;
}

/**
 * @returns undefined when it did not go on
 * @throws Error when k6 does not answer any more
 */
export async function watchLoad(watch: LoadWatch): Promise<LoadEnd | undefined> {
  const { clock, rest, startUs, goesOn, hasExited, onSecond } = watch;
  let aliveUs = startUs;
  let unanswered = 0;
  let nextSecond = 1;
  /** In a second that the load does not see the end of, VUs are those that it had. */
  let mostVus = 0;
  while (goesOn()) {
    const secondEndUs = startUs + nextSecond * 1e6;
    const everyMs = mostVus === 0 ? STATUS_EVERY_MS / 4 : STATUS_EVERY_MS;
    await sleep(Math.max(0, Math.min(everyMs, (secondEndUs - clock.now()) / 1_000)));
    const askedUs = clock.now();
    const status = await rest.status().catch(() => undefined);
    if (!goesOn()) return undefined;
    if (status === undefined) {
      if (!hasExited() && ++unanswered >= MOST_UNANSWERED) throw new Error('k6 does not answer any more');
      continue;
    }
    unanswered = 0;
    if (askedUs >= secondEndUs) {
      onSecond(nextSecond - 1, status.vus, status.vusMax);
      mostVus = 0;
      nextSecond = Math.floor((askedUs - startUs) / 1e6) + 1;
    }
    if (status.ended) {
      onSecond(nextSecond - 1, mostVus, status.vusMax);
      return { aliveUs, endedUs: askedUs, interrupted: status.interrupted };
    }
    mostVus = Math.max(mostVus, status.vus);
    aliveUs = askedUs;
  }
  return undefined;
}
