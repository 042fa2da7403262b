/** The executors, by the name that scenarios use. */
import type { Clock } from '../../shared/clock.ts';
import { isOpenLoop, type LoadPlan } from '../../shared/domain/load-plan.ts';
import { ClosedLoop } from './closed-loop.ts';
import type { Executor } from './executor.ts';
import { OpenLoop } from './open-loop.ts';

/** @param onDropped told of each planned request that will never be started, when that becomes certain */
export function createExecutor(load: LoadPlan, clock: Clock, onDropped: (count: number) => void): Executor {
  return isOpenLoop(load) ? new OpenLoop(load, clock, onDropped) : new ClosedLoop(load, clock, onDropped);
}
