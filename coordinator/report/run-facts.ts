/** What there is to say of a whole run. */
import { verdictFact } from './limits.ts';
import { loadText } from './load-text.ts';
import type { Report, ReportRun } from './schema.ts';
import { sweepLedgerFact } from './sweep-ledger.ts';
import { plain, plural } from './text-line.ts';
import type { Fact } from './trial-facts.ts';

export function runFacts({ run, trials }: Report): Fact[] {
  const started = run.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  const seconds = (run.durationUs / 1e6).toFixed(1);
  const begun =
    trials.length < run.plannedTrials
      ? `, ${trials.length} of ${plural(run.plannedTrials, 'trial')} begun`
      : '';
  const facts: Fact[] = [['Run', `${run.id}, ${run.state}${begun}, started ${started}, took ${seconds} s`]];
  if (run.reason !== undefined) facts.push(['', plain(run.reason)]);
  if (run.resumed !== undefined)
    facts.push(['Resumed', `${plural(run.resumed.trials, 'trial')} taken over from run ${run.resumed.run}`]);
  for (const away of run.coordinatorAway ?? []) facts.push(['Coordinator', awayText(away)]);
  return facts;
}

function awayText({ from, until, trial }: NonNullable<ReportRun['coordinatorAway']>[number]): string {
  const time = (iso: string): string => iso.replace(/^.*T|Z$/g, '');
  const meanwhile = trial === undefined ? '' : `, in the middle of trial ${trial + 1}`;
  return `away from ${time(from)} to ${time(until)} UTC${meanwhile}`;
}

/** What its trials have in common, and what they come to together: whether all adds up, and what limited them. */
export function sweepFacts({ run, trials }: Report): Fact[] {
  const urls = new Set(
    trials.map(({ target }) => plain(target.url === '' ? target.name : `${target.name}: ${target.url}`)),
  );
  const loads = new Set(
    trials.map(({ load, script }) =>
      script === undefined ? loadText(load) : plain(`k6 ${loadText(load)}, ${script.name}`),
    ),
  );
  const workers = new Set(trials.flatMap((trial) => trial.workers.map(({ name }) => plain(name))));
  return [
    ['Targets', [...urls].join('\n')],
    ['Load', loads.size <= 3 ? [...loads].join('\n') : `${loads.size} different loads`],
    ['Workers', [...workers].join(', ') || 'none'],
    ...orderFacts(run.order),
    ...sweepLedgerFact(trials),
    ...verdictFact(trials),
  ];
}

/** Interleaved is what everybody expects. */
function orderFacts({ name, seed }: ReportRun['order']): Fact[] {
  if (name === 'interleaved') return [];
  return [['Order', name === 'shuffled' ? `shuffled in each round, seed ${seed}` : 'cell after cell']];
}
