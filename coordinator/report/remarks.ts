/** Trials that are not in the numbers, or whose numbers should not be trusted as they are. */
import { formatDuration } from '../../shared/domain/units.ts';
import { hostFacts } from './hosts/host-text.ts';
import type { ReportTrial } from './schema.ts';
import { scriptRemarks } from './script-facts.ts';
import { cellLabel, plain, plural } from './text-line.ts';
import { type Fact, fairnessFacts, stallFacts } from './trial-facts.ts';

const MOST_REMARKS = 50;
const NUMBER = /\d+(\.\d+)?/g;

interface Remark {
  label: string;
  cell: string;
  rounds: number[];
  text: string;
  /** Cells besides that one. */
  more?: number;
}

/** What befell several rounds of a cell, but for its numbers, is said once, with those of the first. */
export function remarksOn(trials: readonly ReportTrial[]): Fact[] {
  const groups = new Map<string, Remark>();
  for (const trial of trials) {
    const cell = cellLabel(trial.cell);
    for (const [label, text] of remarksOnTrial(trial)) {
      const key = JSON.stringify([cell, label, text.replace(NUMBER, '0')]);
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { label, cell, rounds: [trial.round], text });
      else if (!known.rounds.includes(trial.round)) known.rounds.push(trial.round);
    }
  }
  const all = withLimitsTogether([...groups.values()]).map(
    ({ label, cell, rounds, text, more = 0 }): Fact => {
      const where = rounds.length === 1 ? `round ${rounds[0]}` : `rounds ${rounds.join(', ')}`;
      const others = more === 0 ? '' : `, and ${plural(more, 'other cell')}`;
      const first = rounds.length === 1 && more === 0 ? '' : ', in the first';
      return [label, plain(`${cell}, ${where}${others}${first}: ${text}`)];
    },
  );
  const more = all.length - MOST_REMARKS;
  return more <= 1
    ? all
    : [...all.slice(0, MOST_REMARKS), ['', `and ${more} more remarks; the JSON report has every trial`]];
}

/** What limited several cells is one remark: which they are, the tables mark. */
function withLimitsTogether(remarks: readonly Remark[]): Remark[] {
  const together = new Map<string, Remark>();
  for (const remark of remarks) {
    const { label, cell, text } = remark;
    const key = JSON.stringify([label, label === 'Limit' ? '' : cell, text.replace(NUMBER, '0')]);
    const known = together.get(key);
    together.set(key, known === undefined ? remark : { ...known, more: (known.more ?? 0) + 1 });
  }
  return [...together.values()];
}

function remarksOnTrial(trial: ReportTrial): Fact[] {
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
    if (lost !== undefined) remarks.push(['LOST', `${name} at ${formatDuration(lost.atUs)}: ${lost.reason}`]);
  }
  remarks.push(...hostFacts(trial));
  for (const problem of ledger.problems) remarks.push(['NOT BALANCED', problem]);
  remarks.push(...fairnessFacts(trial));
  // What limits the target itself is what was to be found out.
  if (verdict.limit === 'generator' || verdict.limit === 'network')
    remarks.push(['Limit', `${verdict.limit}: ${verdict.evidence.join('; ')}`]);
  return remarks;
}

/** `; connect-refused 120, reset 3`. */
function classes(byClass: ReportTrial['summary']['errors']['byClass']): string {
  const counts = Object.entries(byClass).map(([name, count]) => `${name} ${count}`);
  return counts.length === 0 ? '' : `; ${counts.join(', ')}`;
}
