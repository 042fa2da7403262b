/** What there is to say of a whole run. */
import { loadText } from './load-text.ts';
import type { Report, ReportRun } from './schema.ts';
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
  return facts;
}

/** What its trials have in common. */
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
  ];
}

/** Interleaved is what everybody expects. */
function orderFacts({ name, seed }: ReportRun['order']): Fact[] {
  if (name === 'interleaved') return [];
  return [['Order', name === 'shuffled' ? `shuffled in each round, seed ${seed}` : 'cell after cell']];
}
