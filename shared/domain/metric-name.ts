/**
 * The metrics that thresholds judge and tables show, by the names under which users know them, and the units in
 * which each can be written.
 */
import { didYouMean } from './problem.ts';
import {
  AGGREGATION_FORMS,
  type Aggregation,
  readAggregation,
  readScriptMetricName,
} from './script-metric.ts';

export type Dimension = 'time' | 'requestRate' | 'transferRate' | 'errors' | 'count' | 'script';

const DIMENSIONS = {
  requestRate: 'requestRate',
  transferRate: 'transferRate',
  bodyRate: 'transferRate',
  sentRate: 'transferRate',
  bandwidth: 'transferRate',
  requests: 'count',
  errors: 'errors',
  dropped: 'count',
  min: 'time',
  mean: 'time',
  stdev: 'time',
  max: 'time',
} as const satisfies Record<string, Dimension>;

type PlainMetric = keyof typeof DIMENSIONS;

/** A quantile of the latency carries its fraction: `p(99.9)` is 0.999. */
export type Metric =
  | { [Name in PlainMetric]: { name: Name } }[PlainMetric]
  | { name: 'quantile'; fraction: number }
  | ScriptMetric;

/** Of a k6 script, in k6's own units: ms, bytes, a share of 1, so many a second, or a number. */
export interface ScriptMetric {
  name: 'script';
  /** Perhaps with tags: `http_req_duration{name:login}`. */
  metric: string;
  aggregation: Aggregation;
}

/** Whether it can be told of one request among several; bytes and dropped arrivals belong to the whole. */
export function isKnownByRequest(metric: Metric): boolean {
  return metric.name !== 'dropped' && metric.name !== 'script' && !isByteRate(metric);
}

/** Rates of bytes on the sockets; `transferRate` is of those received, `bandwidth` of both directions together. */
type ByteRate = 'transferRate' | 'bodyRate' | 'sentRate' | 'bandwidth';

export function isByteRate(metric: Metric): metric is { name: ByteRate } {
  return dimensionOf(metric) === 'transferRate';
}

/** Of the rates that a summary has, bytes a second; a script's has no `body`. */
export function byteRate(
  name: ByteRate,
  rates: { received: number; body?: number; sent: number },
): number | undefined {
  switch (name) {
    case 'transferRate':
      return rates.received;
    case 'bodyRate':
      return rates.body;
    case 'sentRate':
      return rates.sent;
    case 'bandwidth':
      return rates.received + rates.sent;
  }
}

const QUANTILE = /^p\(\s*(\d+(?:\.\d+)?)\s*\)$/;
const QUANTILE_SLIP = /^p\[?(\d+(?:\.\d+)?)\]?$/;
const METRIC_NAMES = [...Object.keys(DIMENSIONS), 'p(99)'];
/** What other tools call them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  avg: 'mean',
  average: 'mean',
  med: 'p(50)',
  median: 'p(50)',
  rps: 'requestRate',
  dropped_iterations: 'dropped',
  http_req_failed: 'errors',
  http_reqs: 'requests',
};

/** Script metrics that need not say which of their values: what it is that people look at. */
const SCRIPT_WORDS: Readonly<Record<string, ScriptMetric>> = {
  checks: { name: 'script', metric: 'checks', aggregation: { method: 'rate' } },
  iterations: { name: 'script', metric: 'iterations', aggregation: { method: 'count' } },
  iterationRate: { name: 'script', metric: 'iterations', aggregation: { method: 'rate' } },
};

/** `p(99)`, `requestRate`, `http_req_duration p(95)`, …; what is wrong with it where it is not a metric. */
export function readMetric(text: string): Metric | { problem: string } {
  if (Object.hasOwn(DIMENSIONS, text)) return { name: text as PlainMetric };
  if (Object.hasOwn(SCRIPT_WORDS, text)) return SCRIPT_WORDS[text]!;
  const script = readScriptMetric(text);
  if (script !== undefined) return script;
  const quantile = QUANTILE.exec(text);
  if (quantile === null) return { problem: `"${text}" is not a metric${metricSuggestion(text)}` };
  const percent = Number(quantile[1]);
  if (percent > 0 && percent <= 100) {
    // Not percent / 100, which makes 0.9990000000000001 of 99.9.
    return { name: 'quantile', fraction: Number(`${quantile[1]}e-2`) };
  }
  return { problem: `"${text}" is no quantile; expected more than 0 and at most 100, such as p(99.9)` };
}

const OF_SCRIPT = /^([A-Za-z_]\w*(?:\{[^}]*\})?)(?:\s+([a-z]+(?:\([^)]*\))?))?$/;

/** `http_req_duration{name:login} p(95)`; undefined where it does not look like one. */
function readScriptMetric(text: string): ScriptMetric | { problem: string } | undefined {
  const match = OF_SCRIPT.exec(text);
  if (match === null || (match[2] === undefined && !text.includes('{'))) return undefined;
  const [, metric = '', method = ''] = match;
  if (readScriptMetricName(metric) === undefined)
    return { problem: `"${metric}" is not a metric with tags, such as http_req_duration{name:login}` };
  const aggregation = readAggregation(method);
  if (aggregation !== undefined) return { name: 'script', metric, aggregation };
  const which =
    method === '' ? `say which of the values of ${metric}` : `"${method}" is no value of a metric`;
  return { problem: `${which}; expected ${AGGREGATION_FORMS}` };
}

function metricSuggestion(text: string): string {
  const slip = QUANTILE_SLIP.exec(text);
  if (slip !== null) return `; did you mean "p(${slip[1]})"?`;
  if (Object.hasOwn(OTHER_NAMES, text)) return `; did you mean "${OTHER_NAMES[text]}"?`;
  return didYouMean(text, METRIC_NAMES);
}

export function dimensionOf(metric: Metric): Dimension {
  if (metric.name === 'script') return 'script';
  return metric.name === 'quantile' ? 'time' : DIMENSIONS[metric.name];
}

/** Units of each dimension and what one of them is in base units (µs, 1/s, bytes/s, share, 1). */
export const UNITS_OF: Readonly<Record<Dimension, Readonly<Record<string, number>>>> = {
  time: { us: 1, µs: 1, ms: 1_000, s: 1_000_000 },
  requestRate: { 'req/s': 1 },
  transferRate: {
    'B/s': 1,
    'KiB/s': 1024,
    'MiB/s': 1024 ** 2,
    'GiB/s': 1024 ** 3,
    'kB/s': 1000,
    'MB/s': 1000 ** 2,
    'GB/s': 1000 ** 3,
    'kbit/s': 1000 / 8,
    'Mbit/s': 1000 ** 2 / 8,
    'Gbit/s': 1000 ** 3 / 8,
  },
  errors: { '%': 0.01 },
  count: {},
  script: {},
};
