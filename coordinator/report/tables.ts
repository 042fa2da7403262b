/** The tables that a scenario's `report` asks for, as numbers: each cell by the table's metric, compared, the best found. */
import { type Metric, readMetric } from '../../shared/domain/metric-name.ts';
import { CELL, ROUND, type TableSpec } from '../../shared/domain/report-spec.ts';
import type { Cell, Scalar } from '../../shared/domain/run.ts';
import { type CellRounds, compareWithBaseline, valuesByRound } from './baseline.ts';
import { markBest } from './best.ts';
import { cellKey } from './cell-key.ts';
import type { ReportTable, ReportTrial, TableCell } from './schema.ts';
import { samplesFor } from './statistics/quantile-support.ts';
import { spreadOf } from './statistics/spread.ts';

/** A cell and its trials, in the order in which they ran. */
export interface CellTrials {
  cell: Cell;
  trials: readonly ReportTrial[];
}

/** What cells are compared by where a table does not say. */
const USUAL = 'requestRate';

/** The table's own metric; the usual one when it names none, or one that this version does not know. */
export function tableMetric({ metric = USUAL }: Pick<TableSpec, 'metric'>): Metric {
  const read = readMetric(metric);
  return 'problem' in read ? { name: USUAL } : read;
}

/** As it is written; that of `tableMetric`. */
function nameOf({ metric = USUAL }: TableSpec): string {
  return 'problem' in readMetric(metric) ? USUAL : metric;
}

/**
 * @param cells in the order of the sweep, in which the table has them
 * @param isFirst a table that names no baseline is compared all the same: once is enough
 */
export function tableOf(spec: TableSpec, cells: readonly CellTrials[], isFirst: boolean): ReportTable {
  const metric = tableMetric(spec);
  const rounds = cells.map((one) => cellRounds(one, metric));
  const comparedWith = spec.baseline === undefined && !isFirst ? undefined : baselineOf(spec, cells);
  if (comparedWith !== undefined) {
    const byKey = new Map(rounds.map((one) => [cellKey(one.cell.cell), one]));
    const { axis, value } = comparedWith;
    compareWithBaseline(rounds, metric, (cell) => byKey.get(cellKey({ ...cell, [axis]: value })));
  }
  const bestAlong = axisOfBest(spec, cells, comparedWith?.axis);
  if (bestAlong !== undefined) markBest(competing(rounds, bestAlong), metric);
  return {
    ...spec,
    metric: nameOf(spec),
    ...(comparedWith !== undefined && { comparedWith }),
    ...(bestAlong !== undefined && { bestAlong }),
    cells: rounds.map(({ cell }) => cell),
  };
}

function cellRounds({ cell, trials }: CellTrials, metric: Metric): CellRounds {
  const values = valuesByRound({ trials }, metric);
  const described: TableCell = {
    cell,
    ...(values.size > 0 && { metric: spreadOf([...values.values()]) }),
  };
  return { cell: described, values: isKnownOf(trials, metric) ? values : new Map() };
}

/** A quantile that one of the rounds has too few requests for is compared with nothing. */
function isKnownOf(trials: readonly ReportTrial[], metric: Metric): boolean {
  if (metric.name !== 'quantile') return true;
  const needed = samplesFor(metric.fraction);
  return trials.every(({ state, summary }) => state !== 'completed' || summary.requests >= needed);
}

/**
 * Which axis the baseline is a value of: the table's columns if it is one of theirs, else its rows or `target`, else any
 * axis that has it. A table that names no baseline in a sweep of targets is compared with the first of them.
 */
function baselineOf(
  spec: TableSpec,
  cells: readonly CellTrials[],
): { axis: string; value: Scalar } | undefined {
  const first = cells[0]?.cell ?? {};
  const valuesOf = (axis: string) => new Set(cells.map(({ cell }) => cell[axis]));
  if (spec.baseline === undefined) {
    const value = first.target;
    return value !== undefined && valuesOf('target').size > 1 ? { axis: 'target', value } : undefined;
  }
  const value = spec.baseline;
  const axes = [spec.columns, spec.rows, 'target', ...Object.keys(first)];
  const axis = axes.find((name) => name !== undefined && valuesOf(name).has(value));
  return axis === undefined ? undefined : { axis, value };
}

/**
 * Along which side of the table the best is looked for: where the baseline is, else where the load is swept (the best
 * number of connections), else among targets, else among the columns, or the rows where there are none.
 */
function axisOfBest(
  { rows, columns, baseline, best }: TableSpec,
  cells: readonly CellTrials[],
  baselineAxis: string | undefined,
): string | undefined {
  const axes = Object.keys(cells[0]?.cell ?? {});
  const sides = [columns, rows].filter((side) => side !== undefined);
  if (best === 'none' || sides.some((side) => side === ROUND && !axes.includes(side))) return undefined;
  if (best !== undefined) return best;
  const swept = sides.filter((side) => axes.includes(side));
  return (
    swept.find((side) => baseline !== undefined && side === baselineAxis) ??
    swept.find((side) => isLoadAxis(side, cells)) ??
    swept.find((side) => side === 'target') ??
    swept[0]
  );
}

/** Whether each trial's connections or arrivals a second are what the axis says. */
function isLoadAxis(axis: string, cells: readonly CellTrials[]): boolean {
  return ['connections', 'rate'].some((key) =>
    cells.every(({ cell, trials }) =>
      trials.every(({ load }) => Object.entries(load).some(([name, n]) => name === key && n === cell[axis])),
    ),
  );
}

/** Cells that differ in nothing but that axis; with `cell` they all compete. */
function competing(rounds: readonly CellRounds[], along: string): CellRounds[][] {
  const groups = new Map<string, CellRounds[]>();
  for (const one of rounds) {
    const { [along]: _, ...rest } = one.cell.cell;
    const key = along === CELL && !(CELL in one.cell.cell) ? '' : cellKey(rest);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}
