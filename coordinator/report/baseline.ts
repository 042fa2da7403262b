/** Cells beside their baseline: ratios, what they are worth, and the noise that they were measured in. */
import type { Metric } from '../../shared/domain/metric-name.ts';
import type { Cell } from '../../shared/domain/run.ts';
import { metricValue } from './measure.ts';
import type { ReportCell, ReportTrial } from './schema.ts';
import { compareTable, type Direction, type Pair } from './statistics/comparison.ts';
import { noiseFloorOf } from './statistics/noise-floor.ts';

/** A cell and its trials, in the order in which they ran. */
export interface CellRounds {
  cell: ReportCell;
  trials: readonly ReportTrial[];
}

/**
 * Fills in `relativeToBaseline`, `comparison` and `noiseFloor`. All comparisons of the run are one table to Holm.
 * @param metric what cells are compared by; the request rate where the report asks for none
 * @param baselineOf a cell's baseline, which is itself for the baseline's own cells
 */
export function compareWithBaseline(
  cells: readonly CellRounds[],
  metric: Metric | undefined,
  baselineOf: (cell: Cell) => CellRounds | undefined,
): void {
  const compared = ({ cell }: CellRounds) => (metric === undefined ? cell.requestRate : cell.metric);
  const rounds = new Map(cells.map((one) => [one, valuesByRound(one, metric ?? { name: 'requestRate' })]));
  const others: { cell: ReportCell; pairs: Pair[] }[] = [];
  for (const one of cells) {
    const baseline = baselineOf(one.cell.cell);
    if (baseline === undefined) continue;
    const [value, base] = [compared(one)?.median, compared(baseline)?.median];
    if (value !== undefined && base !== undefined && base !== 0) one.cell.relativeToBaseline = value / base;
    if (one === baseline) {
      const noiseFloor = noiseFloorOf([...rounds.get(one)!.values()]);
      if (noiseFloor !== undefined) one.cell.noiseFloor = noiseFloor;
    } else {
      others.push({ cell: one.cell, pairs: pairsOf(rounds.get(one)!, rounds.get(baseline)!) });
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
export function valuesByRound({ trials }: Pick<CellRounds, 'trials'>, metric: Metric): Map<number, number> {
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
      return { above: 'faster', below: 'slower' };
    case 'requests':
    case 'errors':
    case 'dropped':
    case 'stdev':
      return { above: 'more', below: 'less' };
    default:
      return { above: 'slower', below: 'faster' };
  }
}
