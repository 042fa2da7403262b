/** `load` of a scenario: the keys of each executor, and the load plan that they become. */
import { z } from 'zod';
import { count, duration, durationOrZero, flag, mapping, oneOf, problemsOf, rate, refuse } from './fields.ts';
import type { Problem } from './problem.ts';
import type { LoadPlan } from './run.ts';
import { totalArrivals } from './shard.ts';

export const MOST_CONNECTIONS = 1_000_000;

const EXECUTORS = ['constant-connections', 'constant-arrival-rate'] as const;
const executor = oneOf(...EXECUTORS);

const CLOSED_FORM = '{ executor: constant-connections, connections: 16, duration: 30s }';
const anyLoad = z.looseObject(
  { executor },
  { error: (issue) => refuse(issue.input, `a mapping such as ${CLOSED_FORM}`).message },
);

const OPEN_ONLY = 'it belongs to executor constant-arrival-rate';
const constantConnections = mapping(
  {
    executor,
    connections: count(MOST_CONNECTIONS).default(1),
    duration: duration.optional(),
    requests: count().optional(),
    keepAlive: flag.default(true),
  },
  CLOSED_FORM,
  { rate: OPEN_ONLY, maxConnections: OPEN_ONLY, maxWait: OPEN_ONLY },
).superRefine((load, context) => {
  if (load.duration !== undefined || load.requests !== undefined) return;
  context.addIssue({
    code: 'custom',
    message:
      'neither "duration" nor "requests" is given, so it would never end; add one, such as duration: 30s',
  });
});

const constantArrivalRate = mapping(
  {
    executor,
    rate,
    duration,
    maxConnections: count(MOST_CONNECTIONS).default(1000),
    maxWait: durationOrZero.default(1_000_000),
    keepAlive: flag.default(true),
  },
  '{ executor: constant-arrival-rate, rate: 1500/s, duration: 30s }',
  {
    connections: 'with executor constant-arrival-rate give "maxConnections"',
    requests: 'with executor constant-arrival-rate the number of requests is rate × duration',
  },
);

/** The load plan, or what is wrong with it; paths start with `load`. */
export function readLoad(value: unknown): LoadPlan | Problem[] {
  const chosen = anyLoad.safeParse(value);
  if (!chosen.success) return problemsOf(chosen.error, ['load']);
  return chosen.data.executor === 'constant-connections' ? readClosed(value) : readOpen(value);
}

function readClosed(value: unknown): LoadPlan | Problem[] {
  const read = constantConnections.safeParse(value);
  if (!read.success) return problemsOf(read.error, ['load']);
  const { connections, keepAlive, duration: durationUs, requests } = read.data;
  return {
    executor: 'constant-connections',
    connections,
    ...(durationUs !== undefined && { durationUs }),
    ...(requests !== undefined && { requests }),
    keepAlive,
  };
}

function readOpen(value: unknown): LoadPlan | Problem[] {
  const read = constantArrivalRate.safeParse(value);
  if (!read.success) return problemsOf(read.error, ['load']);
  const { rate: perSecond, duration: durationUs, maxConnections, maxWait: maxWaitUs, keepAlive } = read.data;
  const plan: LoadPlan = {
    executor: 'constant-arrival-rate',
    rate: perSecond,
    durationUs,
    maxConnections,
    maxWaitUs,
    keepAlive,
    stripe: { offset: 0, stride: 1 },
  };
  const arrivals = totalArrivals(plan);
  if (arrivals === 0)
    return [{ path: ['load', 'rate'], message: 'at this rate not one request falls in the duration' }];
  if (arrivals > Number.MAX_SAFE_INTEGER) {
    return [
      { path: ['load', 'rate'], message: 'rate × duration makes more requests than can be counted exactly' },
    ];
  }
  return plan;
}
