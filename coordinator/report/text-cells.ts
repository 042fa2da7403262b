/** Several trials: cells with their medians over the rounds, the scenario's own table, and what went wrong where. */
import { cellTable } from './cell-table.ts';
import { comparisonTable } from './comparison-table.ts';
import { pivotsOf, pivotTable, pivotTitle } from './pivot.ts';
import { remarksOn } from './remarks.ts';
import type { Report, ReportTrial } from './schema.ts';
import type { TableModel } from './table-model.ts';
import { labelled } from './text-line.ts';
import { plainTable } from './text-table.ts';

/** Left out, first to last, where the table is wider than the terminal; the JSON has them all. */
const SPARED = ['spread', 'p50', 'received'];
const SPARED_OF_COMPARISON = ['pairs', 'p', '95 % interval'];

export function cellLines(report: Report, width: number): string[] {
  return tableLines((spared) => cellTable(report, spared), SPARED, width);
}

/** Nothing where nothing is compared. */
export function comparisonLines(report: Report, width: number): string[] {
  const title = comparisonTable(report)?.title;
  if (title === undefined) return [];
  const lines = tableLines((spared) => comparisonTable(report, spared)!, SPARED_OF_COMPARISON, width);
  return ['', title, ...lines];
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

export function pivotLines(report: Report): string[] {
  return pivotsOf(report).flatMap((pivot) => ['', pivotTitle(pivot), ...plainTable(pivotTable(pivot))]);
}

export function remarkLines(trials: readonly ReportTrial[], width: number): string[] {
  return remarksOn(trials).flatMap(([label, text]) => labelled(label, text, width));
}
