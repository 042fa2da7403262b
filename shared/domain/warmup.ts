/** Warm-ups: where a load starts, and a number of requests over its parts. */
import { isOpenLoop, type LoadPlan, type ScheduledLoad, type Stage } from './load-plan.ts';
import { connectionsOf, splitByWeight } from './shard.ts';
import { countOn } from './stripe.ts';

/** Connections, or arrivals a second, at the start of a ramp: after the jumps that its stages may begin with. */
export function startOfRamp(start: number, stages: readonly Stage[]): number {
  let from = start;
  for (const { durationUs, target } of stages) {
    if (durationUs > 0) break;
    from = target;
  }
  return from;
}

/**
 * Connections that a part of a load warms up with: a ramp is held where it starts, but at 1 connection at least, of the
 * whole, so that a part may have none.
 */
export function warmupConnections(load: ScheduledLoad): number {
  if (isOpenLoop(load) || load.executor === 'constant-connections') return connectionsOf(load);
  return countOn(load.stripe, Math.max(1, startOfRamp(load.startConnections, load.stages)));
}

/** The requests of a warm-up over the parts of its load, by the connections that warm up; a part may have none. */
export function splitWarmup(requests: number, loads: readonly LoadPlan[]): number[] {
  if (requests === 0) return loads.map(() => 0);
  return splitByWeight(
    requests,
    loads.map((load) => (load.executor === 'script' ? 1 : warmupConnections(load))),
  );
}
