/** Cells over their rounds: what a sweep is compared by. */

import { type Metric, readMetric } from '../../shared/domain/metric-name.ts';
import type { Cell, Scalar } from '../../shared/domain/run.ts';
import type { ReportSpec } from '../journal-records.ts';
import { type CellRounds, compareWithBaseline } from './baseline.ts';
import { metricValue } from './measure.ts';
import type { CellLatency, ReportCell, ReportTrial } from './schema.ts';
import { median, spreadOf } from './statistics/spread.ts';

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
  const cells = new Map(
    [...byCell].map(([key, trials]): [string, CellRounds] => [
      key,
      { cell: describeCell(trials, metric), trials },
    ]),
  );
  const described = [...cells.values()].map(({ cell }) => cell);
  const baseline = baselineAxis(described, spec);
  if (baseline !== undefined) {
    const { axis, value } = baseline;
    compareWithBaseline([...cells.values()], metric, (cell) =>
      cells.get(cellKey({ ...cell, [axis]: value })),
    );
  }
  return described;
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
    cell.fewestRequests = Math.min(...summaries.map(({ requests }) => requests));
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
