/** Trials that are not in the numbers, or whose numbers should not be trusted as they are. */
import { formatDuration } from '../../shared/domain/units.ts';
import type { ReportTrial } from './schema.ts';
import { scriptRemarks } from './script-facts.ts';
import { cellLabel, plain } from './text-line.ts';
import { type Fact, stallFacts } from './trial-facts.ts';

export function remarksOn(trials: readonly ReportTrial[]): Fact[] {
  return trials.flatMap((trial) => {
    const where = `${cellLabel(trial.cell)}, round ${trial.round}`;
    const { summary, ledger, workers, verdict } = trial;
    const remarks: Fact[] = [];
    if (trial.dnf !== undefined) {
      const first = trial.dnf.firstErrors[0];
      const detail = first === undefined ? '' : `; first: ${first.class}: ${first.message}`;
      remarks.push(['DID NOT FINISH', `${trial.dnf.reason}${classes(summary.errors.byClass)}${detail}`]);
    } else if (trial.state === 'aborted') {
      remarks.push(['ABORTED', trial.reason ?? '']);
    } else if (summary.errors.total > 0) {
      remarks.push([
        'Errors',
        `${summary.errors.total} of ${summary.errors.total + summary.requests} requests failed`,
      ]);
    }
    remarks.push(...scriptRemarks(trial));
    remarks.push(...stallFacts(trial));
    const other = Object.entries(summary.status).filter(([code]) => code[0] !== '2');
    if (other.length > 0)
      remarks.push(['NOT 2xx', other.map(([code, count]) => `${code}: ${count}`).join('  ')]);
    for (const { name, lost } of workers) {
      if (lost !== undefined)
        remarks.push(['LOST', `${name} at ${formatDuration(lost.atUs)}: ${lost.reason}`]);
    }
    for (const problem of ledger.problems) remarks.push(['NOT BALANCED', problem]);
    if (verdict.limit === 'generator') remarks.push(['Limit', `generator: ${verdict.evidence.join('; ')}`]);
    return remarks.map(([label, text]): Fact => [label, plain(`${where}: ${text}`)]);
  });
}

/** `; connect-refused 120, reset 3`. */
function classes(byClass: ReportTrial['summary']['errors']['byClass']): string {
  const counts = Object.entries(byClass).map(([name, count]) => `${name} ${count}`);
  return counts.length === 0 ? '' : `; ${counts.join(', ')}`;
}
