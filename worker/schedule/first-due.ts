/** When a share's first request is due. */
import { isOpenLoop, type ScheduledLoad } from '../../shared/domain/load-plan.ts';
import { arrivalsOf } from './arrivals.ts';
import { connectionSteps } from './connection-steps.ts';

/** µs after the start instant: 0, but for arrivals and connections that begin later; Infinity for a share of none. */
export function firstDueUs(load: ScheduledLoad): number {
  if (isOpenLoop(load)) return arrivalsOf(load).next();
  const steps = connectionSteps(load);
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    if (step.value.active > 0) return step.value.atUs;
  }
  return Number.POSITIVE_INFINITY;
}
