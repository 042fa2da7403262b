/** What the formats for people say of a comparison, before it is text. */
import { readMetric } from '../../../shared/domain/metric-name.ts';
import type { Cell } from '../../../shared/domain/run.ts';
import { pText, ratioText } from '../comparison-table.ts';
import { LEVEL } from '../statistics/comparison.ts';
import type { TableModel } from '../table-model.ts';
import { cellLabel, plain, plural } from '../text-line.ts';
import { metricText } from '../text-metric.ts';
import type { Fact } from '../trial-facts.ts';
import { whichCells } from './remarks.ts';
import type { ComparedMetric, ComparedRun, RunComparison, UncomparedCell } from './schema.ts';
import { tallyOf } from './verdict.ts';

/** `static files: B against A` */
export function titleOf({ a, b }: RunComparison): string {
  return plain(`${a.name === b.name ? a.name : `${b.name} / ${a.name}`}: B against A`);
}

export function headFacts(comparison: RunComparison): Fact[] {
  const { a, b, warnings } = comparison;
  return [
    ['A (baseline)', runText(a)],
    ['B', runText(b)],
    ['Result', tallyOf(comparison)],
    ...labelledOnce('Warning', warnings),
  ];
}

export function tailFacts(comparison: RunComparison): Fact[] {
  const uncompared = [...comparison.notCompared.map(uncomparedText), ...metricReasons(comparison)];
  return [...labelledOnce('Not compared', uncompared), ...labelledOnce('Note', comparison.notes)];
}

/** `p(99): needs 368 requests in each round, one has 300 (2 cells)` */
function metricReasons({ cells }: RunComparison): string[] {
  const having = new Map<string, Cell[]>();
  for (const { cell, metrics } of cells) {
    for (const { metric, reason } of metrics) {
      if (reason === undefined) continue;
      const text = `${metric}: ${reason}`;
      having.set(text, [...(having.get(text) ?? []), cell]);
    }
  }
  return [...having].map(([text, of]) =>
    cells.length === 1 ? text : `${text} (${whichCells(of, cells.length)})`,
  );
}

function labelledOnce(label: string, texts: readonly string[]): Fact[] {
  return texts.map((text, i) => [i === 0 ? label : '', text]);
}

function runText({ id, state, startedAt, trials, plannedTrials, broadside }: ComparedRun): string {
  const started = startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  const begun = trials < plannedTrials ? `${trials} of ` : '';
  return `${id}, ${state}, started ${started}, ${begun}${plural(plannedTrials, 'trial')}, Broadside ${broadside}`;
}

export function uncomparedText({ cell, missingIn, why, reasons = [] }: UncomparedCell): string {
  const label = cellLabel(cell);
  switch (why) {
    case 'no such cell':
      return `${label}: not in ${missingIn}`;
    case 'not begun':
      return `${label}: not in ${missingIn}, which ended early`;
    case 'DNF':
      return plain(`${label}: DNF in ${missingIn === 'both' ? 'A and B' : missingIn}${reasonsText(reasons)}`);
  }
}

const MOST_REASONS = 2;

function reasonsText(reasons: readonly string[]): string {
  const more = reasons.length - MOST_REASONS;
  const listed = [...reasons.slice(0, MOST_REASONS), ...(more > 0 ? [`and ${more} more`] : [])];
  return listed.length === 0 ? '' : ` (${listed.join('; ')})`;
}

/**
 * A row for each cell and metric; the cell is named in the first of its rows.
 * @param spared headings to leave out, where there is no room for them
 */
export function ratioTable(
  { cells }: RunComparison,
  spared: readonly string[] = [],
): TableModel & { notes: string[] } {
  const axes = [...new Set(cells.flatMap(({ cell }) => Object.keys(cell)))];
  const rows = cells.flatMap(({ cell, metrics }) =>
    metrics.map((metric, i) => ({ axes: axisTexts(axes, cell, i === 0), texts: textsOf(metric) })),
  );
  const heads = ['metric', 'A', 'B', 'pairs', 'B / A', '95 % interval', 'p', 'result'].filter(
    (head) => !spared.includes(head) && rows.some(({ texts }) => texts[head] !== undefined),
  );
  return {
    head: [...axes.map(plain), ...heads],
    rows: rows.map(({ axes, texts }) => [...axes, ...heads.map((head) => texts[head] ?? '-')]),
    right: heads.flatMap((head, i) => (['metric', 'result'].includes(head) ? [] : [axes.length + i])),
    notes: notesOn(heads),
  };
}

function axisTexts(axes: readonly string[], cell: Cell, named: boolean): string[] {
  return axes.map((axis) => (named ? plain(String(cell[axis] ?? '-')) : ''));
}

function textsOf({ metric, a, b, comparison, reason }: ComparedMetric): Record<string, string> {
  const known = readMetric(metric);
  const value = (one: number) => ('problem' in known ? String(one) : metricText(one, known));
  return {
    metric,
    ...(a !== undefined && { A: value(a) }),
    ...(b !== undefined && { B: value(b) }),
    ...(comparison && {
      pairs: String(comparison.pairs),
      'B / A': ratioText(comparison.ratio),
      result: comparison.word,
    }),
    ...(comparison?.ci95 && {
      '95 % interval': comparison.ci95.map((limit) => limit.toFixed(3)).join(' – '),
    }),
    ...(comparison?.adjustedP !== undefined && { p: pText(comparison.adjustedP) }),
    ...(reason !== undefined && { result: 'not compared' }),
  };
}

function notesOn(heads: readonly string[]): string[] {
  return [
    'A and B are medians over the rounds',
    'B / A is the geometric mean of the ratios of rounds with the same number',
    ...(heads.includes('p') ? [`p is for the whole table (Holm): a difference is shown at ${LEVEL}`] : []),
  ];
}
