/** What a reader has to know before believing the ratios. */
import type { Cell } from '../../../shared/domain/run.ts';
import type { Report } from '../schema.ts';
import { cellLabel, plain, plural } from '../text-line.ts';
import type { ComparedRun, Difference, Side } from './schema.ts';

/** How many differences are spelled out; the JSON has them all with their cells. */
const MOST = 8;

export interface CellDifferences {
  cell: Cell;
  differences: readonly Difference[];
}

/** One sentence a difference, with the cells that have it: `connections: 16 in A, 40 in B (all cells)`. */
export function differenceTexts(cells: readonly CellDifferences[]): string[] {
  const where = new Map<string, Cell[]>();
  for (const { cell, differences } of cells) {
    for (const { what, a, b } of differences) {
      const text = `${what}: ${a} in A, ${b} in B`;
      where.set(text, [...(where.get(text) ?? []), cell]);
    }
  }
  const texts = [...where].map(([text, having]) =>
    cells.length === 1 ? text : `${text} (${whichCells(having, cells.length)})`,
  );
  return texts.length <= MOST
    ? texts
    : [...texts.slice(0, MOST), `and ${plural(texts.length - MOST, 'difference')} more`];
}

/** `all cells`, `3 cells`, or the one by its name. */
export function whichCells(having: readonly Cell[], of: number): string {
  if (having.length === of) return 'all cells';
  return having.length === 1 ? cellLabel(having[0]!) : plural(having.length, 'cell');
}

export function runWarnings(side: Side, { trials }: Report, run: ComparedRun): string[] {
  const limited = trials.filter(({ verdict }) => verdict.limit === 'generator').length;
  const warnings: string[] = [];
  if (run.state !== 'completed') {
    warnings.push(plain(`${side} is ${run.state}${run.reason === undefined ? '' : `: ${run.reason}`}`));
  }
  if (run.unbalanced > 0) {
    warnings.push(
      `the ledger does not balance in ${run.unbalanced} of ${plural(trials.length, 'trial')} of ${side}`,
    );
  }
  if (limited > 0) {
    warnings.push(
      `the generator was the limit in ${limited} of ${plural(trials.length, 'trial')} of ${side}: their rates are its, not the target's`,
    );
  }
  return warnings;
}

export function runNotes(a: ComparedRun, b: ComparedRun): string[] {
  return [
    ...(a.name === b.name ? [] : [plain(`scenario: ${a.name} in A, ${b.name} in B`)]),
    ...(a.broadside === b.broadside ? [] : [`Broadside: ${a.broadside} in A, ${b.broadside} in B`]),
    'the runs took place at different times: whatever else changed on the machines and the network between them is in the ratios too, and more rounds do not take it out; one run that sweeps both does',
  ];
}
