/**
 * Thresholds as text: `metric comparison value`, such as `p(99) < 200ms`, `errors < 1%`, `errors == 0`,
 * `requestRate >= 1000`, `transferRate > 10MiB/s`; of k6 scripts `checks > 99%`, `http_req_duration{name:login} p(95) < 500ms`.
 */
import { BroadsideError } from '../errors.ts';
import { type Dimension, dimensionOf, type Metric, readMetric, UNITS_OF } from './metric-name.ts';
import { scriptUnit } from './script-metric.ts';
import { parseDuration, parseRate } from './units.ts';

const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='] as const;
export type Comparison = (typeof COMPARISONS)[number];

export interface Threshold {
  /** As it was written. */
  expression: string;
  metric: Metric;
  comparison: Comparison;
  /**
   * In base units: µs, 1/s, bytes/s; a share of 1 where `share` is set, else a count. Of script metrics in their own: ms,
   * bytes, a share of 1, so many a second, or a number.
   */
  value: number;
  /** `errors` in percent: failed requests over all finished ones. */
  share: boolean;
}

export interface ExpressionProblem {
  problem: string;
  /** Place in the text, from 1. */
  column: number;
}

const EXPRESSION_FORM = 'a metric, a comparison and a value, such as "p(99) < 200ms" or "errors < 1%"';
const METRIC =
  /\s*([A-Za-z_]\w*(?:(?:\{[^}]*\})?\s+[a-z]+(?:\([^)]*\))?|\{[^}]*\})|[A-Za-z_]+(?:\([^)]*\)|\[[^\]]*\]|[\d.]+)?)\s*/y;
const SYMBOL = /[<>=!~]+/y;

/** The threshold, or what is wrong and where. */
export function readThreshold(expression: string): Threshold | ExpressionProblem {
  METRIC.lastIndex = 0;
  const metricMatch = METRIC.exec(expression);
  const metricAt = expression.length - expression.trimStart().length + 1;
  if (metricMatch === null) return { problem: `expected ${EXPRESSION_FORM}`, column: metricAt };
  const metric = readMetric(metricMatch[1]!);
  if ('problem' in metric) return { problem: metric.problem, column: metricAt };

  const comparisonAt = METRIC.lastIndex;
  SYMBOL.lastIndex = comparisonAt;
  const symbol = SYMBOL.exec(expression)?.[0];
  const comparison = COMPARISONS.find((known) => known === symbol);
  if (comparison === undefined) {
    return {
      problem: `expected one of ${COMPARISONS.join(' ')} here${meant(symbol)}`,
      column: comparisonAt + 1,
    };
  }

  const rest = expression.slice(comparisonAt + comparison.length);
  const valueText = rest.trim();
  const value = readValue(valueText, metric);
  if (value !== undefined) return { expression, metric, comparison, ...value };
  const found =
    valueText === '' ? 'the value is missing' : `"${valueText}" is not a value of ${metricMatch[1]}`;
  const column = expression.length - rest.trimStart().length + 1;
  return { problem: `${found}; expected ${VALUE_FORMS[dimensionOf(metric)]}`, column };
}

/** @throws BroadsideError SCENARIO_INVALID, with the place. */
export function parseThreshold(expression: string): Threshold {
  const read = readThreshold(expression);
  if (!('problem' in read)) return read;
  throw new BroadsideError('SCENARIO_INVALID', thresholdProblem(expression, read));
}

export function thresholdProblem(expression: string, { problem, column }: ExpressionProblem): string {
  return `threshold ${JSON.stringify(expression)} does not parse at character ${column}: ${problem}`;
}

const MEANT: Readonly<Record<string, Comparison>> = {
  '=': '==',
  '===': '==',
  '=<': '<=',
  '=>': '>=',
  '<>': '!=',
};

function meant(symbol: string | undefined): string {
  const guess = symbol === undefined ? undefined : MEANT[symbol];
  return guess === undefined ? '' : `; did you mean "${guess}"?`;
}

const VALUE_FORMS: Readonly<Record<Dimension, string>> = {
  time: 'a duration such as 200ms or 1.5s',
  requestRate: 'a rate such as 1000 or 1000/s',
  transferRate: 'bytes or bits a second, such as 10MiB/s or 100Mbit/s',
  errors: 'a share such as 1%, or a number of requests such as 0',
  count: 'a number of requests such as 1000',
  script: 'a number such as 1000, a share such as 99%, or a duration such as 500ms',
};

const WITH_UNIT = /^(\d+(?:\.\d+)?)\s*(\S+)$/;
const WHOLE = /^\d+$/;

function readValue(text: string, metric: Metric): { value: number; share: boolean } | undefined {
  const dimension = dimensionOf(metric);
  const value = VALUE_READERS[dimension](text, metric);
  return value === undefined ? undefined : { value, share: dimension === 'errors' && !WHOLE.test(text) };
}

const VALUE_READERS: Readonly<Record<Dimension, (text: string, metric: Metric) => number | undefined>> = {
  time: parseDuration,
  requestRate: (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : parseRate(text)),
  transferRate: (text) => inUnit(text, UNITS_OF.transferRate),
  errors: (text) => readWhole(text) ?? inUnit(text, UNITS_OF.errors, 1),
  count: readWhole,
  script: scriptValue,
};

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A plain number is as in k6; with a unit it has to be one that the metric may have. */
function scriptValue(text: string, metric: Metric): number | undefined {
  if (metric.name !== 'script') return undefined;
  if (NUMBER.test(text)) return Number(text);
  const unit = scriptUnit(metric.metric, metric.aggregation);
  const isRate = metric.aggregation.method === 'rate';
  if (isRate) return unit === 'perSecond' ? undefined : inUnit(text, UNITS_OF.errors, 1);
  const us = unit === 'data' ? undefined : parseDuration(text);
  return us === undefined ? undefined : us / 1000;
}

function readWhole(text: string): number | undefined {
  return WHOLE.test(text) ? Number(text) : undefined;
}

function inUnit(text: string, units: Readonly<Record<string, number>>, most = Infinity): number | undefined {
  const match = WITH_UNIT.exec(text);
  if (match === null || !Object.hasOwn(units, match[2]!)) return undefined;
  const unit = units[match[2]!]!;
  // Not × 0.01, which makes 0.7000000000000001 of 70 %.
  const value = unit < 1 ? Number(match[1]) / (1 / unit) : Number(match[1]) * unit;
  return value <= most ? value : undefined;
}
