/** `coordinator run --dry-run`: what would be run, in which order, and how long it would take. */
import { estimateRun, estimateText } from '../../shared/domain/estimate.ts';
import { estimateTrialUs, planTrials } from '../../shared/domain/plan-trials.ts';
import type { TrialPlan } from '../../shared/domain/run.ts';
import type { Scenario } from '../../shared/domain/scenario.ts';
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
  return [
    plain(scenario.name),
    ...taken,
    `${estimateText(estimateRun(trials, scenario.cooldownUs))}; order ${orderText(scenario.order)}`,
    '',
    ...table,
    '',
  ].join('\n');
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
