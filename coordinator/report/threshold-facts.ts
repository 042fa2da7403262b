/** What the thresholds came to, in words. */
import { dimensionOf } from '../../shared/domain/metric-name.ts';
import { readThreshold } from '../../shared/domain/threshold-expression.ts';
import type { ReportThreshold } from './schema.ts';
import { scriptValueText } from './script-text.ts';
import { cellLabel, plain, plural } from './text-line.ts';
import { metricText } from './text-metric.ts';
import type { Fact } from './trial-facts.ts';

const MOST_CROSSED = 20;

/** Over several trials one an expression, with a line for each trial that crossed it. */
export function thresholdFacts(thresholds: readonly ReportThreshold[]): Fact[] {
  const byExpression = new Map<string, ReportThreshold[]>();
  for (const threshold of thresholds) {
    const { expression, request } = threshold;
    const stated = request === undefined ? expression : `${expression} (${request})`;
    byExpression.set(stated, [...(byExpression.get(stated) ?? []), threshold]);
  }
  return [...byExpression].map(([expression, judged]): Fact => {
    const crossed = judged.filter(({ passed }) => !passed);
    const few = judged.filter(({ tooFew }) => tooFew !== undefined).length;
    const label = crossed.length > 0 ? 'CROSSED' : few > 0 ? 'TOO FEW' : 'passed';
    if (judged.length === 1) return [label, plain(`${expression}: ${valueText(judged[0]!)}`)];
    const head = `${expression}: passed in ${judged.length - crossed.length} of ${judged.length} trials${few === 0 ? '' : `; ${few} of them have too few requests to know it`}`;
    const each = crossed
      .slice(0, MOST_CROSSED)
      .map((one) => `${cellLabel(one.cell ?? {})}, round ${one.round ?? 1}: ${valueText(one)}`);
    const more = crossed.length - each.length;
    const rest = more === 0 ? [] : [`and in ${more} more, which the JSON report has`];
    return [label, [head, ...each, ...rest].map(plain).join('\n')];
  });
}

/** To the µs: 17.98 ms is below 18 ms, and `18.0 ms` would not show it. */
export function valueText(threshold: ReportThreshold): string {
  const { tooFew } = threshold;
  const measured = measuredText(threshold);
  if (tooFew === undefined) return measured;
  return `${measured}, but of ${plural(tooFew.requests, 'request')}: to know it takes ${tooFew.needed}`;
}

function measuredText({ expression, value, unit }: ReportThreshold): string {
  if (value === undefined) return 'nothing was measured';
  if (unit === 'time') return `measured ${value.toFixed(3)} ms`;
  if (unit !== undefined) return `measured ${scriptValueText(value, unit)}`;
  const threshold = readThreshold(expression);
  if ('problem' in threshold) return `measured ${value}`;
  const { metric, share } = threshold;
  if (dimensionOf(metric) === 'time') return `measured ${(value / 1000).toFixed(3)} ms`;
  if (metric.name === 'errors' && !share) return `measured ${value}`;
  return `measured ${metricText(value, metric)}`;
}
