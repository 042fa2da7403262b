/** What a load is warmed up with. */
import type { LoadPlan } from '../../shared/domain/load-plan.ts';
import { countOn } from '../../shared/domain/shard.ts';

/**
 * The load itself for another duration; a ramp is held where it starts (after the jumps that its stages may begin
 * with), but at 1 connection or 1 arrival a second at least, of the whole: the warm-up is to warm up, not to run
 * the ramp's peak before the ramp.
 */
export function warmupLoad(load: LoadPlan, durationUs: number): LoadPlan {
  switch (load.executor) {
    case 'constant-connections': {
      const { requests: _requests, ...rest } = load;
      return { ...rest, durationUs };
    }
    case 'ramping-connections': {
      const { keepAlive, thinkTime, stripe } = load;
      const connections = countOn(stripe, Math.max(1, startOf(load.startConnections, load.stages)));
      const base = { executor: 'constant-connections', connections, durationUs, keepAlive } as const;
      return thinkTime === undefined ? base : { ...base, thinkTime };
    }
    case 'constant-arrival-rate':
      return { ...load, durationUs };
    case 'ramping-arrival-rate': {
      const { startRate, stages, ...rest } = load;
      const rate = Math.max(1, startOf(startRate, stages));
      return { ...rest, executor: 'constant-arrival-rate', rate, durationUs };
    }
  }
}

function startOf(start: number, stages: readonly { durationUs: number; target: number }[]): number {
  let from = start;
  for (const { durationUs, target } of stages) {
    if (durationUs > 0) break;
    from = target;
  }
  return from;
}
