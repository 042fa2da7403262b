/** Cells beside their baseline: ratios, what they are worth, and the noise that they were measured in. */
import type { Metric, ScriptMetric } from '../../shared/domain/metric-name.ts';
import type { Cell } from '../../shared/domain/run.ts';
import { scriptUnit } from '../../shared/domain/script-metric.ts';
import { metricValue } from './measure.ts';
import type { ReportTrial, TableCell } from './schema.ts';
import { compareTable, type Direction, type Pair } from './statistics/comparison.ts';
import { noiseFloorOf } from './statistics/noise-floor.ts';

/** A cell of a table, and its values by round; none where they are not known well enough to be compared. */
export interface CellRounds {
  cell: TableCell;
  values: ReadonlyMap<number, number>;
}

/**
 * Fills in `relativeToBaseline`, `comparison` and `noiseFloor`. All comparisons of the table are one table to Holm.
 * @param baselineOf a cell's baseline, which is itself for the baseline's own cells
 */
export function compareWithBaseline(
  cells: readonly CellRounds[],
  metric: Metric,
  baselineOf: (cell: Cell) => CellRounds | undefined,
): void {
  const others: { cell: TableCell; pairs: Pair[] }[] = [];
  for (const one of cells) {
    const baseline = baselineOf(one.cell.cell);
    if (baseline === undefined || one.values.size === 0 || baseline.values.size === 0) continue;
    const [value, base] = [one.cell.metric?.median, baseline.cell.metric?.median];
    if (value !== undefined && base !== undefined && base !== 0) one.cell.relativeToBaseline = value / base;
    if (one === baseline) {
      const noiseFloor = noiseFloorOf([...one.values.values()]);
      if (noiseFloor !== undefined) one.cell.noiseFloor = noiseFloor;
    } else {
      others.push({ cell: one.cell, pairs: pairsOf(one.values, baseline.values) });
    }
  }
  const comparisons = compareTable(
    others.map(({ pairs }) => pairs),
    directionOf(metric),
  );
  others.forEach(({ cell }, i) => {
    const comparison = comparisons[i];
    if (comparison !== undefined) cell.comparison = comparison;
  });
}

/** Of the completed trials, in their order. */
export function valuesByRound(
  { trials }: { trials: readonly ReportTrial[] },
  metric: Metric,
): Map<number, number> {
  return new Map(
    trials.flatMap((trial) => {
      const value = trial.state === 'completed' ? metricValue(trial, metric) : undefined;
      return value === undefined ? [] : [[trial.round, value] as const];
    }),
  );
}

/** The rounds that both have. */
export function pairsOf(values: ReadonlyMap<number, number>, baseline: ReadonlyMap<number, number>): Pair[] {
  return [...values].flatMap(([round, value]): Pair[] => {
    const base = baseline.get(round);
    return base === undefined ? [] : [[value, base]];
  });
}

/** Rates are fast when they are high, times when they are short; of the rest there is more or less. */
export function directionOf(metric: Metric | undefined): Direction {
  switch (metric?.name) {
    case undefined:
    case 'requestRate':
    case 'transferRate':
    case 'bodyRate':
    case 'sentRate':
    case 'bandwidth':
      return { above: 'faster', below: 'slower' };
    case 'requests':
    case 'errors':
    case 'dropped':
    case 'stdev':
      return { above: 'more', below: 'less' };
    case 'script':
      return scriptDirection(metric);
    default:
      return { above: 'slower', below: 'faster' };
  }
}

function scriptDirection({ metric, aggregation }: ScriptMetric): Direction {
  switch (scriptUnit(metric, aggregation)) {
    case 'perSecond':
      return { above: 'faster', below: 'slower' };
    case 'time':
      return { above: 'slower', below: 'faster' };
    default:
      return { above: 'more', below: 'less' };
  }
}

/** Whether more of it is better. */
export function isBetterHigh(metric: Metric): boolean {
  return metric.name === 'requests' || directionOf(metric).above === 'faster';
}
