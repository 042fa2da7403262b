/** `coordinator run --dry-run`: what would be run, in which order, and how long it would take. */
import { estimateRun, estimateText } from '../../shared/domain/estimate.ts';
import { estimateTrialUs, planTrials } from '../../shared/domain/plan-trials.ts';
import type { TrialPlan } from '../../shared/domain/run.ts';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { formatDuration } from '../../shared/domain/units.ts';
import { loadText } from '../report/load-text.ts';
import { cellLabel, plain } from '../report/text-line.ts';
import { plainTable } from '../report/text-table.ts';

export function planText(scenario: Scenario): string {
  const trials = planTrials(scenario);
  const { name, seed } = scenario.order;
  const table = plainTable({
    head: ['Trial', 'Round', 'Cell', 'Target', 'Load', 'Takes about'],
    rows: trials.map(rowOf),
    right: [0, 1, 5],
  });
  const order = seed === undefined ? name : `${name}, seed ${seed}`;
  return [
    plain(scenario.name),
    `${estimateText(estimateRun(trials, scenario.cooldownUs))}; order ${order}`,
    '',
    ...table,
    '',
  ].join('\n');
}

function rowOf(trial: TrialPlan): string[] {
  const us = estimateTrialUs(trial);
  return [
    String(trial.index + 1),
    String(trial.round),
    plain(cellLabel(trial.cell)),
    plain(trial.target.name),
    loadText(trial.load),
    us === undefined ? 'its requests' : formatDuration(us),
  ];
}
