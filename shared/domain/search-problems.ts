/** What a search has no use for, or cannot do, in the rest of its scenario. */
import { engineOf } from './engine-choice.ts';
import type { Problem } from './problem.ts';
import type { Cell } from './run.ts';
import { MOST_TRIALS, type ScenarioSource } from './scenario.ts';
import { mostTrials } from './search.ts';
import { hasSearch, readSearch } from './search-spec.ts';
import { type Axis, substitute } from './sweep.ts';

const AT_KEY = { atKey: true } as const;

/** @param cells of the sweep; what is wrong with the search itself is said of them */
export function searchProblems(
  source: ScenarioSource,
  axes: readonly Axis[],
  cells: readonly Cell[],
): Problem[] {
  if (!hasSearch(source.load)) return [];
  const problems: Problem[] = [];
  const refuse = (path: Problem['path'], message: string) => problems.push({ path, message, ...AT_KEY });
  const engines = cells.map((cell) => engineOf(source, cell));
  if (engines.includes('k6') && engines.includes('http'))
    refuse(
      ['load', 'search'],
      'a k6 script has its own load, in which nothing can be searched; exclude its cells',
    );
  const { rounds, order, thresholds } = source;
  if (rounds !== undefined && rounds !== 1)
    refuse(['rounds'], 'a search repeats its trials by itself; remove it');
  if (order !== undefined) refuse(['order'], 'a search goes from cell to cell; remove it');
  if (Array.isArray(thresholds) && thresholds.length > 0)
    refuse(
      ['thresholds'],
      'a search has trials that are meant to break them; put the conditions into load.search.until',
    );
  const searches = cells.flatMap((cell) => {
    const read = readSearch(substitute(source.load, cell));
    return read !== undefined && 'search' in read ? [read.search] : [];
  });
  for (const axis of axes.filter(({ name }) => searches.some(({ over }) => over === name)))
    refuse(
      ['sweep', axis.name],
      'is what the search is to find, so it cannot be an axis; remove it, or the search',
    );
  const most = searches.reduce((sum, search) => sum + mostTrials(search), 0);
  if (most > MOST_TRIALS)
    refuse(
      ['load', 'search'],
      `may take ${most} trials over ${cells.length} cells; at most ${MOST_TRIALS} can be run`,
    );
  return problems;
}
