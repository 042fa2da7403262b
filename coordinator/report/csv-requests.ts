/** The rows of `csv` and `tsv` with `--detail`: one a trial and name of a request, of what is known of each. */
import { ERROR_CLASSES } from '../../shared/metrics/error-class.ts';
import type { RequestSummary } from '../../shared/metrics/summary.ts';
import { errorHead, fieldOf, phaseFields, trialColumns } from './csv-columns.ts';
import type { Row } from './csv-matrix.ts';
import type { Report, ReportTrial } from './schema.ts';
import { plain } from './text-line.ts';

export function requestRows({ run, trials }: Report): Row[] {
  const columns = trialColumns(trials);
  const latency = phaseFields('latency');
  const head = [
    ...columns.map(({ head }) => head),
    'request',
    'requests_completed',
    'requests_failed',
    'request_rate_per_s',
    ...latency.map(([head]) => head),
    ...ERROR_CLASSES.map(errorHead),
  ];
  const rows = trials.flatMap((trial) =>
    byName(trial).map(
      ([name, one]): Row => [
        ...columns.map(({ value }) => value(trial, run)),
        plain(name),
        one?.requests ?? 0,
        one?.errors.total ?? 0,
        one?.requestRate ?? 0,
        ...latency.map(([, field]) =>
          one === undefined && field === 'count' ? 0 : fieldOf(one?.latency, field),
        ),
        ...ERROR_CLASSES.map((name) => one?.errors.byClass[name] ?? 0),
      ],
    ),
  );
  return [head, ...rows];
}

/** A trial whose requests have one name is that request; of a name that nothing finished of there is nothing. */
function byName({ requests, summary }: ReportTrial): [name: string, one: RequestSummary | undefined][] {
  const { byRequest = {} } = summary;
  const names = [...new Set([...requests.map(({ name }) => name), ...Object.keys(byRequest)])];
  if (names.length <= 1) return [[names[0] ?? '', summary]];
  return names.map((name) => [name, byRequest[name]]);
}
