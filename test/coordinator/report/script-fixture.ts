/** Journals of runs with k6 scripts that never took place, with numbers that a reader can add up. */
import type { JournalRecord, ThresholdSpec } from '../../../coordinator/journal-records.ts';
import type { ScriptFacts } from '../../../shared/domain/k6-plan.ts';
import type { Cell, TrialPlan } from '../../../shared/domain/run.ts';
import type { ScriptInterval } from '../../../shared/metrics/script-interval.ts';
import { type ScriptSample, scriptOf, times } from '../../support/scripts.ts';
import {
  CLOSED,
  failures,
  runEnded,
  runRecord,
  type ShardStory,
  samples,
  trialPlan,
  trialRecords,
} from './journal-fixture.ts';

export function scriptPlan(index: number, cell: Cell = {}, round = 1): TrialPlan {
  const { data: _data, ...plan } = trialPlan(index, CLOSED, cell, round);
  return {
    ...plan,
    target: { name: 'login.js', url: '' },
    engine: 'k6',
    requests: [],
    load: { executor: 'script' },
    k6: {
      script: 'login.js',
      package: { sha256: '3f2a91c0'.padEnd(64, '0'), bytes: 10_240, kind: 'archive' },
      env: {},
      tags: {},
      submetrics: [],
      requires: {},
      output: 'exact',
    },
  };
}

export const FACTS: ScriptFacts = {
  thresholds: [
    { metric: 'http_req_duration', expression: 'p(95)<30', abortOnFail: false, delayAbortEvalUs: 0 },
    {
      metric: 'http_req_duration{name:login}',
      expression: 'med < 20',
      abortOnFail: true,
      delayAbortEvalUs: 2e6,
    },
    { metric: 'checks', expression: 'rate>0.99', abortOnFail: false, delayAbortEvalUs: 0 },
    { metric: 'never', expression: 'count<1', abortOnFail: false, delayAbortEvalUs: 0 },
    { metric: 'unheard', expression: 'avg<1', abortOnFail: false, delayAbortEvalUs: 0 },
  ],
  durationUs: 30e6,
  maxVus: 5,
  setupTimeoutUs: 60e6,
  teardownTimeoutUs: 60e6,
  scenarios: { default: 'shared-iterations' },
};

/** @param seed of the times; the rest is always the same */
function second(seed: number, vus: number, failed = 0): ScriptInterval {
  const durations = Array.from({ length: 20 }, (_, i) => 10 + ((i * 7 + seed) % 20) + 0.125);
  const all: ScriptSample[] = [
    ...times('http_req_duration', durations),
    ...times('http_req_duration{name:login}', durations.slice(0, 10)),
    ...times(
      'iteration_duration',
      durations.slice(0, 10).map((ms) => ms * 100),
    ),
    ...times('group_duration{group:::login}', durations.slice(0, 10)),
    ...durations.map((): ScriptSample => ({ metric: 'http_reqs', type: 'counter', value: 1 })),
    { metric: 'iterations', type: 'counter', value: 10 },
    { metric: 'data_received', type: 'counter', value: 86_740, contains: 'data' },
    { metric: 'basket', type: 'gauge', value: seed, atUs: seed * 1e5 },
    ...Array.from(
      { length: 10 },
      (_, i): ScriptSample => ({ metric: 'cached', type: 'rate', value: i % 4 ? 1 : 0 }),
    ),
    ...durations.map(
      (value): ScriptSample => ({ metric: 'items', type: 'trend', value: Math.round(value) - 12 }),
    ),
  ];
  return scriptOf(all, {
    iterations: 10,
    vus,
    vusMax: vus,
    checks: {
      '::home <b>is</b> there': { passes: 10, fails: 0 },
      '::login::status is 200': { passes: 10 - failed, fails: failed },
      '::login::form::has a token': { passes: 10, fails: 0 },
    },
  });
}

function stories(failed = 2): ShardStory[] {
  const twenty = (seed: number) => samples(20, 0, seed);
  return [
    {
      worker: 'w1',
      connections: 0,
      seconds: [twenty(1), [...samples(19, 0, 2), ...failures(1, 1_500_000)]],
      scripts: [second(1, 3), second(4, 3, failed)],
      firstRequestUs: 210,
      endUs: 2_000_000,
    },
    {
      worker: 'w2',
      connections: 0,
      seconds: [twenty(3), twenty(4)],
      scripts: [second(2, 2), { ...second(3, 2), thrownIterations: 1, droppedIterations: 3 }],
      firstRequestUs: 1_930,
      endUs: 1_990_000,
      exit: { code: 108, expected: false },
    },
  ];
}

/** Two workers, 40 iterations. */
export function scriptRun(thresholds: ThresholdSpec[] = []): JournalRecord[] {
  const plan = scriptPlan(0);
  return [
    runRecord([plan], { name: 'logins', thresholds }),
    { type: 'script', trial: 0, facts: FACTS },
    ...trialRecords(plan, stories()),
    {
      type: 'script-log',
      trial: 0,
      shard: 'r1/0/1',
      text: 'hello\nwarning: Request Failed\nerror: Error: no <token>\n\tat default (login.js:9:27(40))\nbye',
      linesLeftOut: 0,
    },
    runEnded(),
  ];
}

/** Both engines, two rounds. */
export function mixedRun(): JournalRecord[] {
  const plans = [1, 2].flatMap((round) => [
    trialPlan((round - 1) * 2, CLOSED, { engine: 'http' }, round),
    scriptPlan((round - 1) * 2 + 1, { engine: 'k6' }, round),
  ]);
  return [
    runRecord(plans, {
      name: 'both engines',
      cells: [{ engine: 'http' }, { engine: 'k6' }],
      thresholds: ['checks > 99%', 'errors < 5%'].map((that) => ({ that, abort: false, afterUs: 0 })),
      report: [{ rows: 'engine', metric: 'iterationRate' }],
    }),
    ...plans.flatMap((plan): JournalRecord[] =>
      plan.engine === 'k6'
        ? [
            {
              type: 'script',
              trial: plan.index,
              facts: { ...FACTS, thresholds: FACTS.thresholds.slice(0, 1) },
            },
            ...trialRecords(plan, stories(0)),
          ]
        : trialRecords(plan, [
            {
              worker: 'w1',
              connections: 3,
              planned: 300,
              seconds: [samples(150, 3, plan.round), samples(150, 0, 5)],
            },
          ]),
    ),
    runEnded(),
  ];
}
