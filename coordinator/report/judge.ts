/** What may be said of a trial from its numbers alone: whether it finished, and what limited it. */
import { formatDuration } from '../../shared/domain/units.ts';
import { type ErrorClass, type FirstError, GENERATOR_ERRORS } from '../../shared/metrics/error-class.ts';
import type { IntervalCounts } from '../../shared/metrics/interval.ts';
import type { Summary } from '../../shared/metrics/summary.ts';
import type { DnfSpec } from '../journal-records.ts';
import type { ReportWorker, Verdict } from './schema.ts';

/** When more than half of the failures are the generator's own, it was the limit. */
const MOST_OWN = 0.5;
/** A worker this close to all of its threads' cores has nothing left to give. */
const CORES_FULL = 0.95;
/** Arrivals that are sent this late are another load than the one that was asked for. */
const LATE_US = 10_000;
/** Below this, what a worker's process spends on its start outweighs the load. */
const CPU_TELLS_AFTER_US = 1_000_000;

export type Judgement = { state: 'completed' } | { state: 'dnf'; reason: string; firstErrors: FirstError[] };

/**
 * Whether a trial that ran to its end counts: `dnf` when nothing completed, or when more failed than the scenario's
 * share: what is left then is not a measurement of the target. One that was aborted stays aborted; this is not for it.
 */
export function judgeTrial(
  counts: Pick<IntervalCounts, 'completed' | 'failed'>,
  firstErrors: readonly FirstError[],
  { errorRatio }: Pick<DnfSpec, 'errorRatio'>,
): Judgement {
  const { completed, failed } = counts;
  const finished = completed + failed;
  if (completed > 0 && failed <= finished * errorRatio) return { state: 'completed' };
  return { state: 'dnf', reason: whyNot(completed, failed), firstErrors: [...firstErrors] };
}

function whyNot(completed: number, failed: number): string {
  if (completed > 0) {
    const percent = ((failed / (completed + failed)) * 100).toFixed(1);
    return `${percent} % of the requests failed (${failed} of ${completed + failed})`;
  }
  return failed > 0 ? `no request completed, ${failed} failed` : 'no request completed';
}

type Judged = Pick<ReportWorker, 'name' | 'cpu' | 'threadCpu' | 'threads'>;

/**
 * Only the generator's own limits show in these numbers; for the others there is no evidence yet, and that is said.
 */
export function verdictOf(
  summary: Pick<Summary, 'errors' | 'durationUs' | 'sendLag'>,
  workers: readonly Judged[],
): Verdict {
  const { errors, durationUs, sendLag } = summary;
  const evidence: string[] = [];
  const own = GENERATOR_ERRORS.reduce((sum, name) => sum + (errors.byClass[name] ?? 0), 0);
  if (own > errors.total * MOST_OWN) {
    evidence.push(
      `${own} of ${errors.total} failures are the load machines' own: ${listOwn(errors.byClass)}`,
    );
  }
  for (const worker of durationUs < CPU_TELLS_AFTER_US ? [] : workers) {
    const busy = busyCores(worker);
    if (busy === undefined || busy < worker.threads * CORES_FULL) continue;
    const cores = worker.threads === 1 ? 'its one load thread' : `its ${worker.threads} load threads`;
    evidence.push(
      `${worker.name} kept ${busy.toFixed(2)} cores busy with ${cores}: it could not send faster`,
    );
  }
  if (sendLag !== undefined && sendLag.p99 > LATE_US) {
    evidence.push(
      `one arrival in a hundred was sent ${formatDuration(sendLag.p99)} or more after it was due`,
    );
  }
  if (evidence.length > 0) return { limit: 'generator', evidence };
  return { limit: 'undecided', evidence: [undecided(workers, durationUs)] };
}

/** Of the load threads, where that is known; a process has other things to do as well. */
function busyCores({ cpu, threadCpu }: Judged): number | undefined {
  return threadCpu ?? cpu;
}

function undecided(workers: readonly Judged[], durationUs: number): string {
  if (durationUs < CPU_TELLS_AFTER_US) return 'the load lasted less than a second: too short to tell';
  const loads = workers.flatMap((worker) => {
    const busy = busyCores(worker);
    return busy === undefined ? [] : [busy / worker.threads];
  });
  if (loads.length === 0) {
    return 'no worker told how busy it was, and the target and the network were not observed';
  }
  const percent = Math.round(Math.max(...loads) * 100);
  return `the busiest worker used ${percent} % of its load threads' cores; the target and the network were not observed`;
}

function listOwn(byClass: Partial<Record<ErrorClass, number>>): string {
  return GENERATOR_ERRORS.flatMap((name) => (byClass[name] ? [`${name} ${byClass[name]}`] : [])).join(', ');
}
