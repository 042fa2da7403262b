/** What a comparison means to a script, and in one sentence to a person. */
import { ExitCode } from '../../../shared/exit-codes.ts';
import type { RunComparison } from './schema.ts';

export interface ComparisonVerdict {
  exitCode: ExitCode;
  /** Why the exit code is not 0; absent when it is. */
  reason?: string;
}

/**
 * An account that does not balance is no measurement (4). Else a comparison is good (0), unless it is asked to fail on
 * slower: then it is a threshold, which something slower crosses, and so does a cell that A completed and B did not
 * (99); and where it cannot tell (too few rounds, cells that B never began), the measurement does not do for what is
 * asked of it (4): no data are never a pass.
 */
export function verdictOf(comparison: RunComparison, { failOnSlower = false } = {}): ComparisonVerdict {
  const { a, b, cells, notCompared } = comparison;
  if (a.unbalanced + b.unbalanced > 0) return invalid('a ledger does not balance');
  if (!failOnSlower) return { exitCode: ExitCode.good };
  const judged = cells.flatMap(({ metrics }) => metrics.flatMap(({ comparison }) => comparison?.word ?? []));
  const count = (wanted: string) => judged.filter((word) => word === wanted).length;
  if (count('slower') > 0) return crossed(`${count('slower')} of ${judged.length} comparisons: slower`);
  const lost = notCompared.filter(({ why, missingIn }) => why === 'DNF' && missingIn === 'B').length;
  if (lost > 0) return crossed(`B did not finish what A did: ${lost === 1 ? 'one cell' : `${lost} cells`}`);
  if (count('too few rounds') > 0) return invalid('too few rounds to tell whether anything is slower');
  if (judged.length === 0) return invalid('nothing could be compared');
  if (notCompared.some(({ why, missingIn }) => why === 'not begun' && missingIn === 'B')) {
    return invalid('B ended before all cells were begun');
  }
  return { exitCode: ExitCode.good };
}

function crossed(reason: string): ComparisonVerdict {
  return { exitCode: ExitCode.thresholdCrossed, reason };
}

function invalid(reason: string): ComparisonVerdict {
  return { exitCode: ExitCode.notValid, reason };
}

/** `1 slower, 7 no difference shown` */
export function tallyOf({ cells }: RunComparison): string {
  const counts = new Map<string, number>();
  for (const { metrics } of cells) {
    for (const { comparison } of metrics) {
      const word = comparison?.word ?? 'not compared';
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ') || 'nothing was compared';
}
