/** Whether a trial that ran to its end counts. */
import type { FirstError } from '../../shared/metrics/error-class.ts';
import type { IntervalCounts } from '../../shared/metrics/interval.ts';
import type { DnfSpec } from '../journal-records.ts';

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
