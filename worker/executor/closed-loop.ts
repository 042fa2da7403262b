/**
 * Closed loop: each connection sends its next request when the last has finished, and it has thought as long as it is
 * to think, until the time or the number is up. How many connections take part may change on the way.
 */
import type { Clock } from '../../shared/clock.ts';
import type { ClosedLoad } from '../../shared/domain/load-plan.ts';
import { connectionsOf } from '../../shared/domain/shard.ts';
import type { Engine } from '../engine/engine.ts';
import { connectionSteps } from '../schedule/connection-steps.ts';
import type { Executor, ExecutorOutcome, ScheduleSink } from './executor.ts';
import { Thinkers } from './thinkers.ts';
import { type Cancel, callAt, callNextAt, callSoonAfter } from './wait-until.ts';

/** What a connection does. */
const STOPPED = 0;
const IN_FLIGHT = 1;
const THINKING = 2;

export class ClosedLoop implements Executor {
  readonly slots: number;
  private readonly clock: Clock;
  private readonly durationUs: number;
  private readonly sink: ScheduleSink;
  private engine!: Engine;
  private startUs = 0;
  /** Requests still to be sent; infinite when only time ends the load. */
  private budget: number;
  /** Slots below this take part; the others stop after their request. */
  private active = 0;
  private readonly steps: ReturnType<typeof connectionSteps>;
  private nextStep: ReturnType<typeof this.steps.next>;
  private readonly state: Uint8Array;
  private readonly thinkers: Thinkers | undefined;
  private inFlight = 0;
  private finish: ((outcome: ExecutorOutcome) => void) | undefined;
  private cancelDeadline: Cancel = () => {};
  private cancelStep: Cancel = () => {};

  constructor(load: ClosedLoad, clock: Clock, sink: ScheduleSink) {
    this.slots = connectionsOf(load);
    this.clock = clock;
    this.durationUs = load.durationUs ?? Number.POSITIVE_INFINITY;
    this.budget = load.requests ?? Number.POSITIVE_INFINITY;
    this.sink = sink;
    this.steps = connectionSteps(load);
    this.nextStep = this.steps.next();
    this.state = new Uint8Array(this.slots);
    if (load.thinkTime !== undefined) {
      this.thinkers = new Thinkers(load.thinkTime, this.slots, clock, (slot) => this.next(slot));
    }
  }

  run(engine: Engine, startUs: number): Promise<ExecutorOutcome> {
    this.engine = engine;
    this.startUs = startUs;
    return new Promise((resolve) => {
      this.finish = resolve;
      this.cancelDeadline = callNextAt(this.clock, startUs, () => this.begin());
    });
  }

  private begin(): void {
    if (Number.isFinite(this.durationUs)) {
      this.cancelDeadline = callAt(this.clock, this.startUs + this.durationUs, () => this.end());
    }
    // A start that came too late finds its time over already.
    if (this.finish !== undefined) this.takeSteps();
  }

  /** All connections up to the number that is due by now, however late this is; then waits for the next change. */
  private takeSteps(): void {
    const sinceUs = this.clock.now() - this.startUs;
    const before = this.active;
    while (this.nextStep.done !== true && this.nextStep.value.atUs <= sinceUs) {
      this.active = this.nextStep.value.active;
      this.nextStep = this.steps.next();
    }
    // One that was to stop and has not come to it goes on.
    for (let slot = before; slot < this.active; slot++) if (this.state[slot] === STOPPED) this.next(slot);
    for (let slot = this.active; slot < before; slot++) {
      if (this.state[slot] === THINKING) this.engine.release(slot);
    }
    if (this.nextStep.done === true) return;
    const { atUs } = this.nextStep.value;
    this.cancelStep = callSoonAfter(this.clock, this.startUs + atUs, () => this.takeSteps());
  }

  onFree(slot: number): void {
    // After the end the engine is closing; nothing more is fired.
    if (this.finish === undefined) return;
    this.inFlight--;
    if (this.thinkers !== undefined && this.budget > 0 && slot < this.active) {
      this.state[slot] = THINKING;
      this.thinkers.add(slot);
    } else {
      this.next(slot);
    }
  }

  /** The slot is free and awake: sends its next request, or stops it. */
  private next(slot: number): void {
    if (slot < this.active && this.budget > 0) {
      this.state[slot] = IN_FLIGHT;
      this.inFlight++;
      this.budget--;
      // No intended start: in closed loop a request is due when it is sent.
      this.engine.fire(slot, 0);
      return;
    }
    this.state[slot] = STOPPED;
    if (slot >= this.active) this.engine.release(slot);
    if (this.budget === 0 && this.inFlight === 0) this.end();
  }

  stop(): void {
    this.end();
  }

  private end(): void {
    const { finish } = this;
    if (finish === undefined) return;
    this.finish = undefined;
    this.cancelDeadline();
    this.cancelStep();
    this.thinkers?.stop();
    const endUs = Math.max(0, this.clock.now() - this.startUs);
    const dropped = Number.isFinite(this.budget) ? this.budget : 0;
    if (dropped > 0) this.sink.dropped(dropped);
    finish({ dropped, endUs });
  }
}
