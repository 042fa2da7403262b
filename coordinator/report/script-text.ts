/** Values of script metrics as k6 writes them. */
import type { ScriptUnit } from '../../shared/domain/script-metric.ts';
import type { MetricSummary, TrendSummary } from '../../shared/metrics/script-summary.ts';

/** @param value in k6's own units: ms, bytes, a share of 1, so many a second, or a number */
export function scriptValueText(value: number, unit: ScriptUnit): string {
  switch (unit) {
    case 'time':
      return timeText(value);
    case 'data':
      return dataText(value);
    case 'share':
      return shareText(value);
    case 'perSecond':
      return `${numberText(value)}/s`;
    case 'plain':
      return numberText(value);
  }
}

/** Of a metric's own values; a counter's rate has `/s` after it. */
export function ownUnit({ type, contains }: MetricSummary): ScriptUnit {
  return type === 'rate' ? 'share' : contains === 'default' ? 'plain' : contains;
}

/** Of a quantile no more digits than it can be known to. */
export function trendValueText(
  trend: TrendSummary,
  field: Exclude<keyof TrendSummary, 'type' | 'contains' | 'error' | 'count'>,
): string {
  const value = trend[field];
  const unit = ownUnit(trend);
  const isExact = field === 'min' || field === 'mean' || field === 'max';
  return scriptValueText(unit === 'plain' && !isExact ? Number(value.toPrecision(5)) : value, unit);
}

/** Rounded down: 99.999 % is not all of them. */
function shareText(share: number): string {
  return `${(Math.floor(share * 10_000 + 1e-9) / 100).toFixed(2)}%`;
}

/** `140.22ms`, `1m4s`; cut off after two decimals, as k6 does. */
function timeText(ms: number): string {
  if (ms < 0) return `-${timeText(-ms)}`;
  if (ms === 0) return '0s';
  if (ms < 0.001) return `${Math.trunc(ms * 1e6)}ns`;
  if (ms < 1) return `${cut(ms * 1000)}µs`;
  if (ms < 1000) return `${cut(ms)}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms % 60_000) / 1000;
  if (minutes === 0) return `${cut(seconds)}s`;
  const rest = `${minutes % 60}m${Math.trunc(seconds)}s`;
  return minutes < 60 ? rest : `${Math.floor(minutes / 60)}h${rest}`;
}

const DATA_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** In powers of 1000. */
function dataText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1000 && unit < DATA_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const decimals = unit === 0 || Math.abs(value) >= 9.95 ? 0 : 1;
  return `${value.toFixed(decimals)} ${DATA_UNITS[unit]}`;
}

function numberText(value: number): string {
  return String(Number(value.toFixed(6)));
}

function cut(value: number): string {
  // 12.34 × 100 is a little below 1234.
  return String(Math.floor(value * 100 + 1e-9) / 100);
}
