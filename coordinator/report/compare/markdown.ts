/** `md`: for a pull request, a wiki or a mailing list. */
import { escaped, gfmTable } from '../markdown-text.ts';
import type { Fact } from '../trial-facts.ts';
import { headFacts, ratioTable, tailFacts, titleOf } from './comparison-view.ts';
import type { RunComparison } from './schema.ts';

export function formatMarkdown(comparison: RunComparison): string {
  const table = ratioTable(comparison);
  const blocks = [
    `# ${escaped(titleOf(comparison))}`,
    factList(headFacts(comparison)),
    ...(table.rows.length === 0 ? [] : [gfmTable(table).join('\n'), `${escaped(table.notes.join('; '))}.`]),
    factList(tailFacts(comparison)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** What has no label goes on with the fact before it. */
function factList(facts: readonly Fact[]): string {
  return facts
    .map(([label, text]) =>
      label === '' ? `  - ${escaped(text)}` : `- **${escaped(label)}**: ${escaped(text)}`,
    )
    .join('\n');
}
