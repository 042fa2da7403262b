import { dimensionOf, type Metric, UNITS_OF } from '../../shared/domain/metric-name.ts';
import { scriptUnit } from '../../shared/domain/script-metric.ts';
import { formatDuration } from '../../shared/domain/units.ts';
import { scriptValueText } from './script-text.ts';
import { requestRateText, transferRateText } from './text-line.ts';

/**
 * A metric's value with its unit written out.
 * @param value in base units; `errors` as a share of 1
 * @param unit what the scenario wants it in; one that does not fit the metric is left aside
 */
export function metricText(value: number, metric: Metric, unit?: string): string {
  if (metric.name === 'script') return scriptValueText(value, scriptUnit(metric.metric, metric.aggregation));
  const dimension = dimensionOf(metric);
  if (unit === undefined && metric.name === 'bandwidth') return metricText(value, metric, 'Mbit/s');
  const scale = unit === undefined ? undefined : UNITS_OF[dimension][unit];
  if (scale !== undefined) return `${(value / scale).toFixed(2)}${unit === '%' ? '' : ' '}${unit}`;
  switch (dimension) {
    case 'time':
      return formatDuration(value);
    case 'requestRate':
      return requestRateText(value);
    case 'transferRate':
      return transferRateText(value);
    case 'errors':
      return `${Number((value * 100).toPrecision(4))}%`;
    case 'count':
    case 'script':
      return String(value);
  }
}
