/** The checks of requests that need more than one part of a scenario: lists of URLs, data, and who refers to them. */
import { headerProblems } from './data-spec.ts';
import { didYouMean, type Path, type Problem, show } from './problem.ts';
import type { DataPlan, Target } from './run.ts';
import type { ScenarioSource } from './scenario.ts';
import { COLUMN, type Reference } from './sweep.ts';
import { type UrlEntry, urlPaths } from './url-list.ts';

/** Requests are given in one way. */
export function requestsGivenTwice({ request, requests, urls, data }: ScenarioSource): Problem[] {
  const twice = (key: string, message: string): Problem => ({ path: [key], message, atKey: true });
  if (requests !== undefined) {
    if (request !== undefined)
      return [twice('requests', 'the requests are given twice, as "request" and "requests"; keep one')];
    if (urls !== undefined)
      return [twice('urls', 'the requests are given twice, as "requests" and "urls"; keep one')];
  }
  if (urls === undefined) return [];
  if (data !== undefined)
    return [twice('data', 'with "urls" there is nothing that could use rows; remove one of them')];
  const own = ['path', 'name'].find((key) => isObject(request) && request[key] !== undefined);
  if (own === undefined) return [];
  const message = `with "urls" each request has the ${own} of its URL; remove it here`;
  return [{ path: ['request', own], message, atKey: true }];
}

export function urlProblems(urls: readonly UrlEntry[] | undefined, targets: readonly Target[]): Problem[] {
  return urlPaths(urls ?? [], targets).flatMap((read) => (typeof read === 'string' ? [] : [read]));
}

/** Where values of rows may stand. */
const ROW_FIELDS = ['path', 'headers', 'body'];

/** `${data.column}`: its place, and its column. */
export function columnProblems(
  references: readonly Reference[],
  columns: readonly string[] | undefined,
): Problem[] {
  return references.flatMap(({ path, axis = '' }): Problem[] => {
    const name = axis.slice(COLUMN.length);
    const written = `\${${axis}}`;
    if (!ROW_FIELDS.includes(fieldOf(path))) {
      const message = `${written} has a value only in path, headers and body of a request`;
      return [{ path, message }];
    }
    if (columns === undefined) {
      return [
        { path, message: `${written} is a column, and there are no data; add data: { file: rows.csv }` },
      ];
    }
    if (columns.includes(name)) return [];
    return [{ path, message: `${show(name)} is not a column of the data${didYouMean(name, columns)}` }];
  });
}

/** The key below a request; a list has its place before it. */
function fieldOf([part, first, second]: Path): string {
  if (part === 'request') return String(first);
  return part === 'requests' ? String(second) : '';
}

/** What the rows themselves must be like, for the references that there are. */
export function dataProblems(
  data: DataPlan,
  references: readonly Reference[],
  workers: number | undefined,
): Problem[] {
  if (references.length === 0) {
    const message = `no request uses the data; put \${${COLUMN}${data.columns[0]}} into one, or remove them`;
    return [{ path: ['data'], message, atKey: true }];
  }
  if (workers !== undefined && data.count < workers) {
    const message =
      `${data.count} rows are too few for ${workers} workers, for each has rows of its own; ` +
      'add rows, or take fewer workers';
    return [{ path: ['data'], message }];
  }
  const inHeaders = references.filter(({ path }) => fieldOf(path) === 'headers');
  return headerProblems(data, [...new Set(inHeaders.map(({ axis = '' }) => axis.slice(COLUMN.length)))]);
}

/** Thresholds of one request name one that there is. */
export function thresholdProblems(
  requests: readonly (string | undefined)[],
  names: ReadonlySet<string>,
): Problem[] {
  return requests.flatMap((request, i): Problem[] => {
    if (request === undefined || names.has(request)) return [];
    const message = `${show(request)} is not the name of a request${didYouMean(request, [...names])}`;
    return [{ path: ['thresholds', i, 'request'], message }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
