/** Asks the workers of a run how they are, and judges what they say against their shares of it. */
import type { TrialPlan } from '../shared/domain/run.ts';
import type { Scenario } from '../shared/domain/scenario.ts';
import { planShards, weightsOf } from './planner.ts';
import { type Finding, judgePreflight } from './preflight.ts';
import { judgeK6 } from './preflight-k6.ts';
import { judgeMaxRate } from './preflight-rate.ts';
import type { WorkerSession } from './worker-session.ts';

const ANSWER_WITHIN_MS = 8_000;
/** A busy machine takes its time to start threads. */
const CALIBRATED_WITHIN_MS = 30_000;

export async function preflight(
  trials: readonly TrialPlan[],
  workers: readonly WorkerSession[],
  { threads, weights }: Pick<Scenario['workers'], 'threads' | 'weights'>,
  { calibrate = false } = {},
): Promise<Finding[]> {
  // A script without targets knows by itself where it goes.
  const urls = [...new Set(trials.map(({ target }) => target.url))].filter((url) => url !== '');
  const names = workers.map(({ name }) => name);
  const shares = weightsOf(
    workers.map(({ hello }) => hello.capabilities),
    weights,
  );
  const shards = trials.flatMap((trial) => planShards('preflight', trial, names, threads, shares));
  const withinMs = ANSWER_WITHIN_MS + (calibrate ? CALIBRATED_WITHIN_MS : 0);
  const facts = await Promise.all(
    workers.map((worker) => worker.askPreflight(urls, withinMs, { calibrate })),
  );
  const requires = trials.flatMap(({ k6 }) => (k6 === undefined ? [] : [k6.requires]));
  const needs = { requires, others: requires.length < trials.length };
  return workers.flatMap((session, i) => [
    ...judgePreflight({
      worker: session.name,
      facts: facts[i],
      clock: session.clockOffset(),
      threads: threads || session.hello.capabilities.threads,
      shards: shards.filter(({ worker }) => worker === session.name),
    }),
    ...judgeMaxRate(
      session.name,
      session.hello.capabilities.maxRate,
      shards.filter(({ worker }) => worker === session.name),
    ),
    ...judgeK6(session.name, session.hello.capabilities.k6, needs),
  ]);
}
