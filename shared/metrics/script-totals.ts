/**
 * What a k6 script counted, merged over a trial: every metric by its type, in any order. VUs are summed over the shards
 * second by second; all else is added up, and a gauge has the value that was set last.
 */
import { canonicalMetricName } from '../domain/script-metric.ts';
import { BroadsideError } from '../errors.ts';
import { ExactSum } from './exact-sum.ts';
import type { Interval } from './interval.ts';
import type {
  CheckCounts,
  GaugePart,
  MetricPart,
  ScriptInterval,
  TrendPart,
  ValueKind,
} from './script-interval.ts';
import { type DecodedValues, decodeValues, RELATIVE_ERROR, ValueHistogram } from './value-histogram.ts';

type DecodedPart = Exclude<MetricPart, TrendPart> | (Omit<TrendPart, 'values'> & { values: DecodedValues });
export type DecodedScript = Omit<ScriptInterval, 'metrics'> & {
  metrics: [name: string, part: DecodedPart][];
};

/** These are the sums of what all shards had at a time; their parts are not merged. */
const SUMMED_GAUGES = ['vus', 'vus_max'];

/** @throws BroadsideError JOURNAL_CORRUPT when a histogram in it cannot be */
export function decodeScript({ script }: Interval): DecodedScript | undefined {
  if (script === undefined) return undefined;
  const metrics = Object.entries(script.metrics)
    .filter(([name]) => !SUMMED_GAUGES.includes(name))
    .map(([name, part]): [string, DecodedPart] => [
      canonicalMetricName(name),
      part.type === 'trend' ? { ...part, values: decodeValues(part.values) } : part,
    ]);
  return { ...script, metrics };
}

export type MergedMetric =
  | { type: 'counter'; contains: ValueKind; sum: ExactSum }
  | GaugePart
  | { type: 'rate'; passes: number; total: number }
  | { type: 'trend'; contains: ValueKind; sum: ExactSum; values: ValueHistogram; relativeError: number };

/** One second of all shards. */
export interface ScriptSecond {
  iterations: number;
  droppedIterations: number;
  checksFailed: number;
  vus: number;
  vusMax: number;
  /** How many shards said how many VUs they had. */
  shards: number;
}

export class ScriptTotals {
  iterations = 0;
  thrownIterations = 0;
  droppedIterations = 0;
  /** By group path and name. */
  readonly checks = new Map<string, CheckCounts>();
  readonly metrics = new Map<string, MergedMetric>();
  private readonly seconds = new Map<number, ScriptSecond>();
  private readonly vus = new Map<number, Map<string, { vus: number; vusMax: number }>>();
  private readonly byShard = new Map<string, { iterations: number }>();

  /** Whether anything has come of a script. */
  get isEmpty(): boolean {
    return this.seconds.size === 0;
  }

  /**
   * Whether the script has done anything that it was written for: an iteration that did not throw, or a request. Without
   * that its numbers are no data.
   */
  get hasData(): boolean {
    if (this.iterations > this.thrownIterations) return true;
    const requests = this.metrics.get('http_reqs');
    return requests?.type === 'counter' && requests.sum.value() > 0;
  }

  /** @throws BroadsideError JOURNAL_CORRUPT when a metric is of another type than before */
  check(script: DecodedScript): void {
    for (const [name, { type }] of script.metrics) {
      const known = this.metrics.get(name)?.type ?? type;
      if (known === type) continue;
      throw new BroadsideError('JOURNAL_CORRUPT', `metric ${name} is a ${known} and a ${type}`);
    }
  }

  /** @throws BroadsideError as `check`; nothing has changed then */
  add(shard: string, second: number, script: DecodedScript): void {
    this.check(script);
    this.iterations += script.iterations;
    this.thrownIterations += script.thrownIterations;
    this.droppedIterations += script.droppedIterations;
    const own = this.byShard.get(shard) ?? { iterations: 0 };
    this.byShard.set(shard, own);
    own.iterations += script.iterations;
    const row = this.secondOf(second);
    row.iterations += script.iterations;
    row.droppedIterations += script.droppedIterations;
    this.addVus(row, shard, second, script);
    for (const [key, counts] of Object.entries(script.checks)) {
      const check = this.checks.get(key) ?? { passes: 0, fails: 0 };
      this.checks.set(key, check);
      check.passes += counts.passes;
      check.fails += counts.fails;
      row.checksFailed += counts.fails;
    }
    for (const [name, part] of script.metrics) this.metrics.set(name, merged(this.metrics.get(name), part));
  }

  /** By the name that a threshold has for it. */
  metric(name: string): MergedMetric | undefined {
    return this.metrics.get(canonicalMetricName(name));
  }

  at(second: number): ScriptSecond | undefined {
    return this.seconds.get(second);
  }

  /** In order of time, without those of which nothing has come. */
  rows(): ScriptSecond[] {
    return [...this.seconds].sort(([a], [b]) => a - b).map(([, row]) => row);
  }

  iterationsOf(shard: string): number | undefined {
    return this.byShard.get(shard)?.iterations;
  }

  /** The most VUs that a shard had at the end of a second. */
  mostVusOf(shard: string): number {
    return Math.max(0, ...Array.from(this.vus.values(), (shards) => shards.get(shard)?.vus ?? 0));
  }

  private secondOf(second: number): ScriptSecond {
    const known = this.seconds.get(second);
    if (known !== undefined) return known;
    const row = { iterations: 0, droppedIterations: 0, checksFailed: 0, vus: 0, vusMax: 0, shards: 0 };
    this.seconds.set(second, row);
    return row;
  }

  /** What comes late of a second comes in an interval of its own: a shard's VUs count once a second. */
  private addVus(row: ScriptSecond, shard: string, second: number, { vus, vusMax }: DecodedScript): void {
    const shards = this.vus.get(second) ?? new Map<string, { vus: number; vusMax: number }>();
    this.vus.set(second, shards);
    const before = shards.get(shard) ?? { vus: 0, vusMax: 0 };
    const now = { vus: Math.max(before.vus, vus), vusMax: Math.max(before.vusMax, vusMax) };
    shards.set(shard, now);
    row.vus += now.vus - before.vus;
    row.vusMax += now.vusMax - before.vusMax;
    row.shards = shards.size;
  }
}

/** `into` is changed where there is one; the part never is. */
function merged(into: MergedMetric | undefined, part: DecodedPart): MergedMetric {
  switch (part.type) {
    case 'counter': {
      const { type, contains } = part;
      const counter = into?.type === type ? into : { type, contains, sum: new ExactSum() };
      counter.sum.add(part.sum);
      return counter;
    }
    case 'gauge':
      return into?.type === 'gauge' ? mergedGauge(into, part) : part;
    case 'rate': {
      const before = into?.type === 'rate' ? into : { passes: 0, total: 0 };
      return { type: 'rate', passes: before.passes + part.passes, total: before.total + part.total };
    }
    case 'trend': {
      const { type, contains, relativeError = RELATIVE_ERROR } = part;
      const trend =
        into?.type === type
          ? into
          : { type, contains, sum: new ExactSum(), values: new ValueHistogram(), relativeError };
      trend.sum.add(part.sum);
      trend.values.add(part.values);
      trend.relativeError = Math.max(trend.relativeError, relativeError);
      return trend;
    }
  }
}

/** Of two that were set at the same time the greater one counts: it has to be the same one in any order. */
function mergedGauge(a: GaugePart, b: GaugePart): GaugePart {
  const later = a.atUs === b.atUs ? (a.last > b.last ? a : b) : a.atUs > b.atUs ? a : b;
  return { ...later, min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
