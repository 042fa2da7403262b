/** `coordinator run --dry-run`: what would be run, in which order, and how long it would take. */
import { estimateScenario, estimateText } from '../../shared/domain/estimate.ts';
import { estimateTrialUs, planTrials, searchesOf } from '../../shared/domain/plan-trials.ts';
import type { TrialPlan } from '../../shared/domain/run.ts';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { type CellSearch, gridSize, mostTrials, wayUp } from '../../shared/domain/search.ts';
import type { TrialOrder } from '../../shared/domain/trial-order.ts';
import { formatDuration } from '../../shared/domain/units.ts';
import { loadText } from '../report/load-text.ts';
import { cellLabel, plain, plural } from '../report/text-line.ts';
import { plainTable } from '../report/text-table.ts';

/** @param resumed the run that it would go on with, and the indices of the trials that would be taken over */
export function planText(
  scenario: Scenario,
  resumed?: { run: string; finished: ReadonlySet<number> },
): string {
  const all = planTrials(scenario);
  const trials = all.filter(({ index }) => resumed?.finished.has(index) !== true);
  const taken =
    resumed === undefined
      ? []
      : [
          `${plural(resumed.finished.size, 'trial')} of ${all.length} taken over from run ${resumed.run}; left:`,
        ];

  const table = plainTable({
    head: ['Trial', 'Round', 'Cell', 'Target', 'Load', 'Takes about'],
    rows: trials.map(rowOf),
    right: [0, 1, 5],
  });
  const searches = searchesOf(scenario);
  const order = searches.length === 0 ? `order ${orderText(scenario.order)}` : 'each decided by those before';
  return [
    plain(scenario.name),
    ...taken,
    `${estimateText(estimateScenario(scenario, trials))}; ${order}`,
    '',
    ...(searches.length === 0 ? table : searches.flatMap((search, i) => searchLines(search, all[i]!))),
    '',
  ].join('\n');
}

/** The way up as it is when nothing breaks; what comes after it depends on what is found. */
function searchLines({ cell, spec }: CellSearch, first: TrialPlan): string[] {
  const { over, from, to, step, until } = spec;
  return [
    `${cellLabel(cell)}: search over ${over} until ${until.join(' and ')}`,
    `  way up     ${wayUp(spec).join(', ')}`,
    `  then       between the last that holds and the first that breaks, halving, on ${gridSize(spec)} values from ${from} to ${to} by ${step}`,
    `  trials     at most ${mostTrials(spec)}; the first is ${loadText(first.load)}`,
  ].map(plain);
}

function orderText({ name, seed }: TrialOrder): string {
  if (name === 'interleaved') return 'interleaved, every second round from its end';
  return seed === undefined ? name : `${name}, seed ${seed}`;
}

function rowOf(trial: TrialPlan): string[] {
  const us = estimateTrialUs(trial);
  return [
    String(trial.index + 1),
    String(trial.round),
    plain(cellLabel(trial.cell)),
    plain(trial.target.name),
    trial.k6 === undefined ? loadText(trial.load) : scriptText(trial.k6),
    us === undefined ? (trial.k6 === undefined ? 'its requests' : 'its script') : formatDuration(us),
  ];
}

/** `k6 login.js: 10 VUs, 100 iterations, 30.0 s`; what the scenario leaves to the script is not said. */
function scriptText({ script, vus, iterations, durationUs }: NonNullable<TrialPlan['k6']>): string {
  const options = [
    ...(vus === undefined ? [] : [plural(vus, 'VU')]),
    ...(iterations === undefined ? [] : [plural(iterations, 'iteration')]),
    ...(durationUs === undefined ? [] : [formatDuration(durationUs)]),
  ];
  return plain(`k6 ${script}${options.length === 0 ? '' : `: ${options.join(', ')}`}`);
}
