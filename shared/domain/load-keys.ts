/** `load` of a scenario: the keys of each executor, as zod schemas. */
import { z } from 'zod';
import {
  count,
  duration,
  durationOrZero,
  flag,
  listField,
  mapping,
  oneOf,
  rate,
  rateOrZero,
  refuse,
} from './fields.ts';
import type { Stage } from './load-plan.ts';
import { thinkTime } from './think-time.ts';

export const MOST_CONNECTIONS = 1_000_000;
const LARGEST_SEED = 2 ** 32 - 1;
/** A fixed one, so that a scenario has the same random times whenever it is run. */
const DEFAULT_SEED = 1;

const EXECUTORS = [
  'constant-connections',
  'ramping-connections',
  'constant-arrival-rate',
  'ramping-arrival-rate',
] as const;
const executor = oneOf(...EXECUTORS);

const CLOSED_FORM = '{ executor: constant-connections, connections: 16, duration: 30s }';
export const anyLoad = z.looseObject(
  { executor },
  { error: (issue) => refuse(issue.input, `a mapping such as ${CLOSED_FORM}`).message },
);

const OPEN_ONLY = 'it belongs to executor constant-arrival-rate or ramping-arrival-rate';
const NOT_CLOSED = { rate: OPEN_ONLY, maxConnections: OPEN_ONLY, maxWait: OPEN_ONLY, arrivals: OPEN_ONLY };
const closedKeys = {
  executor,
  requests: count().optional(),
  keepAlive: flag.default(true),
  thinkTime: thinkTime.optional(),
  seed: count(LARGEST_SEED, 0).default(DEFAULT_SEED),
};
const openKeys = {
  executor,
  maxConnections: count(MOST_CONNECTIONS).default(1000),
  maxWait: durationOrZero.default(1_000_000),
  keepAlive: flag.default(true),
  arrivals: oneOf('even', 'poisson').default('even'),
  seed: count(LARGEST_SEED, 0).default(DEFAULT_SEED),
};
const NOT_OPEN = {
  connections: 'with an arrival rate give "maxConnections"',
  requests: 'with an arrival rate the number of requests is rate × duration',
  thinkTime: 'it belongs to executor constant-connections or ramping-connections',
};
const RAMPS_ONLY = 'it belongs to executor ramping-connections or ramping-arrival-rate';
const IN_STAGES = 'each of the stages has a duration of its own';

export const constantConnections = mapping(
  { ...closedKeys, connections: count(MOST_CONNECTIONS).default(1), duration: duration.optional() },
  CLOSED_FORM,
  { ...NOT_CLOSED, stages: RAMPS_ONLY, startConnections: 'it belongs to executor ramping-connections' },
).superRefine((load, context) => {
  if (load.duration !== undefined || load.requests !== undefined) return;
  context.addIssue({
    code: 'custom',
    message:
      'neither "duration" nor "requests" is given, so it would never end; add one, such as duration: 30s',
  });
});

const MOST_STAGES = 10_000;

function stages(target: typeof rateOrZero, example: string) {
  const stage = mapping({ duration: durationOrZero, target }, `{ duration: 30s, target: ${example} }`);
  return listField(stage, `[{ duration: 30s, target: ${example} }]`)
    .superRefine((list, context) => {
      if (list.length === 0) refuseStages(context, 'there are none; give at least one with a duration');
      else if (list.length > MOST_STAGES)
        refuseStages(context, `${list.length} of them; at most ${MOST_STAGES}`);
      else if (list.every((each) => each.duration === 0)) {
        refuseStages(context, 'all of them together last no time at all; give at least one a duration');
      }
    })
    .transform((list) => list.map((each): Stage => ({ durationUs: each.duration, target: each.target })));
}

function refuseStages(context: z.RefinementCtx, message: string): void {
  context.addIssue({ code: 'custom', message });
}

export const rampingConnections = mapping(
  {
    ...closedKeys,
    startConnections: count(MOST_CONNECTIONS, 0).default(0),
    stages: stages(count(MOST_CONNECTIONS, 0), '50'),
  },
  '{ executor: ramping-connections, stages: [{ duration: 30s, target: 50 }] }',
  {
    ...NOT_CLOSED,
    duration: IN_STAGES,
    connections: 'the stages have targets; the first begins at "startConnections"',
  },
);

export const constantArrivalRate = mapping(
  { ...openKeys, rate, duration },
  '{ executor: constant-arrival-rate, rate: 1500/s, duration: 30s }',
  { ...NOT_OPEN, stages: RAMPS_ONLY, startRate: 'it belongs to executor ramping-arrival-rate' },
);

export const rampingArrivalRate = mapping(
  { ...openKeys, startRate: rateOrZero.default(0), stages: stages(rateOrZero, '500/s') },
  '{ executor: ramping-arrival-rate, stages: [{ duration: 30s, target: 500/s }] }',
  { ...NOT_OPEN, duration: IN_STAGES, rate: 'the stages have targets; the first begins at "startRate"' },
);
