/** Several trials: the scenario's own tables, cells with their medians over the rounds, and what went wrong where. */
import { cellTable } from './cell-table.ts';
import { comparisonTables } from './comparison-table.ts';
import { pivotsOf } from './pivot.ts';
import { pivotNotes, pivotTable, pivotTitle } from './pivot-table.ts';
import { remarksOn } from './remarks.ts';
import type { Report, ReportTrial } from './schema.ts';
import type { TableModel } from './table-model.ts';
import { labelled, wrapped } from './text-line.ts';
import { fittedTables, plainTable } from './text-table.ts';

/** Left out, first to last, where the table is wider than the terminal; the JSON has them all. */
const SPARED = ['spread', 'p50', 'received'];
const SPARED_OF_COMPARISON = ['pairs', 'limit', 'p', '95 % interval'];

export function cellLines(report: Report, width: number): string[] {
  return tableLines((spared) => cellTable(report, spared), SPARED, width);
}

/** Nothing where nothing is compared. */
export function comparisonLines(report: Report, width: number): string[] {
  return comparisonTables(report).flatMap(({ title }, i) => [
    title,
    ...tableLines((spared) => comparisonTables(report, spared)[i]!, SPARED_OF_COMPARISON, width),
    '',
  ]);
}

/** The table with as many of its columns as there is room for, and its notes. */
export function tableLines(
  make: (spared: readonly string[]) => TableModel & { notes: string[] },
  spared: readonly string[],
  width: number,
): string[] {
  for (let left = 0; ; left++) {
    const table = make(spared.slice(0, left));
    const lines = plainTable(table);
    if (left === spared.length || lines.every((line) => [...line].length <= width)) {
      return [...lines, ...labelled('', table.notes.join('; '), width)];
    }
  }
}

/**
 * Nothing where the scenario asks for no table.
 * @param width of the terminal, which tables may use in full
 * @param prose what text may use of it
 */
export function pivotLines(report: Report, width: number, prose: number): string[] {
  const pivots = pivotsOf(report);
  if (pivots.length === 0) return [];
  const notes = pivotNotes(pivots, '*');
  return [
    ...pivots.flatMap((pivot) => [
      ...wrapped(pivotTitle(pivot), prose),
      ...fittedTables(pivotTable(pivot), width).flatMap((table) => [...plainTable(table), '']),
    ]),
    ...(notes.length === 0 ? [] : [...labelled('', notes.join('; '), prose), '']),
  ];
}

export function remarkLines(trials: readonly ReportTrial[], width: number): string[] {
  const lines = remarksOn(trials).flatMap(([label, text]) => labelled(label, text, width));
  return lines.length === 0 ? [] : [...lines, ''];
}
