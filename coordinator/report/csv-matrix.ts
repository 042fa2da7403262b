/** The rows of `csv-matrix`: the scenario's tables as numbers in the unit that the headings name. */
import { type Dimension, dimensionOf, UNITS_OF } from '../../shared/domain/metric-name.ts';
import { axisField } from './csv-columns.ts';
import { type Pivot, pivotsOf } from './pivot.ts';
import { isKnown, type PivotCell } from './pivot-cells.ts';
import { unityOf } from './pivot-table.ts';
import type { Report, ReportTable } from './schema.ts';
import { plain } from './text-line.ts';

export type Row = (string | number | undefined)[];

export const BASE_UNITS: Record<Dimension, string> = {
  time: 'us',
  requestRate: 'req/s',
  transferRate: 'B/s',
  errors: 'share',
  count: 'count',
  script: 'as k6 has it',
};

/**
 * One table is nothing but that table, a heading and a line each. Several are blocks of one sheet: each begins with a
 * line with its title, and an empty line comes between them.
 */
export function matrixRows(report: Report): Row[] {
  const byTable = new Map<ReportTable, Pivot[]>();
  for (const pivot of pivotsOf(report)) {
    byTable.set(pivot.table, [...(byTable.get(pivot.table) ?? []), pivot]);
  }
  const blocks = [...byTable.values()];
  if (blocks.length === 0) return cellRows(report);
  if (blocks.length === 1) return blockRows(blocks[0]!);
  return blocks.flatMap((pivots, i) => [
    ...(i === 0 ? [] : [[]]),
    [titleOf(pivots[0]!)],
    ...blockRows(pivots),
  ]);
}

function titleOf({ table, rounds }: Pivot): string {
  const ratio = table.relative === true ? ` [${unityOf(table)}]` : '';
  return plain(table.title ?? `${table.metric}${ratio}${rounds === undefined ? '' : ' by round'}`);
}

/** Pivots of one table differ only in what all their cells share: that comes first in each row. */
function blockRows(pivots: readonly Pivot[]): Row[] {
  const first = pivots[0]!;
  const { down, across, table } = first;
  const others = Object.keys(first.rest);
  const { scale, name: unit } = unitOf(first);
  const heads = first.columns.map((column) => `${across === undefined ? table.metric : column} [${unit}]`);
  const head = [...others, ...(down === undefined ? [] : [down]), ...heads];
  const rows = pivots.flatMap(({ rest, rows, metric }) =>
    rows.map(({ value, cells }) => [
      ...others.map((axis) => axisField(rest[axis])),
      ...(down === undefined ? [] : [axisField(value)]),
      ...cells.map((cell) => numberOf(cell, metric, scale)),
    ]),
  );
  return [head.map(plain), ...rows];
}

function numberOf(cell: PivotCell, metric: Pivot['metric'], scale: number): Row[number] {
  if (cell === undefined) return undefined;
  if (cell.spread === undefined) return 'DNF';
  return isKnown(cell, metric) ? cell.spread.median / scale : undefined;
}

function unitOf({ metric, unit, table }: Pivot): { scale: number; name: string } {
  if (table.relative === true) return { scale: 1, name: unityOf(table) };
  const dimension = dimensionOf(metric);
  const scale = unit === undefined ? undefined : UNITS_OF[dimension][unit];
  return scale === undefined ? { scale: 1, name: BASE_UNITS[dimension] } : { scale, name: unit! };
}

/** Medians over the rounds. */
function cellRows({ cells }: Report): Row[] {
  const axes = [...new Set(cells.flatMap(({ cell }) => Object.keys(cell)))];
  return [
    [...axes.map(plain), 'rounds', 'requestRate [req/s]', 'received [B/s]', 'body [B/s]'],
    ...cells.map(({ cell, completed, requestRate, transferRate, bodyRate }) => [
      ...axes.map((axis) => axisField(cell[axis])),
      completed,
      ...[requestRate, transferRate, bodyRate].map(
        (spread) => spread?.median ?? (requestRate === undefined ? 'DNF' : undefined),
      ),
    ]),
  ];
}
