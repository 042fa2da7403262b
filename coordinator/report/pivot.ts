/** A table that the scenario asks for, laid out: values of one axis down, of another across, one metric inside. */
import type { Metric } from '../../shared/domain/metric-name.ts';
import { CELL, ROUND } from '../../shared/domain/report-spec.ts';
import type { Cell, Scalar } from '../../shared/domain/run.ts';
import { cellKey } from './cell-key.ts';
import { type PivotCell, pivotCells, pivotTrials } from './pivot-cells.ts';
import type { Report, ReportTable } from './schema.ts';
import { tableMetric } from './tables.ts';
import { cellLabel } from './text-line.ts';

export interface Pivot {
  table: ReportTable;
  metric: Metric;
  /** Of the metric's dimension, for the whole table; undefined: the one that suits each value, or of ratios none. */
  unit: string | undefined;
  /** Undefined: there is one row, or one column. */
  down: string | undefined;
  across: string | undefined;
  columns: Scalar[];
  /** What all its cells share: the axes that are neither rows nor columns. */
  rest: Cell;
  rows: { value: Scalar; cells: PivotCell[] }[];
  /** Which of the two has the rounds, each value then being one trial's. */
  rounds: 'down' | 'across' | undefined;
}

/** One for each table, and each combination of the axes that it does not name. */
export function pivotsOf(report: Report): Pivot[] {
  return report.tables.flatMap((table) =>
    table.rows === undefined && table.columns === undefined ? [] : pivotsOfTable(table, report),
  );
}

function pivotsOfTable(table: ReportTable, report: Report): Pivot[] {
  const { rows: down, columns: across } = table;
  const metric = tableMetric(table);
  const axes = new Set(report.cells.flatMap(({ cell }) => Object.keys(cell)));
  const isRound = (side: string | undefined) => side === ROUND && !axes.has(side);
  const isCell = (side: string | undefined) => side === CELL && !axes.has(side);
  const rounds = isRound(down) ? 'down' : isRound(across) ? 'across' : undefined;
  const wholeCells = isCell(down) || isCell(across);
  const place = (cell: Cell): Cell => (wholeCells ? { [CELL]: cellLabel(cell) } : cell);
  const entries =
    rounds === undefined
      ? pivotCells(report, table, metric).map((cell, i) => entryOf(place(report.cells[i]!.cell), table, cell))
      : pivotTrials(report, table, metric).map((cell, i) => {
          const trial = report.trials[i]!;
          return entryOf({ ...place(trial.cell), [ROUND]: trial.round }, table, cell);
        });
  const values = (side: string | undefined): Scalar[] => {
    if (side === undefined) return [''];
    if (isRound(side)) return [...new Set(report.trials.map(({ round }) => round))].sort((a, b) => a - b);
    return [...new Set(report.cells.flatMap(({ cell }) => place(cell)[side] ?? []))];
  };
  const columns = values(across);
  const byKey = new Map(entries.map(({ at, cell }) => [cellKey(at), cell]));
  // In the order of the sweep, whatever that of the trials.
  const places = report.cells.map(({ cell }) => entryOf(place(cell), table, undefined).rest);
  const rests = new Map(places.map((rest) => [cellKey(rest), rest]));
  const coordinate = (side: string | undefined, value: Scalar): Cell =>
    side === undefined ? {} : { [side]: value };
  return [...rests.values()].map((rest) => ({
    table,
    metric,
    unit: table.relative === true ? undefined : (table.unit ?? USUAL_UNITS[metric.name]),
    down,
    across,
    columns,
    rest,
    rounds,
    rows: values(down).map((value) => ({
      value,
      cells: columns.map((column) =>
        byKey.get(cellKey({ ...rest, ...coordinate(down, value), ...coordinate(across, column) })),
      ),
    })),
  }));
}

const USUAL_UNITS: Partial<Record<Metric['name'], string>> = { requestRate: 'req/s', bandwidth: 'Mbit/s' };

function entryOf<T>(at: Cell, { rows, columns }: ReportTable, cell: T): { at: Cell; rest: Cell; cell: T } {
  const rest = Object.entries(at).filter(([axis]) => axis !== rows && axis !== columns);
  return { at, rest: Object.fromEntries(rest), cell };
}
