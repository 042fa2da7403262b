/** Cells against their baseline, one a row: by how much, how sure, and a plain word. */
import type { Report, ReportCell } from './schema.ts';
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
 * Undefined where nothing is compared.
 * @param spared headings to leave out, where there is no room for them
 */
export function comparisonTable(
  { cells, run }: Report,
  spared: readonly string[] = [],
): ComparisonTable | undefined {
  const compared = cells.filter(({ comparison }) => comparison !== undefined);
  if (compared.length === 0) return undefined;
  const { baseline = cells[0]?.cell.target, metric = 'requestRate' } = run.report;
  const axes = [...new Set(compared.flatMap(({ cell }) => Object.keys(cell)))];
  const texts = compared.map(({ comparison }) => textsOf(comparison!));
  const heads = ['pairs', 'ratio', '95 % interval', 'p', 'result'].filter(
    (head) => !spared.includes(head) && texts.some((text) => text[head] !== undefined),
  );
  return {
    title: plain(`${metric} against ${baseline}`),
    head: [...axes.map(plain), ...heads],
    rows: compared.map(({ cell }, i) => [
      ...axes.map((axis) => plain(String(cell[axis] ?? '-'))),
      ...heads.map((head) => texts[i]![head] ?? '-'),
    ]),
    right: heads.flatMap((head, i) => (head === 'result' ? [] : [axes.length + i])),
    notes: notesOn(cells, heads),
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

function notesOn(cells: readonly ReportCell[], heads: readonly string[]): string[] {
  const notes = ['ratio is the geometric mean of the ratios in the rounds that both completed'];
  if (heads.includes('p')) notes.push(`p is for the whole table (Holm): a difference is shown at ${LEVEL}`);
  const floors = cells.flatMap(({ noiseFloor }) => noiseFloor?.ratio ?? []);
  if (floors.length > 0) {
    const [low, high] = [ratioText(Math.min(...floors)), ratioText(Math.max(...floors))];
    notes.push(
      `noise floor ${low === high ? low : `${low} to ${high}`}: smaller differences are missed more often than in one run of five`,
    );
  }
  return notes;
}
