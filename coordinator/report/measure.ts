/** A trial's value of any metric that a threshold or a table may name. */
import { byteRate, type Metric } from '../../shared/domain/metric-name.ts';
import { summaryValue } from '../../shared/metrics/script-value.ts';
import { quantileOf, type Summary } from '../../shared/metrics/summary.ts';
import type { SummaryLike } from '../../shared/metrics/threshold.ts';
import { FRACTIONS, type QuantileName } from './quantile-limits.ts';
import type { ReportTrial } from './schema.ts';
import { samplesFor } from './statistics/quantile-support.ts';

const QUANTILE_NAMES = Object.keys(FRACTIONS) as QuantileName[];

/** What thresholds are held against: a whole trial, or one of its requests. */
export interface Measured {
  summary: Summary;
  /** From the ledger. */
  dropped: number;
  /** Of the trial's requests. */
  names: readonly string[];
}

export function likeOf(measured: Measured, request: string | undefined): SummaryLike {
  return request === undefined ? summaryLike(measured) : requestLike(measured, request);
}

function summaryLike({ summary, dropped }: Measured): SummaryLike {
  const { requests, requestRate, transferRate, errors, latency } = summary;
  return {
    ...{ requests, requestRate, transferRate, errors, latency },
    dropped,
    scriptValue: (metric, aggregation) =>
      summary.script === undefined ? undefined : summaryValue(summary.script, { metric, aggregation }),
    quantile: (fraction) => (summary.requests === 0 ? undefined : quantileOf(summary.latency, fraction)),
  };
}

/** One request among several, as a threshold sees it; one that never finished has nothing that could be judged. */
function requestLike({ summary, names }: Measured, name: string): SummaryLike {
  // A trial with one name alone has nothing to split.
  const whole = names.every((other) => other === name) ? summary : undefined;
  const one = summary.byRequest?.[name] ?? whole;
  return {
    requests: one?.requests ?? 0,
    requestRate: one?.requestRate ?? 0,
    errors: { total: one?.errors.total ?? 0 },
    // Of the whole only, and never asked for: scenarios with such a threshold are refused.
    transferRate: { received: 0, body: 0, sent: 0 },
    latency: one?.latency ?? summary.latency,
    quantile: (fraction) =>
      one === undefined || one.requests === 0 ? undefined : quantileOf(one.latency, fraction),
  };
}

/**
 * Nothing where there are requests enough to know the metric, or none at all: then there is no value either. Only
 * quantiles ask for a number of them.
 */
export function fewFor(
  metric: Metric,
  { requests }: SummaryLike,
): { tooFew?: { requests: number; needed: number } } {
  if (metric.name !== 'quantile' || requests === 0) return {};
  const needed = samplesFor(metric.fraction);
  return requests < needed ? { tooFew: { requests, needed } } : {};
}

/** Without a look at the histogram where the summary has it by name. */
function latencyQuantile({ latency }: Summary, fraction: number): number {
  const name = QUANTILE_NAMES.find((one) => FRACTIONS[one] === fraction);
  return name === undefined ? quantileOf(latency, fraction) : latency[name];
}

/** In base units; `errors` as the share of the finished requests that failed. Undefined where there are no data. */
export function metricValue(trial: ReportTrial, metric: Metric): number | undefined {
  const { summary, ledger } = trial;
  const finished = summary.requests + summary.errors.total;
  switch (metric.name) {
    case 'requests':
    case 'requestRate':
      return summary[metric.name];
    case 'transferRate':
    case 'bodyRate':
    case 'sentRate':
    case 'bandwidth':
      return byteRate(metric.name, summary.transferRate);
    case 'errors':
      return finished === 0 ? undefined : summary.errors.total / finished;
    case 'dropped':
      return ledger.dropped;
    case 'script':
      return summary.script === undefined ? undefined : summaryValue(summary.script, metric);
    case 'quantile':
      return summary.requests === 0 ? undefined : latencyQuantile(summary, metric.fraction);
    default:
      return summary.requests === 0 ? undefined : summary.latency[metric.name];
  }
}
