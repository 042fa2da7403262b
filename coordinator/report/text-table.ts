/** Tables of the text format: columns set apart by spaces, so that they paste well into a mail. */
import stringWidth from 'string-width';
import type { Mark, TableModel } from './table-model.ts';

const GAP = 2;
const BETWEEN = ' '.repeat(GAP);
/** Of which each letter takes one column. */
const PLAIN_TEXT = /^[ -~]*$/;
const SIGNS: Record<Mark, string> = {
  best: '*',
  tied: '=',
  stalled: '!',
  partial: '†',
  generator: 'G',
  network: 'N',
  none: '~',
  undecided: '?',
};

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
  const lines = [head, ...rows];
  const widths = lines.map((line) => line.map(widthOf));
  const columns = head.map((_, i) =>
    widths.reduce((most, line, r) => Math.max(most, line[i]!, i === 0 && r > 0 ? firstWidth : 0), 0),
  );
  const alignsRight = head.map((_, i) => right.includes(i));
  return lines.map((line, r) =>
    line
      .map((text, i) => {
        const space = ' '.repeat(columns[i]! - widths[r]![i]!);
        return alignsRight[i] ? space + text : text + space;
      })
      .join(BETWEEN)
      .trimEnd(),
  );
}

/** In columns of a terminal: those of a name in Chinese are twice as many as its letters. */
function widthOf(text: string): number {
  return PLAIN_TEXT.test(text) ? text.length : stringWidth(text);
}
