/** Searches as formats for people show them: the answer, how it was found, and the steps. */
import { formatDuration } from '../../shared/domain/units.ts';
import type { Fact } from './fact.ts';
import type { Report, ReportSearch } from './schema.ts';
import { valueText } from './search-text.ts';
import type { TableModel } from './table-model.ts';
import { cellLabel, plain, plural, requestRateText } from './text-line.ts';

export function searchTitle({ cell }: ReportSearch): string {
  return Object.keys(cell).length === 0 ? 'Search' : `Search: ${cellLabel(cell)}`;
}

export function searchFacts(search: ReportSearch): Fact[] {
  const { text, over, from, to, step, until, steps, mostTrials, confidence } = search;
  const tried = `${steps.length} of at most ${plural(mostTrials, 'trial')}`;
  return [
    ['Answer', plain(text)],
    ...(confidence === undefined
      ? []
      : [['Confidence', plain(`${confidence.level}: ${confidence.why.join('; ')}`)] satisfies Fact]),
    ['Searched', plain(`${over} from ${from} to ${to} by ${step}, until ${until.join(' and ')}; ${tried}`)],
  ];
}

/** A row a trial. */
export function stepsTable({ trials }: Report, search: ReportSearch): TableModel {
  return {
    head: ['Step', search.over, 'Request rate', 'p99', 'Outcome'],
    rows: search.steps.map(({ trial: index, value, requestRate, holds, broke }, i) => {
      const trial = trials.find((one) => one.index === index);
      const measured = trial !== undefined && trial.summary.requests > 0;
      return [
        String(i + 1),
        valueText(search, value).replace(/ .*/, ''),
        requestRateText(requestRate),
        measured ? formatDuration(trial.summary.latency.p99) : '-',
        holds ? 'holds' : plain(`breaks ${broke}`),
      ];
    }),
    right: [0, 1, 2, 3],
  };
}
