/** All cells of a run, one a row: medians over the rounds, both rates always. */
import { formatDuration } from '../../shared/domain/units.ts';
import { cellKey } from './cell-key.ts';
import { type LimitCounts, limitsByCell, limitText } from './limits.ts';
import { quantileText } from './quantile-limits.ts';
import { ratioOf } from './relative.ts';
import type { Report, ReportCell, ReportTable, Spread } from './schema.ts';
import { samplesFor } from './statistics/quantile-support.ts';
import type { TableModel } from './table-model.ts';
import { plain, transferRateText } from './text-line.ts';

export interface CellTable extends TableModel {
  /** What the columns mean, where the heading does not say it; a sentence each. */
  notes: string[];
}

/** @param spared headings to leave out, where there is no room for them */
export function cellTable({ cells, tables, trials }: Report, spared: readonly string[] = []): CellTable {
  const relative = cells.some(({ relativeToBaseline }) => relativeToBaseline !== undefined);
  const scripts = cells.some(({ iterationRate }) => iterationRate !== undefined);
  const all = [
    'rounds',
    'requests/s',
    ...(scripts ? ['iterations/s'] : []),
    'spread',
    'received',
    'p50',
    'p99',
    ...(relative ? ['relative'] : []),
    'limit',
  ];
  const heads = all.filter((head) => !spared.includes(head));
  const axes = [...new Set(cells.flatMap(({ cell }) => Object.keys(cell)))];
  const limits = limitsByCell(trials);
  const notes = ['medians over the rounds'];
  if (heads.includes('spread')) notes.push('spread is (max − min) / median of the request rate');
  if (relative) {
    const { comparedWith, metric } = tables[0]!;
    notes.push(plain(`relative compares ${metric} with ${comparedWith?.value}, round by round`));
  }
  if (cells.some(({ fewestRequests = Infinity }) => fewestRequests < samplesFor(0.99))) {
    notes.push(`n<${samplesFor(0.99)}: p99 needs as many requests in a round`);
  }
  return {
    head: [...axes.map(plain), ...heads],
    rows: cells.map((cell) => {
      const numbers = numbersOf(cell, limits.get(cellKey(cell.cell)), tables[0]);
      return [
        ...axes.map((axis) => plain(String(cell.cell[axis] ?? '-'))),
        ...heads.map((head) => numbers[head] ?? '-'),
      ];
    }),
    right: heads.flatMap((head, i) => (head === 'limit' ? [] : [axes.length + i])),
    notes,
  };
}

function numbersOf(
  cell: ReportCell,
  limits: LimitCounts | undefined,
  table: ReportTable | undefined,
): Record<string, string> {
  const { rounds, completed, requestRate, transferRate, latency } = cell;
  const { iterationRate } = cell;
  const counted = completed === rounds ? `${rounds}` : `${completed} of ${rounds}`;
  if (requestRate === undefined || transferRate === undefined || latency === undefined) {
    return { rounds: counted, 'requests/s': 'DNF' };
  }
  return {
    rounds: counted,
    'requests/s': requestRate.median.toFixed(2),
    ...(iterationRate !== undefined && { 'iterations/s': iterationRate.median.toFixed(2) }),
    spread: spreadText(requestRate),
    received: transferRateText(transferRate.median),
    p50: quantileText(latency.p50, 0.5, cell.fewestRequests, formatDuration),
    p99: quantileText(latency.p99, 0.99, cell.fewestRequests, formatDuration),
    relative: relativeText(table && ratioOf(table, cell)?.median),
    ...(limits !== undefined && { limit: limitText(limits) }),
  };
}

function relativeText(ratio: number | undefined): string {
  return ratio === undefined ? '-' : `×${ratio.toFixed(3)}`;
}

function spreadText({ median, min, max }: Spread): string {
  return median === 0 ? '-' : `${(((max - min) / median) * 100).toFixed(1)} %`;
}
