/** Several trials: cells with their medians over the rounds, the scenario's own table, and what went wrong where. */
import { type CellTable, cellTable } from './cell-table.ts';
import { pivotsOf, pivotTable, pivotTitle } from './pivot.ts';
import { remarksOn } from './remarks.ts';
import type { Report, ReportTrial } from './schema.ts';
import { labelled } from './text-line.ts';
import { plainTable } from './text-table.ts';

/** Left out, first to last, where the table is wider than the terminal; the JSON has them all. */
const SPARED = ['spread', 'p50', 'received'];

export function cellLines(report: Report, width: number): string[] {
  let table: CellTable;
  let lines: string[];
  let spared = 0;
  do {
    table = cellTable(report, SPARED.slice(0, spared));
    lines = plainTable(table);
    spared++;
  } while (spared <= SPARED.length && lines.some((line) => [...line].length > width));
  return [...lines, ...labelled('', table.notes.join('; '), width)];
}

export function pivotLines(report: Report): string[] {
  return pivotsOf(report).flatMap((pivot) => ['', pivotTitle(pivot), ...plainTable(pivotTable(pivot))]);
}

export function remarkLines(trials: readonly ReportTrial[], width: number): string[] {
  return remarksOn(trials).flatMap(([label, text]) => labelled(label, text, width));
}
