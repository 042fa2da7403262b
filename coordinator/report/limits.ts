/** What limited a sweep: the verdicts of its trials, by cell and all together. */
import { groupByCell } from './cell-key.ts';
import type { ReportTrial, Verdict } from './schema.ts';
import { plain, plural } from './text-line.ts';
import type { Fact } from './trial-facts.ts';

export type Limit = Verdict['limit'];
/** Trials by their verdict, only of those that count. */
export type LimitCounts = ReadonlyMap<Limit, number>;

/** By `cellKey`; a cell none of whose trials completed has none. */
export function limitsByCell(trials: readonly ReportTrial[]): Map<string, LimitCounts> {
  const completed = trials.filter(({ state }) => state === 'completed');
  return new Map([...groupByCell(completed)].map(([key, own]) => [key, countsOf(own)]));
}

/** The most frequent first. */
function countsOf(trials: readonly ReportTrial[]): LimitCounts {
  const counts = new Map<Limit, number>();
  for (const { verdict } of trials) counts.set(verdict.limit, (counts.get(verdict.limit) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** That of more than half of the trials; where they do not agree so far, it is undecided. */
export function usualLimit(counts: LimitCounts): Limit {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const usual = [...counts].find(([, count]) => count * 2 > total);
  return usual?.[0] ?? 'undecided';
}

/** `target`; `network 3, target 2` where they differ. */
export function limitText(counts: LimitCounts): string {
  const all = [...counts];
  return all.length === 1 ? all[0]![0] : all.map(([limit, count]) => `${limit} ${count}`).join(', ');
}

/** How many trials each limit had, and where it is not among the remarks, why in the first. */
export function verdictFact(trials: readonly ReportTrial[]): Fact[] {
  const completed = trials.filter(({ state }) => state === 'completed');
  if (completed.length === 0) return [];
  const counts = [...countsOf(completed)].map(([limit, count]) => {
    const inferred = completed.filter(
      ({ verdict }) => verdict.limit === limit && verdict.inferred === true,
    ).length;
    return { limit, count, note: inferred === 0 ? '' : ` (inferred in ${inferred})` };
  });
  const all = `${plural(completed.length, 'trial')}${completed.length < trials.length ? ' that finished' : ''}`;
  const [{ limit, note }] = counts as [(typeof counts)[number]];
  const text =
    counts.length === 1
      ? `${limit} in all ${all}${note}`
      : `${counts.map((one) => `${one.limit} in ${one.count}${one.note}`).join(', ')} of ${all}`;
  const reasons = (['none', 'undecided'] as const).flatMap((kind) => {
    const first = completed.find(({ verdict }) => verdict.limit === kind)?.verdict.evidence[0];
    return first === undefined ? [] : [`${kind}, in the first: ${plain(first)}`];
  });
  return [['Verdict', [text, ...reasons].join('\n')]];
}
