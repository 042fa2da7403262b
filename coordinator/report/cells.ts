/** Cells over their rounds: what a sweep is compared by. */

import { type Metric, readMetric } from '../../shared/domain/metric-name.ts';
import type { Cell, Scalar } from '../../shared/domain/run.ts';
import type { ReportSpec } from '../journal-records.ts';
import { metricValue } from './measure.ts';
import type { CellLatency, ReportCell, ReportTrial, Spread } from './schema.ts';

/** Below this many rounds an interval would promise more than it knows. */
const FEWEST_FOR_INTERVAL = 5;

/** 97.5 % quantiles of Student's t for 4 to 30 degrees of freedom. */
const T_975 = [
  2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093,
  2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** The trials' cells in the order in which they first ran. */
export function cellsOf(trials: readonly ReportTrial[], spec: ReportSpec): ReportCell[] {
  const byCell = new Map<string, ReportTrial[]>();
  for (const trial of trials) {
    const key = cellKey(trial.cell);
    const rounds = byCell.get(key);
    if (rounds === undefined) byCell.set(key, [trial]);
    else rounds.push(trial);
  }
  const metric = tableMetric(spec);
  const cells = new Map([...byCell].map(([key, rounds]) => [key, describeCell(rounds, metric)]));
  const baseline = baselineAxis([...cells.values()], spec);
  if (baseline !== undefined) {
    for (const cell of cells.values()) {
      const base = cells.get(cellKey({ ...cell.cell, [baseline.axis]: baseline.value }));
      const ratio = ratioOf(compared(cell), base && compared(base));
      if (ratio !== undefined) cell.relativeToBaseline = ratio;
    }
  }
  return [...cells.values()];
}

/** The same for the same values, whatever the order of the axes. */
export function cellKey(cell: Cell): string {
  return JSON.stringify(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The scenario's own metric; undefined when it names none, or one that this version does not know. */
export function tableMetric(spec: ReportSpec): Metric | undefined {
  const read = spec.metric === undefined ? undefined : readMetric(spec.metric);
  return read === undefined || 'problem' in read ? undefined : read;
}

/** What cells are compared by: the scenario's metric, else the request rate. */
function compared(cell: ReportCell): number | undefined {
  return (cell.metric ?? cell.requestRate)?.median;
}

function describeCell(trials: readonly ReportTrial[], metric: Metric | undefined): ReportCell {
  const completed = trials.filter(({ state }) => state === 'completed');
  const summaries = completed.map(({ summary }) => summary);
  const cell: ReportCell = { cell: trials[0]!.cell, rounds: trials.length, completed: summaries.length };
  if (summaries.length > 0) {
    cell.requestRate = spreadOf(summaries.map(({ requestRate }) => requestRate));
    cell.transferRate = spreadOf(summaries.map(({ transferRate }) => transferRate.received));
    cell.bodyRate = spreadOf(summaries.map(({ transferRate }) => transferRate.body));
    if (metric !== undefined) {
      const values = completed.flatMap((trial) => metricValue(trial, metric) ?? []);
      if (values.length > 0) cell.metric = spreadOf(values);
    }
    const over = (name: keyof CellLatency) => median(summaries.map(({ latency }) => latency[name]));
    cell.latency = {
      mean: over('mean'),
      p50: over('p50'),
      p90: over('p90'),
      p95: over('p95'),
      p99: over('p99'),
      p999: over('p999'),
      max: over('max'),
    };
  }
  const dnf = trials.flatMap(({ dnf, reason, round }) => {
    const why = dnf?.reason ?? reason;
    return why === undefined ? [] : [`round ${round}: ${why}`];
  });
  if (dnf.length > 0) cell.dnf = dnf;
  return cell;
}

export function spreadOf(values: readonly number[]): Spread {
  const spread: Spread = { median: median(values), min: Math.min(...values), max: Math.max(...values) };
  const interval = confidence(values);
  return interval === undefined ? spread : { ...spread, ci95: interval };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Student's t interval of the mean of the logarithms, put back: rates differ by factors rather than by amounts, and
 * the interval stays above 0. More than 31 rounds use the last row, which is a little wide.
 */
function confidence(values: readonly number[]): [number, number] | undefined {
  const n = values.length;
  if (n < FEWEST_FOR_INTERVAL || values.some((value) => value <= 0)) return undefined;
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, value) => sum + value, 0) / n;
  const variance = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = T_975[Math.min(n - 5, T_975.length - 1)]! * Math.sqrt(variance / n);
  return [Math.exp(mean - half), Math.exp(mean + half)];
}

/**
 * Which axis the baseline is a value of: the table's columns if it is one of theirs, else `target`, else any axis
 * that has it. A scenario that names no baseline but sweeps its targets is compared with the first of them.
 */
function baselineAxis(
  cells: readonly ReportCell[],
  spec: ReportSpec,
): { axis: string; value: Scalar } | undefined {
  const first = cells[0]?.cell ?? {};
  const valuesOf = (axis: string) => new Set(cells.map(({ cell }) => cell[axis]));
  if (spec.baseline === undefined) {
    const value = first.target;
    return value !== undefined && valuesOf('target').size > 1 ? { axis: 'target', value } : undefined;
  }
  const value = spec.baseline;
  const axes = [spec.columns, 'target', ...Object.keys(first)];
  const axis = axes.find((name) => name !== undefined && valuesOf(name).has(value));
  return axis === undefined ? undefined : { axis, value };
}

function ratioOf(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined || base === 0 ? undefined : value / base;
}
