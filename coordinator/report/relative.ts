/** Tables of ratios: each value over that of its baseline, which is 1. */
import type { Metric } from '../../shared/domain/metric-name.ts';
import type { Cell } from '../../shared/domain/run.ts';
import { cellKey, trialKey } from './cell-key.ts';
import { metricValue } from './measure.ts';
import type { ReportTable, ReportTrial, Spread, TableCell } from './schema.ts';

/** The baseline of a cell of the table; undefined where nothing is compared. */
export function baselineCell({ comparedWith }: ReportTable, cell: Cell): Cell | undefined {
  return comparedWith === undefined ? undefined : { ...cell, [comparedWith.axis]: comparedWith.value };
}

export function isBaseline(table: ReportTable, cell: Cell): boolean {
  const baseline = baselineCell(table, cell);
  return baseline !== undefined && cellKey(baseline) === cellKey(cell);
}

/**
 * A cell over its baseline, as comparisons have it: the geometric mean over the rounds that both have, from and to what
 * its 95 % interval holds, where there is one. Undefined where they share no round; the baseline is 1.
 */
export function ratioOf(
  table: ReportTable,
  { cell, comparison, relativeToBaseline }: Pick<TableCell, 'cell' | 'comparison' | 'relativeToBaseline'>,
): Spread | undefined {
  const ratio = isBaseline(table, cell) ? relativeToBaseline : comparison?.ratio;
  if (ratio === undefined) return undefined;
  const [min, max] = comparison?.ci95 ?? [ratio, ratio];
  return { median: ratio, min, max };
}

/** For each trial its value over that of the baseline's trial in the same round; undefined where one has none. */
export function ratioByRound(
  table: ReportTable,
  trials: readonly ReportTrial[],
  metric: Metric,
): (trial: ReportTrial) => number | undefined {
  const ownValue = (trial: ReportTrial) =>
    trial.state === 'completed' ? metricValue(trial, metric) : undefined;
  const values = new Map(trials.map((trial) => [trialKey(trial), ownValue(trial)]));
  return (trial) => {
    const cell = baselineCell(table, trial.cell);
    const base = cell === undefined ? undefined : values.get(trialKey({ cell, round: trial.round }));
    const value = ownValue(trial);
    return value === undefined || base === undefined || base === 0 ? undefined : value / base;
  };
}
