/** Seconds of k6 scripts made from lists of samples, so that a test can hold merged numbers against the samples themselves. */
import type { MetricPart, ScriptInterval, ValueKind } from '../../shared/metrics/script-interval.ts';
import { ValueHistogram } from '../../shared/metrics/value-histogram.ts';

export type ScriptSample =
  | { metric: string; type: 'counter' | 'rate' | 'trend'; value: number; contains?: ValueKind }
  | { metric: string; type: 'gauge'; value: number; atUs: number; contains?: ValueKind };

/** One second of one shard in which k6 took exactly these samples. */
export function scriptOf(
  samples: readonly ScriptSample[],
  more: Partial<ScriptInterval> = {},
): ScriptInterval {
  const byMetric = new Map<string, ScriptSample[]>();
  for (const sample of samples) byMetric.set(sample.metric, [...(byMetric.get(sample.metric) ?? []), sample]);
  return {
    iterations: 0,
    thrownIterations: 0,
    droppedIterations: 0,
    vus: 1,
    vusMax: 1,
    checks: {},
    metrics: Object.fromEntries([...byMetric].map(([name, of]) => [name, partOf(of)])),
    ...more,
  };
}

export function times(metric: string, values: readonly number[]): ScriptSample[] {
  return values.map((value) => ({ metric, type: 'trend', value, contains: 'time' }));
}

function partOf(samples: readonly ScriptSample[]): MetricPart {
  const { type, contains = 'default' } = samples[0]!;
  const values = samples.map(({ value }) => value);
  const sum = values.reduce((sum, value) => sum + value, 0);
  switch (type) {
    case 'counter':
      return { type, contains, sum };
    case 'rate':
      return { type, passes: values.filter((value) => value !== 0).length, total: values.length };
    case 'gauge': {
      const latest = samples.reduce((a, b) => (placeOf(b) >= placeOf(a) ? b : a));
      const [min, max] = [Math.min(...values), Math.max(...values)];
      return { type, contains, last: latest.value, atUs: placeOf(latest), min, max };
    }
    case 'trend': {
      const histogram = new ValueHistogram();
      for (const value of values) histogram.record(value);
      return { type, contains, sum, values: histogram.encode() };
    }
  }
}

function placeOf(sample: ScriptSample): number {
  return sample.type === 'gauge' ? sample.atUs : 0;
}
