/** Trial → shards: which workers take part, and with what share. Pure. */
import { mostParts, rowsOf } from '../shared/domain/data-rows.ts';
import type { ShardPlan, TrialPlan } from '../shared/domain/run.ts';
import { splitLoad } from '../shared/domain/shard.ts';
import { splitWarmup } from '../shared/domain/warmup.ts';

/** A script's virtual users and iterations are whole; where the script says how many, k6 shares them out by itself. */
function mostScriptParts(k6: TrialPlan['k6']): number {
  return Math.min(k6?.vus ?? Number.POSITIVE_INFINITY, k6?.iterations ?? Number.POSITIVE_INFINITY);
}

/**
 * One shard a worker, in the workers' order; fewer when the load has fewer connections or requests, or the data
 * fewer rows, than there are workers, since nobody takes part without work.
 */
export function planShards(
  runId: string,
  trial: TrialPlan,
  workers: readonly string[],
  threads: number,
): ShardPlan[] {
  const { engine, requests, k6, data, transport, warmupUs, warmupRequests } = trial;
  const loads = splitLoad(trial.load, Math.min(workers.length, mostParts(data), mostScriptParts(k6)));
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
