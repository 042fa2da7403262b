/** A run that fails as a whole says so by its exit code; one that goes on without some of its trials warns. */
import type { Report } from '../report/schema.ts';
import { cellLabel, plain } from '../report/text-line.ts';

/** One line; undefined when all trials finished, or none did. */
export function unfinishedText({ trials }: Pick<Report, 'trials'>): string | undefined {
  const unfinished = trials.filter(({ state }) => state === 'dnf');
  const [first] = unfinished;
  if (first === undefined || unfinished.length === trials.length) return undefined;
  const label = Object.keys(first.cell).length === 0 ? '' : `${cellLabel(first.cell)}, `;
  const more = unfinished.length === 1 ? '' : ` (and ${unfinished.length - 1} more, see the report)`;
  return plain(
    `warning: ${unfinished.length} of ${trials.length} trials did not finish: ` +
      `${label}round ${first.round}: ${first.dnf?.reason}${more}`,
  );
}
