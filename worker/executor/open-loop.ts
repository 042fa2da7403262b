/**
 * Open loop: every request has its own due time, whatever became of the ones before it. An arrival that finds all
 * connections busy waits for one, its latency counting from its due time; after `maxWaitUs` it is dropped, and counted.
 */
import type { Clock } from '../../shared/clock.ts';
import type { OpenLoad } from '../../shared/domain/load-plan.ts';
import type { Engine } from '../engine/engine.ts';
import { type Arrivals, arrivalsOf } from '../schedule/arrivals.ts';
import type { Executor, ExecutorOutcome, ScheduleSink } from './executor.ts';
import { type Cancel, callNextAt } from './wait-until.ts';

/** So many are sent in one turn of the event loop by a pump that is late; replies are read before the next. */
const MOST_A_TURN = 64;

export class OpenLoop implements Executor {
  readonly slots: number;
  private readonly clock: Clock;
  private readonly load: OpenLoad;
  private readonly arrivals: Arrivals;
  private readonly sink: ScheduleSink;
  private engine!: Engine;
  private startUs = 0;
  /** When the next arrival of the schedule is due, µs on the clock; Infinity when none is left. */
  private nextDueUs = Number.POSITIVE_INFINITY;
  /** Arrivals taken from the schedule so far: started, waiting or dropped. */
  private taken = 0;
  private dropped = 0;
  /** Last in, first out: the connection that was busy last is taken first, so that few are opened. */
  private readonly free: number[] = [];
  /** Due times (µs on the clock) of the arrivals that wait for a connection, oldest first, from `waitingHead` on. */
  private waiting: number[] = [];
  private waitingHead = 0;
  private finish: ((outcome: ExecutorOutcome) => void) | undefined;
  private cancelPump: Cancel = () => {};

  constructor(load: OpenLoad, clock: Clock, sink: ScheduleSink) {
    this.slots = load.maxConnections;
    this.clock = clock;
    this.load = load;
    this.arrivals = arrivalsOf(load);
    this.sink = sink;
    for (let slot = this.slots - 1; slot >= 0; slot--) this.free.push(slot);
  }

  run(engine: Engine, startUs: number): Promise<ExecutorOutcome> {
    this.engine = engine;
    this.startUs = startUs;
    return new Promise((resolve) => {
      this.finish = resolve;
      this.nextDueUs = startUs + this.arrivals.next();
      this.cancelPump = callNextAt(this.clock, startUs, () => this.pump());
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
    for (let n = 0; n < MOST_A_TURN && this.nextDueUs <= nowUs; n++) this.takeArrival(nowUs);
    this.dropOverdue(nowUs);
    const nextUs = this.nextEventUs();
    if (nextUs === undefined) this.endIfDone();
    else this.cancelPump = callNextAt(this.clock, nextUs, () => this.pump());
  }

  private takeArrival(nowUs: number): void {
    const dueUs = this.nextDueUs;
    this.sink.late(nowUs - dueUs);
    this.nextDueUs = this.startUs + this.arrivals.next();
    this.taken++;
    const slot = this.free.pop();
    if (slot === undefined) this.waiting.push(dueUs);
    else this.engine.fire(slot, dueUs);
  }

  private nextEventUs(): number | undefined {
    const oldest = this.waiting[this.waitingHead];
    const overdueUs = oldest === undefined ? Number.POSITIVE_INFINITY : oldest + this.load.maxWaitUs;
    const nextUs = Math.min(this.nextDueUs, overdueUs);
    // The last arrivals may still be waiting for the end of the load itself.
    return nextUs === Number.POSITIVE_INFINITY ? this.endOfLoadUs() : nextUs;
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
    this.sink.dropped(count);
  }

  private endIfDone(): void {
    const idle = this.waitingHead === this.waiting.length && this.free.length === this.slots;
    if (this.taken === this.arrivals.count && idle && this.endOfLoadUs() === undefined) this.end();
  }

  private end(): void {
    const { finish } = this;
    if (finish === undefined) return;
    this.finish = undefined;
    this.cancelPump();
    const never = this.arrivals.count - this.taken + (this.waiting.length - this.waitingHead);
    if (never > 0) this.drop(never);
    finish({ dropped: this.dropped, endUs: Math.max(0, this.clock.now() - this.startUs) });
  }
}
