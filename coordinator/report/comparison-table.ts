/** Cells against their baseline, one a row: by how much, how sure, and a plain word. */
import type { Cell } from '../../shared/domain/run.ts';
import { cellKey } from './cell-key.ts';
import { type Limit, limitsByCell, usualLimit } from './limits.ts';
import { baselineCell } from './relative.ts';
import type { Report, ReportTable, ReportTrial } from './schema.ts';
import { type Comparison, LEVEL } from './statistics/comparison.ts';
import type { TableModel } from './table-model.ts';
import { plain } from './text-line.ts';

export interface ComparisonTable extends TableModel {
  /** `transferRate against httpd` */
  title: string;
  /** How the numbers were come by; a sentence each. */
  notes: string[];
}

/**
 * One for each metric and baseline of the scenario's tables; none where nothing is compared.
 * @param spared headings to leave out, where there is no room for them
 */
export function comparisonTables(report: Report, spared: readonly string[] = []): ComparisonTable[] {
  const { tables } = report;
  const byTitle = new Map(tables.map((table) => [titleOf(table), table]));
  return [...byTitle.values()].flatMap((table) => comparisonTable(table, report, spared) ?? []);
}

function titleOf({ metric, comparedWith }: ReportTable): string {
  return plain(`${metric} against ${comparedWith?.value}`);
}

function comparisonTable(
  table: ReportTable,
  { run, trials }: Report,
  spared: readonly string[],
): ComparisonTable | undefined {
  const compared = table.cells.filter(({ comparison }) => comparison !== undefined);
  if (compared.length === 0) return undefined;
  const axes = [...new Set(compared.flatMap(({ cell }) => Object.keys(cell)))];
  const limits = limitsOf(table, trials);
  const texts = compared.map(({ cell, comparison }) => ({ ...textsOf(comparison!), ...limits(cell) }));
  const heads = ['pairs', 'ratio', '95 % interval', 'p', 'result', 'limit'].filter(
    (head) => !spared.includes(head) && texts.some((text) => text[head] !== undefined),
  );
  return {
    title: titleOf(table),
    head: [...axes.map(plain), ...heads],
    rows: compared.map(({ cell }, i) => [
      ...axes.map((axis) => plain(String(cell[axis] ?? '-'))),
      ...heads.map((head) => texts[i]![head] ?? '-'),
    ]),
    right: heads.flatMap((head, i) => (head === 'result' || head === 'limit' ? [] : [axes.length + i])),
    notes: notesOn(table, heads, run.order.name),
  };
}

/** What limited a cell and its baseline in most rounds; nothing where that was the target in all of the table. */
function limitsOf(
  table: ReportTable,
  trials: readonly ReportTrial[],
): (cell: Cell) => Record<string, string> {
  const byCell = limitsByCell(trials);
  const limitOf = (cell: Cell): Limit => usualLimit(byCell.get(cellKey(cell)) ?? new Map());
  const baselineOf = (cell: Cell): Cell => baselineCell(table, cell) ?? cell;
  const isTarget = table.cells.every(
    ({ cell, comparison }) =>
      comparison === undefined || (limitOf(cell) === 'target' && limitOf(baselineOf(cell)) === 'target'),
  );
  if (isTarget) return () => ({});
  return (cell) => {
    const [own, other] = [limitOf(cell), limitOf(baselineOf(cell))];
    return { limit: own === other ? own : `${own} / ${other}` };
  };
}

function textsOf({ pairs, ratio, ci95, adjustedP, word }: Comparison): Record<string, string> {
  return {
    pairs: String(pairs),
    ratio: ratioText(ratio),
    ...(ci95 && { '95 % interval': `${ci95[0].toFixed(3)} – ${ci95[1].toFixed(3)}` }),
    ...(adjustedP !== undefined && { p: pText(adjustedP) }),
    result: word,
  };
}

/** `×1.034` */
export function ratioText(ratio: number): string {
  return `×${ratio.toFixed(3)}`;
}

/** Rounded up, so that one just above the level is not printed as the level. */
export function pText(p: number): string {
  return p < 0.001 ? '< 0.001' : (Math.ceil(p * 1000 - 1e-9) / 1000).toFixed(3);
}

function notesOn(
  { cells }: ReportTable,
  heads: readonly string[],
  order: Report['run']['order']['name'],
): string[] {
  const notes = ['ratio is the geometric mean of the ratios in the rounds that both completed'];
  if (heads.includes('limit')) notes.push('limit is that of the cell and of its baseline, in most rounds');
  if (heads.includes('p')) notes.push(`p is for the whole table (Holm): a difference is shown at ${LEVEL}`);
  const floors = cells.flatMap(({ noiseFloor }) => noiseFloor?.ratio ?? []);
  if (floors.length > 0) {
    const [low, high] = [ratioText(Math.min(...floors)), ratioText(Math.max(...floors))];
    notes.push(
      `noise floor ${low === high ? low : `${low} to ${high}`}: smaller differences are missed more often than in one run of five`,
    );
  }
  if (order === 'sequential') {
    notes.push(
      'the order was sequential: what drifted during the run cannot be told from a difference between cells, whatever p says',
    );
  }
  return notes;
}
