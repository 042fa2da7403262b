/** Trial → shards: which workers take part, and with what share. Pure. */
import { mostParts, rowsOf } from '../shared/domain/data-rows.ts';
import type { ShardPlan, TrialPlan } from '../shared/domain/run.ts';
import type { Scenario } from '../shared/domain/scenario.ts';
import { splitLoadByWeight } from '../shared/domain/shard.ts';
import { splitWarmup } from '../shared/domain/warmup.ts';
import type { PoolSpec } from '../shared/domain/workers-spec.ts';
import type { WorkerCapabilities } from '../shared/protocol/worker-facts.ts';

/** A script's virtual users and iterations are whole; where the script says how many, k6 shares them out by itself. */
function mostScriptParts(k6: TrialPlan['k6']): number {
  return Math.min(k6?.vus ?? Number.POSITIVE_INFINITY, k6?.iterations ?? Number.POSITIVE_INFINITY);
}

/**
 * One shard a worker, in the workers' order; fewer when the load has fewer connections or requests, or the data
 * fewer rows, than there are workers, since nobody takes part without work.
 * @param weights whole numbers, one a worker; the load is shared out in their proportions
 */
export function planShards(
  runId: string,
  trial: TrialPlan,
  workers: readonly string[],
  threads: number,
  weights: readonly number[] = workers.map(() => 1),
): ShardPlan[] {
  const { engine, requests, k6, data, transport, warmupUs, warmupRequests } = trial;
  const parts = Math.min(workers.length, mostParts(data), mostScriptParts(k6));
  const loads = splitLoadByWeight(trial.load, weights.slice(0, parts));
  const warmups = warmupRequests === undefined ? undefined : splitWarmup(warmupRequests, loads);
  return loads.map((load, index) => ({
    runId,
    trial: trial.index,
    shard: { index, count: loads.length },
    worker: workers[index]!,
    threads,
    engine,
    requests,
    ...(k6?.package !== undefined && { k6: { ...k6, package: k6.package } }),
    ...(data !== undefined && { data: rowsOf(data, index, loads.length) }),
    ...(transport !== undefined && { transport }),
    load,
    warmupUs,
    ...(warmups !== undefined && { warmupRequests: warmups[index]! }),
  }));
}

/**
 * Of those that are there the ones that a scenario asks for: in turn one of each pool, so that a load too small for all
 * reaches every site. Undefined where a pool has too few.
 */
export function chooseWorkers<W>(
  pools: readonly PoolSpec[],
  available: (pool: string) => readonly W[],
): W[] | undefined {
  const chosen = pools.map(({ pool, count }) => {
    const there = available(pool);
    return there.length < (count ?? 1) ? [] : there.slice(0, count);
  });
  if (chosen.some(({ length }) => length === 0)) return undefined;
  const most = Math.max(...chosen.map(({ length }) => length));
  return Array.from({ length: most }, (_, i) => chosen.flatMap((own) => own.slice(i, i + 1))).flat();
}

/** Above it turns between workers would be long: a worker's arrivals would come in bursts. */
const LARGEST_WEIGHT = 1_000;

/** By what the scenario says; a weight that is none counts as 1. */
export function weightsOf(
  workers: readonly Pick<WorkerCapabilities, 'cores' | 'weight'>[],
  by: Scenario['workers']['weights'],
): number[] {
  return workers.map(({ cores, weight = 1 }) => {
    const wanted = by === 'cores' ? cores : weight;
    return Number.isInteger(wanted) && wanted >= 1 ? Math.min(wanted, LARGEST_WEIGHT) : 1;
  });
}
