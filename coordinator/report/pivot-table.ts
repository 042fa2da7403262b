/** Pivots as people read them: medians, what is the best of them, and what they mean. */

import type { Pivot } from './pivot.ts';
import { isKnown, type PivotCell } from './pivot-cells.ts';
import { quantileText } from './quantile-limits.ts';
import type { ReportTable } from './schema.ts';
import { median } from './statistics/spread.ts';
import type { LimitMark, Mark, TableModel } from './table-model.ts';
import { cellLabel, plain } from './text-line.ts';
import { metricText } from './text-metric.ts';
import { signsOf } from './text-table.ts';

/** `transferRate [KiB/s], connections=40`, or of ratios `transferRate [httpd = 1]`; after the table's own title if it has one. */
export function pivotTitle(pivot: Pivot): string {
  const { table, rest } = pivot;
  const title = table.title === undefined ? '' : `${plain(table.title)}: `;
  const rounds = pivot.rounds === undefined ? '' : ' by round';
  return `${title}${headingOf(pivot)}${rounds}${Object.keys(rest).length === 0 ? '' : `, ${cellLabel(rest)}`}`;
}

function headingOf({ table, unit }: Pivot): string {
  const inBrackets = table.relative === true ? unityOf(table) : unit;
  return plain(inBrackets === undefined ? table.metric : `${table.metric} [${inBrackets}]`);
}

/** What stands where a unit would. */
export function unityOf({ comparedWith, baseline }: ReportTable): string {
  return `${comparedWith?.value ?? baseline} = 1`;
}

/**
 * Medians over the rounds, ratios to the baseline, or one value a round with their median and spread after them; `n<368` where a round has too
 * few requests for the quantile, `DNF` where no trial counts, `-` where there is no such cell.
 */
export function pivotTable(pivot: Pivot): TableModel {
  const { down, across, columns, rows, rounds } = pivot;
  const corner = [down, across].filter((side) => side !== undefined).join(' \\ ');
  const totals = rounds === undefined ? [] : (['median', 'spread'] as const);
  const body = rows.map(({ value, cells }) => ({
    head: down === undefined ? headingOf(pivot) : plain(String(value)),
    texts: cells.map((cell) => cellText(cell, pivot)),
    marks: cells.map(marksOf),
  }));
  const heads = columns.map((column) => (across === undefined ? headingOf(pivot) : plain(String(column))));
  if (rounds === 'across') {
    body.forEach((line, i) => {
      line.texts.push(...totals.map((total) => totalText(total, rows[i]!.cells, pivot)));
    });
    heads.push(...totals);
  }
  if (rounds === 'down') {
    const columnOf = (i: number) => rows.map(({ cells }) => cells[i]);
    body.push(
      ...totals.map((total) => ({
        head: total,
        texts: columns.map((_, i) => totalText(total, columnOf(i), pivot)),
        marks: [],
      })),
    );
  }
  return {
    head: [plain(corner), ...heads],
    rows: body.map(({ head, texts }) => [head, ...texts]),
    right: heads.map((_, i) => i + 1),
    marks: body.map(({ marks }) => [undefined, ...marks]),
  };
}

function marksOf(cell: PivotCell): Mark[] {
  if (cell?.spread === undefined) return [];
  return [
    ...(cell.best === undefined ? [] : ([cell.best === 'alone' ? 'best' : 'tied'] as const)),
    ...(cell.stalled ? (['stalled'] as const) : []),
    ...(cell.partial ? (['partial'] as const) : []),
    ...(cell.limit === undefined || cell.limit === 'target' ? [] : [cell.limit]),
  ];
}

function cellText(cell: PivotCell, pivot: Pivot): string {
  if (cell === undefined) return '-';
  if (cell.spread === undefined) return 'DNF';
  const { metric } = pivot;
  const text = (value: number) => valueText(value, pivot);
  return metric.name === 'quantile'
    ? quantileText(cell.spread.median, metric.fraction, cell.requests, text)
    : text(cell.spread.median);
}

/** Without its unit where that is in the heading. */
export function valueText(value: number, { metric, unit, table }: Pivot): string {
  if (table.relative === true) return value.toFixed(3);
  const text = metricText(value, metric, unit);
  return unit === undefined ? text : text.slice(0, -unit.length).trimEnd();
}

function totalText(total: 'median' | 'spread', cells: readonly PivotCell[], pivot: Pivot): string {
  const counted = cells.flatMap((cell) =>
    cell?.spread === undefined ? [] : { ...cell, spread: cell.spread },
  );
  const values = counted.map(({ spread }) => spread.median);
  // Of those rounds alone that are known, the median would be that of the busier ones.
  if (values.length === 0 || !counted.every((cell) => isKnown(cell, pivot.metric))) return '-';
  const middle = median(values);
  if (total === 'median') return valueText(middle, pivot);
  return middle === 0
    ? '-'
    : `${(((Math.max(...values) - Math.min(...values)) / middle) * 100).toFixed(1)} %`;
}

/**
 * What is in the tables besides medians; a sentence each.
 * @param best how the format marks what is best
 */
export function pivotNotes(pivots: readonly Pivot[], best: string): string[] {
  const cells = pivots.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  const has = (relative: boolean, byRound: boolean) =>
    pivots.some(
      ({ table, rounds }) => (table.relative === true) === relative && (rounds !== undefined) === byRound,
    );
  const notes = [
    ...(has(false, false) ? ['medians over the rounds'] : []),
    ...(has(true, false)
      ? ['ratios are geometric means over the rounds that the cell and its baseline both completed']
      : []),
    ...(has(true, true) ? ['ratios by round are to the baseline in the same round'] : []),
  ];
  const along = [...new Set(pivots.flatMap(({ table }) => table.bestAlong ?? []))].map(plain).join(', ');
  if (cells.some((cell) => cell?.best === 'alone'))
    notes.push(
      `${best}: best by ${along}, shown to be better than each other by pairs of rounds (5 %, Holm)`,
    );
  if (cells.some((cell) => cell?.best === 'tied'))
    notes.push(`=: one of those by ${along} that no other was shown to be better than`);
  if (cells.some((cell) => cell?.best !== undefined))
    notes.push('where neither is, no difference was shown, or the rounds are fewer than 5');
  if (pivots.some(({ rounds }) => rounds !== undefined)) notes.push('spread is (max − min) / median');
  if (cells.some((cell) => cell?.spread !== undefined && cell.partial))
    notes.push('†: some of its rounds are not in it, because they did not finish');
  if (cells.some((cell) => cell?.spread !== undefined && cell.stalled))
    notes.push('!: for a second or longer no reply came');
  return [...notes, ...limitNotes(cells)];
}

const LIMIT_NOTES: Record<LimitMark, string> = {
  generator: 'limited by the load generator',
  network: 'limited by the network',
  none: 'nothing was at its limit, the load asked for no more',
  undecided: 'what the limit was is undecided, or the rounds do not agree',
};

/** Which numbers are the target's own, and which are not. */
function limitNotes(cells: readonly PivotCell[]): string[] {
  const shown = new Set(cells.flatMap((cell) => (cell?.spread === undefined ? [] : (cell.limit ?? []))));
  if (shown.size === 0) return [];
  const others = (Object.keys(LIMIT_NOTES) as LimitMark[]).filter((limit) => shown.has(limit));
  const notes = others.map((limit) => `${signsOf([limit])}: ${LIMIT_NOTES[limit]}`);
  if (!shown.has('target')) return notes;
  const without =
    others.length === 0 ? 'all numbers' : `without ${others.map((one) => signsOf([one])).join(', ')}`;
  return [...notes, `${without}: limited by the target (in most rounds)`];
}
