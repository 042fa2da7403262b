/** What is in the places of a table: a cell over its rounds, or one trial; its value, or its ratio to the baseline. */
import type { Metric } from '../../shared/domain/metric-name.ts';
import { cellKey } from './cell-key.ts';
import { type Limit, limitsByCell, usualLimit } from './limits.ts';
import { metricValue } from './measure.ts';
import { ratioByRound, ratioOf } from './relative.ts';
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
    const spread = table.relative === true && isKnown({ requests }, metric) ? ratioOf(one) : one.metric;
    if (spread === undefined && completed > 0) return undefined;
    const counts = limits.get(cellKey(cell));
    return {
      ...(spread !== undefined && { spread }),
      requests,
      ...(one.best !== undefined && { best: one.best }),
      stalled: false,
      partial: completed < rounds,
      ...(counts !== undefined && { limit: usualLimit(counts) }),
    };
  });
}

/** Of each trial of the report, in their order. */
export function pivotTrials({ trials }: Report, table: ReportTable, metric: Metric): PivotCell[] {
  const known = trials.filter(({ summary }) => isKnown(summary, metric));
  const ratio = table.relative === true ? ratioByRound(table, known, metric) : undefined;
  return trials.map((trial) => {
    const { requests } = trial.summary;
    const own = trial.state === 'completed' ? metricValue(trial, metric) : undefined;
    const value = ratio === undefined || !isKnown({ requests }, metric) ? own : ratio(trial);
    if (value === undefined && trial.state === 'completed') return undefined;
    return {
      ...(value !== undefined && { spread: spreadOf([value]), limit: trial.verdict.limit }),
      requests,
      stalled: trial.stalls.length > 0,
      partial: false,
    };
  });
}

/** Whether each of its rounds has requests enough for the metric, which only quantiles ask for. */
export function isKnown({ requests }: { requests: number }, metric: Metric): boolean {
  return metric.name !== 'quantile' || requests >= samplesFor(metric.fraction);
}
