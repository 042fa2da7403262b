/** Which cells of a table are the best of those that they compete with, as far as their rounds can tell. */
import type { Metric } from '../../shared/domain/metric-name.ts';
import { isBetterHigh, pairsOf } from './baseline.ts';
import type { TableCell } from './schema.ts';
import { compareTable, FEWEST_FOR_CLAIM, type Pair } from './statistics/comparison.ts';

/** All pairs of a row of 200 values, or of a thousand rows of six. With more, nobody looks for a mark. */
const MOST_PAIRS = 20_000;

interface Competitor {
  cell: TableCell;
  values: ReadonlyMap<number, number>;
}

/**
 * Marks the cells that no other of their group was shown to be better than: `alone` where that is one, which then was
 * shown to be better than each other; `tied` where they are several, but not all.
 *
 * All pairs of all groups are one table to Holm's method (see `compareTable`), so that whichever is called better by
 * looking at the numbers, the chance to call anything better in a table of cells that do not differ is 5 % at most; with
 * two columns of which one is the baseline the words beside it say the same. Not marked are groups in which a cell with
 * fewer than five rounds is ahead of the others: what is best there nobody can tell.
 *
 * @param groups cells that compete, such as those of a row
 */
export function markBest(groups: readonly (readonly Competitor[])[], metric: Metric): void {
  const high = isBetterHigh(metric);
  const contests = groups.map(contestants).filter((group) => group.length > 1 && isLed(group, high));
  const pairs = contests.flatMap((group, contest) =>
    group.flatMap((a, i) => group.slice(i + 1).map((b) => ({ contest, a, b }))),
  );
  if (pairs.length > MOST_PAIRS) return;
  const comparisons = compareTable(
    pairs.map(({ a, b }): Pair[] => pairsOf(a.values, b.values)),
    { above: 'more', below: 'less' },
  );
  const beaten = new Set<Competitor>();
  pairs.forEach(({ a, b }, i) => {
    const word = comparisons[i]?.word;
    if (word === 'more') beaten.add(high ? b : a);
    if (word === 'less') beaten.add(high ? a : b);
  });
  for (const group of contests) {
    const unbeaten = group.filter((one) => isTested(one) && !beaten.has(one));
    if (unbeaten.length === group.filter(isTested).length) continue;
    for (const { cell } of unbeaten) cell.best = unbeaten.length === 1 ? 'alone' : 'tied';
  }
}

function contestants(group: readonly Competitor[]): Competitor[] {
  return group.filter(({ cell }) => cell.metric !== undefined);
}

function isTested({ values }: Competitor): boolean {
  return values.size >= FEWEST_FOR_CLAIM;
}

/** Whether one that can be tested has the best median. */
function isLed(group: readonly Competitor[], high: boolean): boolean {
  const place = ({ cell }: Competitor) => (high ? -1 : 1) * cell.metric!.median;
  const best = Math.min(...group.map(place));
  return group.some((one) => isTested(one) && place(one) === best);
}
