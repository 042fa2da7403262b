/**
 * Open loop: every request has its own due time, whatever became of the ones before it. An arrival that finds all
 * connections busy waits for one, its latency counting from its due time; after `maxWaitUs` it is dropped, and counted.
 */
import type { Clock } from '../../shared/clock.ts';
import type { ConstantArrivalRate } from '../../shared/domain/run.ts';
import type { Engine } from '../engine/engine.ts';
import { type Arrivals, evenArrivals } from '../schedule/arrivals.ts';
import type { Executor, ExecutorOutcome } from './executor.ts';
import { callAt } from './wait-until.ts';

export class OpenLoop implements Executor {
  readonly slots: number;
  private readonly clock: Clock;
  private readonly load: ConstantArrivalRate;
  private readonly arrivals: Arrivals;
  private readonly onDropped: (count: number) => void;
  private engine!: Engine;
  private startUs = 0;
  private nextArrival = 0;
  private dropped = 0;
  /** Last in, first out: the connection that was busy last is taken first, so that few are opened. */
  private readonly free: number[] = [];
  /** Due times (µs on the clock) of the arrivals that wait for a connection, oldest first, from `waitingHead` on. */
  private waiting: number[] = [];
  private waitingHead = 0;
  private finish: ((outcome: ExecutorOutcome) => void) | undefined;
  private cancelPump = (): void => {};

  constructor(load: ConstantArrivalRate, clock: Clock, onDropped: (count: number) => void) {
    this.slots = load.maxConnections;
    this.clock = clock;
    this.load = load;
    this.arrivals = evenArrivals(load);
    this.onDropped = onDropped;
    for (let slot = this.slots - 1; slot >= 0; slot--) this.free.push(slot);
  }

  run(engine: Engine, startUs: number): Promise<ExecutorOutcome> {
    this.engine = engine;
    this.startUs = startUs;
    return new Promise((resolve) => {
      this.finish = resolve;
      this.cancelPump = callAt(this.clock, startUs, () => this.pump());
    });
  }

  onFree(slot: number): void {
    if (this.finish === undefined) return;
    const dueUs = this.takeWaiting();
    if (dueUs !== undefined) {
      this.engine.fire(slot, dueUs);
      return;
    }
    this.free.push(slot);
    this.endIfDone();
  }

  stop(): void {
    this.end();
  }

  /** Fires what is due, gives up on what has waited too long, and comes back for the next event. */
  private pump(): void {
    if (this.finish === undefined) return;
    const nowUs = this.clock.now();
    while (this.nextArrival < this.arrivals.count) {
      const dueUs = this.startUs + this.arrivals.dueUs(this.nextArrival);
      if (dueUs > nowUs) break;
      this.nextArrival++;
      const slot = this.free.pop();
      if (slot === undefined) this.waiting.push(dueUs);
      else this.engine.fire(slot, dueUs);
    }
    this.dropOverdue(nowUs);
    const nextUs = this.nextEventUs();
    if (nextUs === undefined) this.endIfDone();
    else this.cancelPump = callAtFrom(this.clock, nextUs, () => this.pump());
  }

  private nextEventUs(): number | undefined {
    const arrival =
      this.nextArrival < this.arrivals.count ? this.startUs + this.arrivals.dueUs(this.nextArrival) : undefined;
    const oldest = this.waiting[this.waitingHead];
    const overdue = oldest === undefined ? undefined : oldest + this.load.maxWaitUs;
    if (arrival !== undefined && overdue !== undefined) return Math.min(arrival, overdue);
    // The last arrivals may still be waiting for the end of the load itself.
    return arrival ?? overdue ?? this.endOfLoadUs();
  }

  /** The load lasts its whole duration, also when its last arrival is answered before. */
  private endOfLoadUs(): number | undefined {
    const endUs = this.startUs + this.load.durationUs;
    return this.clock.now() < endUs ? endUs : undefined;
  }

  private takeWaiting(): number | undefined {
    if (this.waitingHead === this.waiting.length) return undefined;
    this.dropOverdue(this.clock.now());
    const dueUs = this.waiting[this.waitingHead];
    if (dueUs !== undefined) this.waitingHead++;
    return dueUs;
  }

  private dropOverdue(nowUs: number): void {
    const oldestAllowedUs = nowUs - this.load.maxWaitUs;
    const before = this.waitingHead;
    while (this.waitingHead < this.waiting.length && this.waiting[this.waitingHead]! <= oldestAllowedUs) {
      this.waitingHead++;
    }
    if (this.waitingHead > before) this.drop(this.waitingHead - before);
    // Give the memory back now and then rather than shift one by one.
    if (this.waitingHead > 1024 && this.waitingHead * 2 > this.waiting.length) {
      this.waiting = this.waiting.slice(this.waitingHead);
      this.waitingHead = 0;
    }
  }

  private drop(count: number): void {
    this.dropped += count;
    this.onDropped(count);
  }

  private endIfDone(): void {
    const idle = this.waitingHead === this.waiting.length && this.free.length === this.slots;
    if (this.nextArrival === this.arrivals.count && idle && this.endOfLoadUs() === undefined) this.end();
  }

  private end(): void {
    const { finish } = this;
    if (finish === undefined) return;
    this.finish = undefined;
    this.cancelPump();
    const never = this.arrivals.count - this.nextArrival + (this.waiting.length - this.waitingHead);
    if (never > 0) this.drop(never);
    finish({ dropped: this.dropped, endUs: Math.max(0, this.clock.now() - this.startUs) });
  }
}

/** As `callAt`, but never calls from inside: a pump that is late must let I/O run between two rounds. */
function callAtFrom(clock: Clock, atUs: number, then: () => void): () => void {
  let cancel = (): void => {};
  const immediate = setImmediate(() => {
    cancel = callAt(clock, atUs, then);
  });
  return () => {
    clearImmediate(immediate);
    cancel();
  };
}
