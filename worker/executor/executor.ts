/** The role of an executor: it turns a load into calls of `engine.fire`. One executor drives one thread's share. */
import type { Engine } from '../engine/engine.ts';

export interface ExecutorOutcome {
  /** Planned requests that were never started. */
  dropped: number;
  /** When the load ended, µs after the start instant; its duration is measured to here. */
  endUs: number;
}

/** Told by an executor of what became of its schedule. */
export interface ScheduleSink {
  /** So many planned requests will never be started; told when that becomes certain. */
  dropped(count: number): void;
  /** Open loop: how long after its due time the executor came to an arrival, µs: the generator's own lateness. */
  late(us: number): void;
}

export interface Executor {
  /** Slots that the engine must offer. */
  readonly slots: number;
  /** Drives the load from `startUs` (µs on the thread's clock) to its end. Resolves when nothing more will be fired. */
  run(engine: Engine, startUs: number): Promise<ExecutorOutcome>;
  /** The engine's `onFree`. */
  onFree(slot: number): void;
  /** Ends the load now; `run` resolves. */
  stop(): void;
}
