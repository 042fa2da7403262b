/** The comparison for people: at most 100 columns, no colours. */
import type { FormatOptions } from '../formatter.ts';
import { tableLines } from '../text-cells.ts';
import { labelled } from '../text-line.ts';
import type { Fact } from '../trial-facts.ts';
import { headFacts, ratioTable, tailFacts, titleOf } from './comparison-view.ts';
import type { RunComparison } from './schema.ts';

const WIDEST = 100;
const NARROWEST = 60;
/** Left out, first to last, where the table is wider than the terminal; the JSON has them all. */
const SPARED = ['pairs', 'p', '95 % interval', 'A'];

export function formatText(comparison: RunComparison, { width = WIDEST }: FormatOptions = {}): string {
  const columns = Math.max(NARROWEST, Math.min(WIDEST, width));
  const title = titleOf(comparison);
  const facts = (list: readonly Fact[]) => list.flatMap(([label, text]) => labelled(label, text, columns));
  const table =
    comparison.cells.length === 0
      ? []
      : ['', ...tableLines((spared) => ratioTable(comparison, spared), SPARED, columns)];
  return `${[
    title,
    '='.repeat(Math.min(columns, title.length)),
    ...facts(headFacts(comparison)),
    ...table,
    '',
    ...facts(tailFacts(comparison)),
  ].join('\n')}\n`;
}
