/** An executor from its start to its end, in virtual time, on an engine whose requests take as long as a test says. */
import assert from 'node:assert/strict';
import type { Executor, ExecutorOutcome, ScheduleSink } from '../../worker/executor/executor.ts';
import { FakeEngine } from './fake-engine.ts';
import type { VirtualTime } from './virtual-time.ts';

export const START_US = 5_000;

export interface Course {
  engine: FakeEngine;
  outcome: ExecutorOutcome;
  /** Told while it ran. */
  dropped: number;
}

/**
 * @param late told how late the executor came to an arrival, µs
 * @param stopUs when it is stopped
 */
export async function driveExecutor(
  time: VirtualTime,
  make: (sink: ScheduleSink) => Executor,
  takesUs: (n: number) => number,
  late: ScheduleSink['late'],
  stopUs?: number,
): Promise<Course> {
  let dropped = 0;
  const executor = make({
    dropped: (count) => {
      assert.ok(count > 0);
      dropped += count;
    },
    late,
  });
  const engine = new FakeEngine(time, executor.slots, takesUs);
  engine.onFree = (slot) => executor.onFree(slot);
  let running!: Promise<ExecutorOutcome>;
  time.run(() => {
    running = executor.run(engine, START_US);
    if (stopUs !== undefined) time.at(stopUs, () => executor.stop());
  });
  return { engine, outcome: await running, dropped };
}
