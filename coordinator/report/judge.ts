/** What may be said of a trial from its numbers alone: whether it finished, and what limited it. */
import { type ErrorClass, type FirstError, GENERATOR_ERRORS } from '../../shared/metrics/error-class.ts';
import type { IntervalCounts } from '../../shared/metrics/interval.ts';
import type { ReportWorker, Verdict } from './schema.ts';

/** More failures than replies: what is left is not a measurement of the target. */
const MOST_FAILED = 0.5;
/** A worker this close to all of its threads' cores has nothing left to give. */
const CORES_FULL = 0.95;
/** Below this, what a worker's process spends on its start outweighs the load. */
const CPU_TELLS_AFTER_US = 1_000_000;

export type Judgement = { state: 'completed' } | { state: 'dnf'; reason: string; firstErrors: FirstError[] };

/**
 * Whether a trial that ran to its end counts: `dnf` when nothing completed or more than half failed. One that was
 * aborted stays aborted; this is not for it.
 */
export function judgeTrial(
  counts: Pick<IntervalCounts, 'completed' | 'failed'>,
  firstErrors: readonly FirstError[],
): Judgement {
  const { completed, failed } = counts;
  const finished = completed + failed;
  if (completed > 0 && failed <= finished * MOST_FAILED) return { state: 'completed' };
  return { state: 'dnf', reason: whyNot(completed, failed), firstErrors: [...firstErrors] };
}

function whyNot(completed: number, failed: number): string {
  if (completed > 0) {
    const percent = ((failed / (completed + failed)) * 100).toFixed(1);
    return `${percent} % of the requests failed (${failed} of ${completed + failed})`;
  }
  return failed > 0 ? `no request completed, ${failed} failed` : 'no request completed';
}

/** Only the generator's own limits show in these numbers; for the others there is no evidence yet, and that is said. */
export function verdictOf(
  errors: { total: number; byClass: Partial<Record<ErrorClass, number>> },
  workers: readonly Pick<ReportWorker, 'name' | 'cpu' | 'threads'>[],
  durationUs: number,
): Verdict {
  const evidence: string[] = [];
  const own = GENERATOR_ERRORS.reduce((sum, name) => sum + (errors.byClass[name] ?? 0), 0);
  if (own > errors.total * MOST_FAILED) {
    evidence.push(
      `${own} of ${errors.total} failures are the load machines' own: ${listOwn(errors.byClass)}`,
    );
  }
  for (const { name, cpu, threads } of durationUs < CPU_TELLS_AFTER_US ? [] : workers) {
    if (cpu === undefined || cpu < threads * CORES_FULL) continue;
    const cores = threads === 1 ? 'its one load thread' : `its ${threads} load threads`;
    evidence.push(`${name} kept ${cpu.toFixed(2)} cores busy with ${cores}: it could not send faster`);
  }
  if (evidence.length > 0) return { limit: 'generator', evidence };
  return { limit: 'undecided', evidence: [undecided(workers, durationUs)] };
}

function undecided(
  workers: readonly Pick<ReportWorker, 'name' | 'cpu' | 'threads'>[],
  durationUs: number,
): string {
  if (durationUs < CPU_TELLS_AFTER_US) return 'the load lasted less than a second: too short to tell';
  const loads = workers.flatMap(({ cpu, threads }) => (cpu === undefined ? [] : [cpu / threads]));
  if (loads.length === 0)
    return 'no worker told how busy it was, and the target and the network were not observed';
  const percent = Math.round(Math.max(...loads) * 100);
  return `the busiest worker used ${percent} % of its load threads' cores; the target and the network were not observed`;
}

function listOwn(byClass: Partial<Record<ErrorClass, number>>): string {
  return GENERATOR_ERRORS.flatMap((name) => (byClass[name] ? [`${name} ${byClass[name]}`] : [])).join(', ');
}
