/** Tables of the text format: columns set apart by spaces, so that they paste well into a mail. */
import Table from 'cli-table3';
import type { Mark, TableModel } from './table-model.ts';

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};

const GAP = 2;
const SIGNS: Record<Mark, string> = { best: '*', tied: '=', stalled: '!', partial: '†' };

/** The table in as many pieces as there have to be so that none is wider than that, each with the first column. */
export function fittedTables(model: TableModel, width: number): TableModel[] {
  const { head, rows, right } = withSigns(model);
  const widths = head.map((text, i) => Math.max(lengthOf(text), ...rows.map((row) => lengthOf(row[i]!))));
  const pieces: number[][] = [];
  let room = 0;
  for (let column = 1; column < head.length; column++) {
    const needed = widths[column]! + GAP;
    if (pieces.length === 0 || (needed > room && pieces.at(-1)!.length > 0)) {
      pieces.push([]);
      room = width - widths[0]!;
    }
    pieces.at(-1)!.push(column);
    room -= needed;
  }
  return pieces.map((columns) => {
    const all = [0, ...columns];
    const of = <T>(row: readonly T[]) => all.map((column) => row[column]!);
    return {
      head: of(head),
      rows: rows.map(of),
      right: all.flatMap((column, i) => (right.includes(column) ? [i] : [])),
    };
  });
}

/** What stands out has its sign after it, and numbers stay below one another. */
function withSigns({ head, rows, right, marks }: TableModel): TableModel {
  if (marks === undefined) return { head, rows, right };
  const most = head.map((_, i) => Math.max(0, ...marks.map((row) => row[i]?.length ?? 0)));
  const sign = (given: readonly Mark[] = [], i: number) =>
    most[i] === 0 ? '' : ` ${signsOf(given).padEnd(most[i]!)}`;
  return {
    head: head.map((text, i) => text + sign(undefined, i)),
    rows: rows.map((row, r) => row.map((text, i) => text + sign(marks[r]?.[i], i))),
    right,
  };
}

export function signsOf(marks: readonly Mark[]): string {
  return marks.map((mark) => SIGNS[mark]).join('');
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** @param firstWidth least width of the first column */
export function plainTable({ head, rows, right }: TableModel, firstWidth = 0): string[] {
  const table = new Table({
    head,
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [] },
    colAligns: head.map((_, i) => (right.includes(i) ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(firstWidth) : cell))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
