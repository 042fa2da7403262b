/**
 * An engine under a rate cap: what an executor fires before its time is held until there is a permit for it, first come,
 * first served. The executor sees a request that takes longer; the intended start stays what it was, so that the latency
 * of an arrival that was held counts the wait.
 */
import type { Clock } from '../../shared/clock.ts';
import type { Engine } from '../engine/engine.ts';
import { Permits, type RateShare } from '../schedule/permits.ts';
import { type Cancel, callNextAt } from './wait-until.ts';

/** So many are sent in one turn of the event loop; replies are read before the next. */
const MOST_A_TURN = 64;

/** What a cap did to a load. */
export interface Held {
  /** Requests that had to wait for it. */
  requests: number;
  /** All their waits together, µs. */
  us: number;
}

interface HeldRequest {
  slot: number;
  intendedUs: number;
  sinceUs: number;
}

export class CappedEngine implements Engine {
  private readonly engine: Engine;
  private readonly clock: Clock;
  private readonly permits: Permits;
  private readonly waiting: HeldRequest[] = [];
  private cancelWake: Cancel | undefined;
  private readonly sum: Held = { requests: 0, us: 0 };

  /** @param startUs when the load begins, µs on the clock */
  constructor(engine: Engine, share: RateShare, clock: Clock, startUs: number) {
    this.engine = engine;
    this.clock = clock;
    this.permits = new Permits(share, startUs);
  }

  fire(slot: number, intendedUs: number): void {
    const nowUs = this.clock.now();
    if (this.waiting.length === 0 && this.permits.take(nowUs)) {
      this.engine.fire(slot, intendedUs);
      return;
    }
    this.waiting.push({ slot, intendedUs, sinceUs: nowUs });
    if (this.cancelWake === undefined) this.setTimer(nowUs);
  }

  release(slot: number): void {
    this.engine.release(slot);
  }

  get server(): string | undefined {
    return this.engine.server;
  }

  get inFlight(): number {
    return this.engine.inFlight;
  }

  close(): void {
    this.stop();
    this.engine.close();
  }

  /**
   * Gives up what is held.
   * @returns how many requests that were: fired by the executor, never sent
   */
  stop(): number {
    this.cancelWake?.();
    this.cancelWake = undefined;
    const nowUs = this.clock.now();
    for (const held of this.waiting) this.count(held, nowUs);
    return this.waiting.splice(0).length;
  }

  get held(): Held {
    return { requests: this.sum.requests, us: Math.round(this.sum.us) };
  }

  private setTimer(nowUs: number): void {
    this.cancelWake = callNextAt(this.clock, this.permits.nextUs(nowUs), () => this.wake());
  }

  private wake(): void {
    this.cancelWake = undefined;
    const nowUs = this.clock.now();
    for (let n = 0; n < MOST_A_TURN && this.waiting.length > 0 && this.permits.take(nowUs); n++) {
      const held = this.waiting.shift()!;
      this.count(held, nowUs);
      this.engine.fire(held.slot, held.intendedUs);
    }
    if (this.waiting.length > 0 && this.cancelWake === undefined) this.setTimer(nowUs);
  }

  private count({ sinceUs }: HeldRequest, nowUs: number): void {
    this.sum.requests++;
    this.sum.us += nowUs - sinceUs;
  }
}
