/** Closed loop: each connection sends its next request when the last has finished, until the time or the number is up. */
import type { Clock } from '../../shared/clock.ts';
import type { ConstantConnections } from '../../shared/domain/run.ts';
import type { Engine } from '../engine/engine.ts';
import type { Executor, ExecutorOutcome } from './executor.ts';
import { callAt } from './wait-until.ts';

export class ClosedLoop implements Executor {
  readonly slots: number;
  private readonly clock: Clock;
  private readonly durationUs: number | undefined;
  private readonly onDropped: (count: number) => void;
  private engine!: Engine;
  private startUs = 0;
  /** Requests still to be sent; infinite when only time ends the load. */
  private budget: number;
  private active = 0;
  private finish: ((outcome: ExecutorOutcome) => void) | undefined;
  private cancelDeadline = (): void => {};

  constructor(load: ConstantConnections, clock: Clock, onDropped: (count: number) => void) {
    this.slots = load.connections;
    this.clock = clock;
    this.durationUs = load.durationUs;
    this.budget = load.requests ?? Number.POSITIVE_INFINITY;
    this.onDropped = onDropped;
  }

  run(engine: Engine, startUs: number): Promise<ExecutorOutcome> {
    this.engine = engine;
    this.startUs = startUs;
    return new Promise((resolve) => {
      this.finish = resolve;
      callAt(this.clock, startUs, () => this.begin());
    });
  }

  private begin(): void {
    if (this.finish === undefined) return;
    if (this.durationUs !== undefined) {
      this.cancelDeadline = callAt(this.clock, this.startUs + this.durationUs, () => this.stop());
      // A start that came too late may find its time over already.
      if (this.finish === undefined) return;
    }
    const opening = Math.min(this.slots, this.budget);
    this.active = opening;
    for (let slot = 0; slot < opening; slot++) this.next(slot);
  }

  onFree(slot: number): void {
    // After the end the engine is closing; nothing more is fired.
    if (this.finish === undefined) return;
    if (this.budget > 0) {
      this.next(slot);
    } else if (--this.active === 0) {
      this.end();
    }
  }

  private next(slot: number): void {
    this.budget--;
    // No intended start: in closed loop a request is due when it is sent.
    this.engine.fire(slot, 0);
  }

  stop(): void {
    this.end();
  }

  private end(): void {
    const { finish } = this;
    if (finish === undefined) return;
    this.finish = undefined;
    this.cancelDeadline();
    const endUs = Math.max(0, this.clock.now() - this.startUs);
    const dropped = Number.isFinite(this.budget) ? this.budget : 0;
    if (dropped > 0) this.onDropped(dropped);
    finish({ dropped, endUs });
  }
}
