/** Whether the generator could have sent more. */
import type { ReportWorker } from '../schema.ts';
import { BOUNDS } from './bounds.ts';
import type { Evidence } from './evidence.ts';
import { percent } from './words.ts';

export const MORE_GENERATOR =
  'more workers, more load threads (`worker start --threads`), or machines that do nothing else';

export function isAtLeisure({ cpu, waited }: { cpu: number; waited: number }): boolean {
  return cpu + waited <= BOUNDS.leisure;
}

/** That the generator had room, as a sentence; undefined where it had not, or where that is not known. */
export function leisureOf({ workers, summary }: Evidence): string | undefined {
  const used = usedOf(workers);
  if (used === undefined || used > BOUNDS.leisure || workers.length === 0) return undefined;
  const { loopDelay, latency } = summary;
  if (loopDelay !== undefined && loopDelay.p50 >= Math.max(BOUNDS.loopUs, BOUNDS.loopShare * latency.p50))
    return undefined;
  return `the generator had room: its busiest load thread was busy ${percent(used)} of the time, bound ${percent(BOUNDS.leisure)}`;
}

/** Of the busiest thread, or where threads do not tell the busiest worker's cores; undefined where one does not tell. */
export function usedOf(workers: readonly ReportWorker[]): number | undefined {
  const used = workers.map(({ threadLoads, cpu, threadCpu = cpu, threads }) =>
    threadLoads !== undefined
      ? Math.max(...threadLoads.map(({ cpu, waited }) => cpu + waited))
      : threadCpu === undefined
        ? undefined
        : threadCpu / threads,
  );
  return used.includes(undefined) ? undefined : Math.max(0, ...(used as number[]));
}
