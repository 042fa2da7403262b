/** Single values of script metrics: what thresholds and tables ask for. */
import { type Aggregation, aggregationText, canonicalMetricName } from '../domain/script-metric.ts';
import { derived, type Gauge, type MetricSummary, type ScriptSummary, type Trend } from './script-summary.ts';
import type { ScriptTotals } from './script-totals.ts';

/** A value that a threshold or a table asks for. */
export interface AskedValue {
  metric: string;
  aggregation: Aggregation;
}

/**
 * What a threshold is held against. Undefined is no data, which passes nothing: a metric without a value, and every metric of a
 * script that did nothing. A counter that was never added to is 0.
 */
export function measureScript(
  totals: ScriptTotals,
  name: string,
  aggregation: Aggregation,
  durationUs: number,
): number | undefined {
  if (!totals.hasData) return undefined;
  const metric = totals.metric(name) ?? derived(totals, totals.rows()).get(name);
  if (metric === undefined) return aggregation.method === 'count' ? 0 : undefined;
  const seconds = durationUs / 1e6;
  switch (metric.type) {
    case 'counter': {
      const count = metric.sum.value();
      if (aggregation.method === 'rate') return seconds > 0 ? count / seconds : undefined;
      return aggregation.method === 'count' ? count : undefined;
    }
    case 'gauge':
      return gaugeValue(metric, aggregation);
    case 'rate':
      return aggregation.method === 'rate' && metric.total > 0 ? metric.passes / metric.total : undefined;
    case 'trend':
      return trendValue(metric, aggregation);
  }
}

function gaugeValue({ last, min, max }: Gauge, { method }: Aggregation): number | undefined {
  return method === 'value' ? last : method === 'min' ? min : method === 'max' ? max : undefined;
}

function trendValue({ values, sum }: Trend, aggregation: Aggregation): number | undefined {
  if (values.count === 0) return aggregation.method === 'count' ? 0 : undefined;
  switch (aggregation.method) {
    case 'avg':
      return sum.value() / values.count;
    case 'min':
    case 'max':
    case 'count':
      return values[aggregation.method];
    case 'med':
      return values.quantile(0.5);
    case 'p':
      return values.quantile(aggregation.percent / 100);
    default:
      return undefined;
  }
}

/** By metric and aggregation, as a summary has them; without those of which there are no data. */
export function askedValues(
  totals: ScriptTotals,
  durationUs: number,
  asked: readonly AskedValue[],
): Record<string, number> {
  return Object.fromEntries(
    asked.flatMap((one) => {
      const value = measureScript(totals, one.metric, one.aggregation, durationUs);
      return value === undefined ? [] : [[keyOf(one), value]];
    }),
  );
}

function keyOf({ metric, aggregation }: AskedValue): string {
  return `${canonicalMetricName(metric)} ${aggregationText(aggregation)}`;
}

/** The same of a summary: what was asked for when it was made, and what every summary has. */
export function summaryValue(summary: ScriptSummary, wanted: AskedValue): number | undefined {
  const { asked = {}, iterations, thrownIterations, metrics } = summary;
  const key = keyOf(wanted);
  if (Object.hasOwn(asked, key)) return asked[key];
  const requests = metrics.http_reqs;
  const sent = requests?.type === 'counter' && requests.count > 0;
  if (iterations <= thrownIterations && !sent) return undefined;
  const metric = kindOf(summary, wanted.metric);
  if (metric === undefined) return wanted.aggregation.method === 'count' ? 0 : undefined;
  return valuesOf(metric)[aggregationText(wanted.aggregation)];
}

/** What a metric's values are; undefined for one that nothing came of. */
export function kindOf(summary: ScriptSummary | undefined, name: string): MetricSummary | undefined {
  const metrics = summary?.metrics ?? {};
  const key = canonicalMetricName(name);
  return Object.hasOwn(metrics, key) ? metrics[key] : undefined;
}

/** By the names of the aggregations. */
function valuesOf(metric: MetricSummary): Partial<Record<string, number>> {
  switch (metric.type) {
    case 'counter': {
      const { count, rate } = metric;
      return { count, rate };
    }
    case 'gauge': {
      const { value, min, max } = metric;
      return { value, min, max };
    }
    case 'rate':
      return metric.passes + metric.fails === 0 ? {} : { rate: metric.rate };
    case 'trend': {
      const { count, min, mean, p50, p90, p95, p99, max } = metric;
      if (count === 0) return { count };
      return { count, min, avg: mean, med: p50, max, 'p(50)': p50, 'p(90)': p90, 'p(95)': p95, 'p(99)': p99 };
    }
  }
}
