/**
 * What a k6 script measured, derived once from its merged counts. Values are in the metrics' own units, as k6 has them: ms for
 * times, bytes for data, a share of 1 for rates.
 */
import type { ValueKind } from './script-interval.ts';
import type { MergedMetric, ScriptSecond, ScriptTotals } from './script-totals.ts';

/** Quantiles as k6 computes them, by linear interpolation between the two nearest values. */
export interface TrendSummary {
  type: 'trend';
  contains: ValueKind;
  count: number;
  min: number;
  mean: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  max: number;
  /** How far a quantile may be off, as a share of itself; min, mean and max are exact. */
  error: number;
}

export type MetricSummary =
  | { type: 'counter'; contains: ValueKind; count: number; rate: number }
  | { type: 'gauge'; contains: ValueKind; value: number; min: number; max: number }
  | { type: 'rate'; contains: 'default'; passes: number; fails: number; rate: number }
  | TrendSummary;

export interface CheckSummary {
  /** Path: `::login::form`; empty outside of groups. */
  group: string;
  name: string;
  passes: number;
  fails: number;
  /** Share that passed, 0 to 1. */
  rate: number;
}

export interface GroupSummary {
  path: string;
  /** Of its own checks, without those of groups inside it. */
  checks: { passes: number; fails: number };
  /** Where k6 was asked for it by a threshold, or has several groups. */
  duration?: TrendSummary;
}

export interface ScriptSummary {
  /** As k6 counts them: with those that threw. */
  iterations: number;
  iterationRate: number;
  thrownIterations: number;
  droppedIterations: number;
  /** Most at the end of a second, over all workers: at work, and allocated. */
  vus: { max: number; allocated: number };
  /** By group and name. */
  checks: CheckSummary[];
  groups: GroupSummary[];
  /** By name. */
  metrics: Record<string, MetricSummary>;
  /** What thresholds and tables ask for, by metric and aggregation: `http_req_duration p(99.9)`; absent where there is no value. */
  asked?: Record<string, number>;
}

export function summarizeScript(totals: ScriptTotals, durationUs: number): ScriptSummary {
  const rows = totals.rows();
  const metrics = Object.fromEntries(
    [...allMetrics(totals, rows)]
      .sort(([a], [b]) => compareText(a, b))
      .map(([name, metric]) => [name, describe(metric, durationUs)]),
  );
  const checks = checksOf(totals);
  return {
    iterations: totals.iterations,
    iterationRate: perSecond(totals.iterations, durationUs),
    thrownIterations: totals.thrownIterations,
    droppedIterations: totals.droppedIterations,
    vus: {
      max: Math.max(0, ...rows.map(({ vus }) => vus)),
      allocated: Math.max(0, ...rows.map(({ vusMax }) => vusMax)),
    },
    checks,
    groups: groupsOf(checks, metrics),
    metrics,
  };
}

export type Gauge = Extract<MergedMetric, { type: 'gauge' }>;
export type Trend = Extract<MergedMetric, { type: 'trend' }>;

function allMetrics(totals: ScriptTotals, rows: readonly ScriptSecond[]): Map<string, MergedMetric> {
  return new Map([...derived(totals, rows), ...totals.metrics]);
}

/** Metrics whose counts travel apart. */
export function derived(totals: ScriptTotals, rows: readonly ScriptSecond[]): Map<string, MergedMetric> {
  const metrics = new Map<string, MergedMetric>(vuGauges(rows));
  if (totals.checks.size > 0) {
    const checks = [...totals.checks.values()];
    const passes = checks.reduce((sum, check) => sum + check.passes, 0);
    const fails = checks.reduce((sum, check) => sum + check.fails, 0);
    metrics.set('checks', { type: 'rate', passes, total: passes + fails });
  }
  return metrics;
}

/** Sums over the shards. Seconds in which only some of them are at work, at both ends, are not what is lowest or last. */
function vuGauges(rows: readonly ScriptSecond[]): Map<string, Gauge> {
  const most = Math.max(0, ...rows.map(({ shards }) => shards));
  const whole = rows.filter(({ shards }) => shards === most);
  const gauge = (of: (row: ScriptSecond) => number): Gauge => ({
    type: 'gauge',
    contains: 'default',
    last: of(whole.at(-1)!),
    atUs: 0,
    min: Math.min(...whole.map(of)),
    max: Math.max(...rows.map(of)),
  });
  if (whole.length === 0) return new Map();
  return new Map([
    ['vus', gauge(({ vus }) => vus)],
    ['vus_max', gauge(({ vusMax }) => vusMax)],
  ]);
}

function describe(metric: MergedMetric, durationUs: number): MetricSummary {
  switch (metric.type) {
    case 'counter': {
      const count = metric.sum.value();
      return { type: 'counter', contains: metric.contains, count, rate: perSecond(count, durationUs) };
    }
    case 'gauge': {
      const { type, contains, last, min, max } = metric;
      return { type, contains, value: last, min, max };
    }
    case 'rate': {
      const { type, passes, total } = metric;
      const rate = total === 0 ? 0 : passes / total;
      return { type, contains: 'default', passes, fails: total - passes, rate };
    }
    case 'trend':
      return describeTrend(metric);
  }
}

function describeTrend({ type, contains, sum, values, relativeError }: Trend): TrendSummary {
  const quantile = (share: number) => values.quantile(share) ?? 0;
  const { count } = values;
  return {
    type,
    contains,
    count,
    min: count === 0 ? 0 : values.min,
    mean: count === 0 ? 0 : sum.value() / count,
    p50: quantile(0.5),
    p90: quantile(0.9),
    p95: quantile(0.95),
    p99: quantile(0.99),
    max: count === 0 ? 0 : values.max,
    error: relativeError,
  };
}

function checksOf({ checks }: ScriptTotals): CheckSummary[] {
  return [...checks]
    .map(([key, { passes, fails }]): CheckSummary => {
      const at = key.lastIndexOf('::');
      const [group, name] = at < 0 ? ['', key] : [key.slice(0, at), key.slice(at + 2)];
      const total = passes + fails;
      return { group, name, passes, fails, rate: total === 0 ? 0 : passes / total };
    })
    .sort((a, b) => compareText(a.group, b.group) || compareText(a.name, b.name));
}

const GROUP_DURATION = /^group_duration\{group:(.+)\}$/;

function groupsOf(checks: readonly CheckSummary[], metrics: Record<string, MetricSummary>): GroupSummary[] {
  const groups = new Map<string, GroupSummary>();
  const groupOf = (path: string): GroupSummary => {
    const known = groups.get(path) ?? { path, checks: { passes: 0, fails: 0 } };
    groups.set(path, known);
    return known;
  };
  for (const { group, passes, fails } of checks) {
    if (group === '') continue;
    const { checks } = groupOf(group);
    checks.passes += passes;
    checks.fails += fails;
  }
  for (const [name, metric] of Object.entries(metrics)) {
    const path = GROUP_DURATION.exec(name)?.[1];
    if (path !== undefined && metric.type === 'trend') groupOf(path).duration = metric;
  }
  return [...groups.values()].sort((a, b) => compareText(a.path, b.path));
}

function perSecond(count: number, durationUs: number): number {
  return durationUs > 0 ? (count * 1e6) / durationUs : 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
