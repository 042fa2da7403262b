/** Searches of a run: their steps, their answers, and how far these can be trusted. */
import { type CellSearch, mostTrials, type SearchAnswer } from '../../shared/domain/search.ts';
import type { ReportSearch, ReportSearchStep, ReportTrial } from './schema.ts';
import { fewIn, resultOf } from './search-result.ts';
import { answerText, valueText } from './search-text.ts';
import { plural } from './text-line.ts';

/** What the journal has of a search. */
export interface SearchRecords extends CellSearch {
  /** Indices, in order. */
  trials: number[];
  /** Absent when the run ended before. */
  answer?: SearchAnswer;
}

export function searchesInReport(
  searches: readonly SearchRecords[],
  trials: readonly ReportTrial[],
): ReportSearch[] {
  return searches.map(({ cell, spec, trials: indices, answer }) => {
    const own = trials.filter(({ index }) => indices.includes(index));
    const steps = own.map((trial): ReportSearchStep => {
      const { rate, ...result } = resultOf(spec, trial);
      return { trial: trial.index, round: trial.round, ...result, requestRate: rate };
    });
    return {
      cell,
      ...spec,
      mostTrials: mostTrials(spec),
      steps,
      ...(answer === undefined
        ? { text: 'no answer: the run ended before the search did' }
        : { answer, text: answerText(spec, answer), ...confidenceIn({ cell, spec }, answer, steps, own) }),
    };
  });
}

/** High where nothing speaks against it. Nothing of a search without an answer. */
function confidenceIn(
  { spec }: CellSearch,
  answer: SearchAnswer,
  steps: readonly ReportSearchStep[],
  trials: readonly ReportTrial[],
): Pick<ReportSearch, 'confidence'> {
  if (answer.end === 'stopped' || answer.end === 'unfinished') return {};
  const deciding = [answer.best, answer.breaks, answer.noMore, answer.fewer].filter(
    (one) => one !== undefined,
  );
  const grave: string[] = [];
  const slight: string[] = [];
  for (const { value, trials: count, held } of deciding) {
    const of = `trials of ${valueText(spec, value)}`;
    const own = trials.filter(({ cell }) => cell[spec.over] === value);
    const odd = Math.min(held, count - held);
    if (odd > 0) slight.push(`${odd} of ${count} ${of} said otherwise`);
    const generator = own.filter(({ verdict }) => verdict.limit === 'generator').length;
    if (generator > 0) grave.push(`in ${generator} of ${count} ${of} the generator was the limit`);
    const few = own.map((trial) => fewIn(spec, trial)).find((one) => one !== undefined);
    if (few !== undefined)
      slight.push(
        `${of} had ${plural(few.requests, 'request')}, and a quantile takes ${few.needed} to be known`,
      );
  }
  const above = steps.find(({ holds, value }) => holds && value > (answer.breaks?.value ?? Infinity));
  if (above !== undefined) slight.push(`${valueText(spec, above.value)} held though fewer had broken`);
  const count = deciding.reduce((sum, one) => sum + one.trials, 0);
  const good = `the ${plural(count, 'trial')} that it rests on agree`;
  const why = [...grave, ...slight];
  return {
    confidence: {
      level: grave.length > 0 ? 'low' : slight.length > 0 ? 'fair' : 'high',
      why: why.length > 0 ? why : [good],
    },
  };
}
