/** The executors, by the name that scenarios use. */
import type { Clock } from '../../shared/clock.ts';
import { isOpenLoop, type ScheduledLoad } from '../../shared/domain/load-plan.ts';
import { ClosedLoop } from './closed-loop.ts';
import type { Executor, ScheduleSink } from './executor.ts';
import { OpenLoop } from './open-loop.ts';

export function createExecutor(load: ScheduledLoad, clock: Clock, sink: ScheduleSink): Executor {
  return isOpenLoop(load) ? new OpenLoop(load, clock, sink) : new ClosedLoop(load, clock, sink);
}
