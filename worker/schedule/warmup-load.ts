/** What a load is warmed up with. */
import type { ScheduledLoad } from '../../shared/domain/load-plan.ts';
import { startOfRamp, warmupConnections } from '../../shared/domain/warmup.ts';

/**
 * The load itself for another duration; a ramp is held where it starts (after the jumps that its stages may begin
 * with), but at 1 connection or 1 arrival a second at least, of the whole: the warm-up is to warm up, not to run
 * the ramp's peak before the ramp. @param requests closed loops: end after so many
 */
export function warmupLoad(load: ScheduledLoad, durationUs: number, requests?: number): ScheduledLoad {
  const most = requests === undefined ? {} : { requests };
  switch (load.executor) {
    case 'constant-connections': {
      const { requests: _requests, ...rest } = load;
      return { ...rest, durationUs, ...most };
    }
    case 'ramping-connections': {
      const { keepAlive, thinkTime } = load;
      const connections = warmupConnections(load);
      const base = { executor: 'constant-connections', connections, durationUs, keepAlive, ...most } as const;
      return thinkTime === undefined ? base : { ...base, thinkTime };
    }
    case 'constant-arrival-rate':
      return { ...load, durationUs };
    case 'ramping-arrival-rate': {
      const { startRate, stages, ...rest } = load;
      const rate = Math.max(1, startOfRamp(startRate, stages));
      return { ...rest, executor: 'constant-arrival-rate', rate, durationUs };
    }
  }
}
