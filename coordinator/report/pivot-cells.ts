/** What is in the places of a table: a cell over its rounds, or one trial; its value, or its ratio to the baseline. */
import type { Metric } from '../../shared/domain/metric-name.ts';
import type { Cell } from '../../shared/domain/run.ts';
import { cellKey, trialKey } from './cell-key.ts';
import { type Limit, limitsByCell, usualLimit } from './limits.ts';
import { metricValue } from './measure.ts';
import { baselineCell, ratioByRound, ratioOf } from './relative.ts';
import type { Report, ReportTable, Spread, TableCell } from './schema.ts';
import { samplesFor } from './statistics/quantile-support.ts';
import { spreadOf } from './statistics/spread.ts';

/**
 * Undefined where the sweep has no such cell, where it was not begun, where its trials know nothing of the metric, or
 * where there is no ratio to the baseline though it is asked for.
 */
export type PivotCell =
  | {
      /** Absent where no trial counts. In a table of ratios of the ratio, from and to what its 95 % interval holds. */
      spread?: Spread;
      /** Requests of the round that completed fewest: what a quantile rests on. */
      requests: number;
      best?: TableCell['best'];
      /** A trial without a reply for a second or longer. */
      stalled: boolean;
      /** Not all of the rounds that were begun count. */
      partial: boolean;
      /** What limited most of its rounds; absent where no trial counts. */
      limit?: Limit;
    }
  | undefined;

/** Of each cell of the report, in their order. */
export function pivotCells({ cells, trials }: Report, table: ReportTable, metric: Metric): PivotCell[] {
  const limits = limitsByCell(trials);
  return cells.map(({ cell, completed, rounds, fewestRequests: requests = 0 }, i) => {
    const one = table.cells[i]!;
    const spread =
      table.relative === true && isKnown({ requests }, metric) ? ratioOf(table, one) : one.metric;
    if (spread === undefined && completed > 0) return undefined;
    const limit = limitOf(table, cell, (of) => {
      const counts = limits.get(cellKey(of));
      return counts && usualLimit(counts);
    });
    return {
      ...(spread !== undefined && { spread }),
      requests,
      ...(one.best !== undefined && { best: one.best }),
      stalled: false,
      partial: completed < rounds,
      ...(limit !== undefined && { limit }),
    };
  });
}

/** Of each trial of the report, in their order. */
export function pivotTrials({ trials }: Report, table: ReportTable, metric: Metric): PivotCell[] {
  const known = trials.filter(({ summary }) => isKnown(summary, metric));
  const ratio = table.relative === true ? ratioByRound(table, known, metric) : undefined;
  const limits = new Map(trials.map((trial) => [trialKey(trial), trial.verdict.limit]));
  return trials.map((trial) => {
    const { requests } = trial.summary;
    const own = trial.state === 'completed' ? metricValue(trial, metric) : undefined;
    const value = ratio === undefined || !isKnown({ requests }, metric) ? own : ratio(trial);
    if (value === undefined && trial.state === 'completed') return undefined;
    const limit = limitOf(table, trial.cell, (cell) => limits.get(trialKey({ cell, round: trial.round })));
    return {
      ...(value !== undefined && { spread: spreadOf([value]), ...(limit !== undefined && { limit }) }),
      requests,
      stalled: trial.stalls.length > 0,
      partial: false,
    };
  });
}

/** Of a ratio: where the target was not the limit of its baseline, the ratio is not the target's either. */
function limitOf(
  table: ReportTable,
  cell: Cell,
  usual: (cell: Cell) => Limit | undefined,
): Limit | undefined {
  const own = usual(cell);
  const baseline = table.relative === true ? baselineCell(table, cell) : undefined;
  return own === 'target' && baseline !== undefined ? (usual(baseline) ?? own) : own;
}

/** Whether each of its rounds has requests enough for the metric, which only quantiles ask for. */
export function isKnown({ requests }: { requests: number }, metric: Metric): boolean {
  return metric.name !== 'quantile' || requests >= samplesFor(metric.fraction);
}
