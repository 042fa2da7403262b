/** Tables of the text format: columns set apart by spaces, so that they paste well into a mail. */
import Table from 'cli-table3';
import type { TableModel } from './table-model.ts';

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

/** @param firstWidth least width of the first column */
export function plainTable({ head, rows, right }: TableModel, firstWidth = 0): string[] {
  const table = new Table({
    head,
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
    colAligns: head.map((_, i) => (right.includes(i) ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(firstWidth) : cell))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
