/** The table that a scenario's `report` asks for: the values of one axis down, of another across, one metric inside. */
import type { Metric } from '../../shared/domain/metric-name.ts';
import type { Cell, Scalar } from '../../shared/domain/run.ts';
import { cellKey, tableMetric } from './cells.ts';
import { quantileText } from './quantile-limits.ts';
import type { Report, ReportCell, Spread } from './schema.ts';
import { samplesFor } from './statistics/quantile-support.ts';
import type { TableModel } from './table-model.ts';
import { cellLabel, plain } from './text-line.ts';
import { metricText } from './text-metric.ts';

export interface Pivot {
  /** The scenario's word for the metric. */
  name: string;
  metric: Metric;
  /** Of the metric's dimension; undefined: the one that suits each value. */
  unit: string | undefined;
  down: string;
  across: string;
  columns: Scalar[];
  /** What all its cells share: the axes that are neither rows nor columns. */
  rest: Cell;
  rows: { value: Scalar; cells: PivotCell[] }[];
}

/** Undefined where the sweep has no such cell, or where it was not begun; `spread` where no trial counts. */
export type PivotCell = { cell: ReportCell; spread: Spread | undefined } | undefined;

/** One for each combination of the other axes; none when the scenario does not name both rows and columns. */
export function pivotsOf({ cells, run }: Report): Pivot[] {
  const { rows: down, columns: across, metric: name = 'requestRate', unit } = run.report;
  if (down === undefined || across === undefined) return [];
  const asked = tableMetric(run.report);
  const values = (axis: string) => [...new Set(cells.flatMap(({ cell }) => cell[axis] ?? []))];
  const columns = values(across);
  const byKey = new Map(cells.map((cell) => [cellKey(cell.cell), cell]));
  const rests = new Map(
    cells.map(({ cell }) => {
      const rest = Object.fromEntries(
        Object.entries(cell).filter(([axis]) => axis !== down && axis !== across),
      );
      return [cellKey(rest), rest];
    }),
  );
  return [...rests.values()].map((rest) => ({
    name,
    metric: asked ?? { name: 'requestRate' },
    unit,
    down,
    across,
    columns,
    rest,
    rows: values(down).map((value) => ({
      value,
      cells: columns.map((column): PivotCell => {
        const cell = byKey.get(cellKey({ ...rest, [down]: value, [across]: column }));
        return cell === undefined
          ? undefined
          : { cell, spread: asked === undefined ? cell.requestRate : cell.metric };
      }),
    })),
  }));
}

/** `transferRate, connections=40` */
export function pivotTitle({ name, rest }: Pivot): string {
  return Object.keys(rest).length === 0 ? name : `${name}, ${cellLabel(rest)}`;
}

/**
 * Medians with their unit; `n<368` where a round has too few requests for the quantile, `DNF` where no trial counts,
 * `-` where there is no such cell.
 */
export function pivotTable({ down, across, columns, rows, metric, unit }: Pivot): TableModel {
  return {
    head: [plain(`${down} \\ ${across}`), ...columns.map((column) => plain(String(column)))],
    rows: rows.map(({ value, cells }) => [
      plain(String(value)),
      ...cells.map((cell) => {
        if (cell === undefined) return '-';
        return cell.spread === undefined ? 'DNF' : medianText(cell.cell, cell.spread, metric, unit);
      }),
    ]),
    right: columns.map((_, i) => i + 1),
  };
}

/** Whether each of a cell's rounds has requests enough for the metric, which only quantiles ask for. */
export function isKnown({ fewestRequests = Number.POSITIVE_INFINITY }: ReportCell, metric: Metric): boolean {
  return metric.name !== 'quantile' || fewestRequests >= samplesFor(metric.fraction);
}

function medianText(
  { fewestRequests }: ReportCell,
  { median }: Spread,
  metric: Metric,
  unit?: string,
): string {
  const text = (value: number) => metricText(value, metric, unit);
  return metric.name === 'quantile'
    ? quantileText(median, metric.fraction, fewestRequests, text)
    : text(median);
}
