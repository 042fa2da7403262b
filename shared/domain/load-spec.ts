/** `load` of a scenario: the load plan that it becomes. */
import type { z } from 'zod';
import { problemsOf } from './fields.ts';
import {
  anyLoad,
  constantArrivalRate,
  constantConnections,
  rampingArrivalRate,
  rampingConnections,
} from './load-keys.ts';
import type { OpenLoad, Pause, RampingConnections, ScheduledLoad, Stage, ThinkTime } from './load-plan.ts';
import type { Problem } from './problem.ts';
import { peakConnections, totalArrivals } from './shard.ts';

const WHOLE = { offset: 0, stride: 1 };

/** The load plan, or what is wrong with it; paths start with `load`. */
export function readLoad(value: unknown): ScheduledLoad | Problem[] {
  const chosen = anyLoad.safeParse(value);
  if (!chosen.success) return problemsOf(chosen.error, ['load']);
  switch (chosen.data.executor) {
    case 'constant-connections':
      return read(constantConnections, value, constantConnectionsPlan);
    case 'ramping-connections':
      return read(rampingConnections, value, rampingConnectionsPlan);
    case 'constant-arrival-rate':
      return read(constantArrivalRate, value, constantArrivalRatePlan);
    case 'ramping-arrival-rate':
      return read(rampingArrivalRate, value, rampingArrivalRatePlan);
  }
}

function read<S extends z.ZodType>(
  schema: S,
  value: unknown,
  plan: (load: z.output<S>) => ScheduledLoad | Problem[],
): ScheduledLoad | Problem[] {
  const result = schema.safeParse(value);
  return result.success ? plan(result.data) : problemsOf(result.error, ['load']);
}

function constantConnectionsPlan(load: z.output<typeof constantConnections>): ScheduledLoad {
  const { connections, keepAlive, duration: durationUs, requests } = load;
  return {
    executor: 'constant-connections',
    connections,
    ...(durationUs !== undefined && { durationUs }),
    ...(requests !== undefined && { requests }),
    keepAlive,
    ...thinkTimePlan(load),
  };
}

function rampingConnectionsPlan(load: z.output<typeof rampingConnections>): ScheduledLoad | Problem[] {
  const { startConnections, stages, keepAlive, requests } = load;
  const plan: RampingConnections = {
    executor: 'ramping-connections',
    startConnections,
    stages,
    durationUs: lengthOf(stages),
    ...(requests !== undefined && { requests }),
    keepAlive,
    ...thinkTimePlan(load),
    stripe: WHOLE,
  };
  if (peakConnections(plan) > 0) return plan;
  return [
    {
      path: ['load', 'stages'],
      message: 'no connection would ever be active; give one a target of 1 or more',
    },
  ];
}

function constantArrivalRatePlan(load: z.output<typeof constantArrivalRate>): ScheduledLoad | Problem[] {
  const { rate: perSecond, duration: durationUs } = load;
  const plan: OpenLoad = {
    executor: 'constant-arrival-rate',
    rate: perSecond,
    durationUs,
    ...arrivingPlan(load),
  };
  return arrivalProblem(plan, 'rate') ?? plan;
}

function rampingArrivalRatePlan(load: z.output<typeof rampingArrivalRate>): ScheduledLoad | Problem[] {
  const { startRate, stages } = load;
  const plan: OpenLoad = {
    executor: 'ramping-arrival-rate',
    startRate,
    stages,
    durationUs: lengthOf(stages),
    ...arrivingPlan(load),
  };
  return arrivalProblem(plan, 'stages') ?? plan;
}

function arrivingPlan({
  maxConnections,
  maxWait: maxWaitUs,
  keepAlive,
  arrivals,
  seed,
}: z.output<typeof constantArrivalRate> | z.output<typeof rampingArrivalRate>) {
  const poisson = arrivals === 'poisson' ? { poisson: { seed } } : {};
  return { maxConnections, maxWaitUs, keepAlive, ...poisson, stripe: WHOLE };
}

function arrivalProblem(plan: OpenLoad, key: string): Problem[] | undefined {
  const arrivals = totalArrivals(plan);
  if (arrivals === 0) {
    return [{ path: ['load', key], message: 'at this rate not one request falls in the duration' }];
  }
  if (arrivals <= Number.MAX_SAFE_INTEGER) return undefined;
  return [
    { path: ['load', key], message: 'rate × duration makes more requests than can be counted exactly' },
  ];
}

function thinkTimePlan({ thinkTime: pause, seed }: { thinkTime?: Pause | undefined; seed: number }): {
  thinkTime?: ThinkTime;
} {
  return pause === undefined ? {} : { thinkTime: { pause, seed, stripe: WHOLE } };
}

function lengthOf(stages: readonly Stage[]): number {
  return stages.reduce((sum, { durationUs }) => sum + durationUs, 0);
}
