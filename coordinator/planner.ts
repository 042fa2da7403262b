/** Trial → shards: which workers take part, and with what share. Pure. */
import { mostParts, rowsOf } from '../shared/domain/data-rows.ts';
import type { ShardPlan, TrialPlan } from '../shared/domain/run.ts';
import { splitLoad } from '../shared/domain/shard.ts';
import { splitWarmup } from '../shared/domain/warmup.ts';

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
  const { engine, requests, data, transport, warmupUs, warmupRequests } = trial;
  const loads = splitLoad(trial.load, Math.min(workers.length, mostParts(data)));
  const warmups = warmupRequests === undefined ? undefined : splitWarmup(warmupRequests, loads);
  return loads.map((load, index) => ({
    runId,
    trial: trial.index,
    shard: { index, count: loads.length },
    worker: workers[index]!,
    threads,
    engine,
    requests,
    ...(data !== undefined && { data: rowsOf(data, index, loads.length) }),
    ...(transport !== undefined && { transport }),
    load,
    warmupUs,
    ...(warmups !== undefined && { warmupRequests: warmups[index]! }),
  }));
}
