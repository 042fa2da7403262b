/** The rows of `csv-matrix`: what the scenario's `report` asks for, as numbers in the unit that the headings name. */
import { type Dimension, dimensionOf, UNITS_OF } from '../../shared/domain/metric-name.ts';
import { axisField } from './csv-columns.ts';
import { isKnown, type Pivot } from './pivot.ts';
import type { Report } from './schema.ts';
import { plain } from './text-line.ts';

export type Row = (string | number | undefined)[];

export const BASE_UNITS: Record<Dimension, string> = {
  time: 'us',
  requestRate: 'req/s',
  transferRate: 'B/s',
  errors: 'share',
  count: 'count',
};

/** Pivots of one run differ only in what all their cells share: that comes first in each row. */
export function matrixRows(report: Report, pivots: readonly Pivot[]): Row[] {
  const [first] = pivots;
  if (first === undefined) return cellRows(report);
  const others = Object.keys(first.rest);
  const { scale, name: unit } = unitOf(first);
  const head = [...others, first.down, ...first.columns.map((column) => `${column} [${unit}]`)];
  const rows = pivots.flatMap(({ rest, rows, metric }) =>
    rows.map(({ value, cells }) => [
      ...others.map((axis) => axisField(rest[axis])),
      axisField(value),
      ...cells.map((cell) => {
        if (cell === undefined) return undefined;
        if (cell.spread === undefined) return 'DNF';
        return isKnown(cell.cell, metric) ? cell.spread.median / scale : undefined;
      }),
    ]),
  );
  return [head.map(plain), ...rows];
}

function unitOf({ metric, unit }: Pivot): { scale: number; name: string } {
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
      ...[requestRate, transferRate, bodyRate].map((spread) => spread?.median ?? 'DNF'),
    ]),
  ];
}
