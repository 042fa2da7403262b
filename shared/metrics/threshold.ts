/** Thresholds judged on a summary. Their text is read in the domain, because scenarios are checked with it. */
import { byteRate, type Metric } from '../domain/metric-name.ts';
import type { Aggregation } from '../domain/script-metric.ts';
import type { Comparison, Threshold } from '../domain/threshold-expression.ts';

export { parseThreshold, type Threshold } from '../domain/threshold-expression.ts';

/** What a threshold needs to know of a trial; times in µs, rates a second, sizes in bytes. */
export interface SummaryLike {
  /** Completed requests. */
  requests: number;
  requestRate: number;
  transferRate: { received: number; body?: number; sent: number };
  /** Failed requests. */
  errors: { total: number };
  /** From the ledger; 0 for closed loops, absent when it is not known. */
  dropped?: number;
  latency: { min: number; mean: number; stdev: number; max: number };
  /** A quantile of the latency in µs, for a fraction of 0 to 1; absent when there is no sample. */
  quantile(fraction: number): number | undefined;
  /** Of its k6 script; absent where there is none. */
  scriptValue?(metric: string, aggregation: Aggregation): number | undefined;
}

export interface Judgement {
  /** In the threshold's base units; absent when there are no data. */
  value?: number;
  passed: boolean;
}

/** Whether a trial keeps a threshold. No data is never a pass: a target that was never reached kept no promise. */
export function evaluateThreshold(threshold: Threshold, summary: SummaryLike): Judgement {
  const value = measure(threshold, summary);
  if (value === undefined || Number.isNaN(value)) return { passed: false };
  return { value, passed: HOLDS[threshold.comparison](value, threshold.value) };
}

const HOLDS: Readonly<Record<Comparison, (value: number, limit: number) => boolean>> = {
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '==': (value, limit) => value === limit,
  '!=': (value, limit) => value !== limit,
};

function measure({ metric, share }: Threshold, summary: SummaryLike): number | undefined {
  if (metric.name === 'script') return summary.scriptValue?.(metric.metric, metric.aggregation);
  const finished = summary.requests + summary.errors.total;
  // Dropped arrivals are data of their own: a trial can drop all of them and finish none.
  if (finished === 0 && !(metric.name === 'dropped' && summary.dropped)) return undefined;
  switch (metric.name) {
    case 'requests':
      return summary.requests;
    case 'requestRate':
      return summary.requestRate;
    case 'transferRate':
    case 'bodyRate':
    case 'sentRate':
    case 'bandwidth':
      return byteRate(metric.name, summary.transferRate);
    case 'errors':
      return share ? summary.errors.total / finished : summary.errors.total;
    case 'dropped':
      return summary.dropped;
    default:
      return summary.requests === 0 ? undefined : latency(metric, summary);
  }
}

type LatencyMetric = Extract<Metric, { name: 'quantile' }> | { name: 'min' | 'mean' | 'stdev' | 'max' };

function latency(metric: LatencyMetric, summary: SummaryLike): number | undefined {
  return metric.name === 'quantile' ? summary.quantile(metric.fraction) : summary.latency[metric.name];
}
