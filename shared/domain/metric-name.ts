/**
 * The metrics that thresholds judge and tables show, by the names under which users know them, and the units in
 * which each can be written.
 */
import { didYouMean } from './problem.ts';

export type Dimension = 'time' | 'requestRate' | 'transferRate' | 'errors' | 'count';

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
  | { name: 'quantile'; fraction: number };

/** Whether it can be told of one request among several; bytes and dropped arrivals belong to the whole. */
export function isKnownByRequest(metric: Metric): boolean {
  return metric.name !== 'dropped' && !isByteRate(metric);
}

/** Rates of bytes on the sockets; `transferRate` is of those received, `bandwidth` of both directions together. */
type ByteRate = 'transferRate' | 'bodyRate' | 'sentRate' | 'bandwidth';

export function isByteRate(metric: Metric): metric is { name: ByteRate } {
  return dimensionOf(metric) === 'transferRate';
}

/** Of the three rates that a summary has, bytes a second. */
export function byteRate(name: ByteRate, rates: { received: number; body: number; sent: number }): number {
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

/** `p(99)`, `requestRate`, …; what is wrong with it where it is not a metric. */
export function readMetric(text: string): Metric | { problem: string } {
  if (Object.hasOwn(DIMENSIONS, text)) return { name: text as PlainMetric };
  const quantile = QUANTILE.exec(text);
  if (quantile === null) return { problem: `"${text}" is not a metric${metricSuggestion(text)}` };
  const percent = Number(quantile[1]);
  if (percent > 0 && percent <= 100) {
    // Not percent / 100, which makes 0.9990000000000001 of 99.9.
    return { name: 'quantile', fraction: Number(`${quantile[1]}e-2`) };
  }
  return { problem: `"${text}" is no quantile; expected more than 0 and at most 100, such as p(99.9)` };
}

function metricSuggestion(text: string): string {
  const slip = QUANTILE_SLIP.exec(text);
  if (slip !== null) return `; did you mean "p(${slip[1]})"?`;
  if (Object.hasOwn(OTHER_NAMES, text)) return `; did you mean "${OTHER_NAMES[text]}"?`;
  return didYouMean(text, METRIC_NAMES);
}

export function dimensionOf(metric: Metric): Dimension {
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
};
