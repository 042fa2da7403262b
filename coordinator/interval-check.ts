/** Whether an interval in a journal has its form. By hand, because a journal has hundreds of thousands of them. */
import { emptyCounts, type Interval } from '../shared/metrics/interval.ts';

const EMPTY = Object.entries(emptyCounts());
const NUMBERS = ['second', 'inFlight', ...EMPTY.flatMap(([name, zero]) => (zero === 0 ? [name] : []))];
const RECORDS = EMPTY.flatMap(([name, zero]) => (zero === 0 ? [] : [name]));
const HISTOGRAM_NUMBERS = ['count', 'min', 'max', 'sum'];

type Unknown = Record<string, unknown>;

/** @returns where it is not as it should be, and what it should be there: `.phases.latency.v2: expected a string` */
export function intervalProblem(interval: unknown): string | undefined {
  if (!isObject(interval)) return ': expected an object';
  for (const name of NUMBERS) {
    if (typeof interval[name] !== 'number') return `.${name}: expected a number`;
  }
  for (const name of RECORDS) {
    const problem = countsProblem(interval[name]);
    if (problem !== undefined) return `.${name}${problem}`;
  }
  const { phases, firstErrors, byRequest = {} } = interval as Partial<Interval>;
  if (!Array.isArray(firstErrors)) return '.firstErrors: expected a list';
  return inEach('.phases', phases, histogramProblem) ?? inEach('.byRequest', byRequest, requestProblem);
}

function requestProblem(request: unknown): string | undefined {
  if (!isObject(request)) return ': expected an object';
  for (const name of ['completed', 'failed']) {
    if (typeof request[name] !== 'number') return `.${name}: expected a number`;
  }
  const problem = countsProblem(request.errors);
  if (problem !== undefined) return `.errors${problem}`;
  const latency = request.latency === undefined ? undefined : histogramProblem(request.latency);
  return latency === undefined ? undefined : `.latency${latency}`;
}

function histogramProblem(histogram: unknown): string | undefined {
  if (!isObject(histogram)) return ': expected an object';
  for (const name of HISTOGRAM_NUMBERS) {
    if (typeof histogram[name] !== 'number') return `.${name}: expected a number`;
  }
  return typeof histogram.v2 === 'string' ? undefined : '.v2: expected a string';
}

function countsProblem(counts: unknown): string | undefined {
  if (!isObject(counts)) return ': expected an object';
  for (const name in counts) if (typeof counts[name] !== 'number') return `.${name}: expected a number`;
  return undefined;
}

function inEach(
  place: string,
  record: unknown,
  problemOf: (value: unknown) => string | undefined,
): string | undefined {
  if (!isObject(record)) return `${place}: expected an object`;
  for (const name in record) {
    const problem = problemOf(record[name]);
    if (problem !== undefined) return `${place}.${name}${problem}`;
  }
  return undefined;
}

function isObject(value: unknown): value is Unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
