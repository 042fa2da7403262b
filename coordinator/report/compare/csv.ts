/** `csv`: a row for each cell and metric, in base units, which the column `unit` names; then the cells not compared. */
import { dimensionOf, readMetric } from '../../../shared/domain/metric-name.ts';
import { separated } from '../csv.ts';
import { axisField } from '../csv-columns.ts';
import { BASE_UNITS, type Row } from '../csv-matrix.ts';
import { plain } from '../text-line.ts';
import { uncomparedText } from './comparison-view.ts';
import type { ComparedMetric, RunComparison } from './schema.ts';

const HEAD = [
  'metric',
  'unit',
  'a',
  'b',
  'pairs',
  'ratio',
  'ci95_low',
  'ci95_high',
  'p',
  'adjusted_p',
  'result',
];

export function formatCsv({ cells, notCompared }: RunComparison): string {
  const all = [...cells, ...notCompared];
  const axes = [...new Set(all.flatMap(({ cell }) => Object.keys(cell)))];
  const named = (cell: RunComparison['cells'][number]['cell']): Row =>
    axes.map((axis) => axisField(cell[axis]));
  const rows = [
    [...axes.map((axis) => `cell.${plain(axis)}`), ...HEAD],
    ...cells.flatMap(({ cell, metrics }) => metrics.map((metric) => [...named(cell), ...metricRow(metric)])),
    ...notCompared.map((one) => [
      ...named(one.cell),
      ...HEAD.slice(1).map(() => undefined),
      uncomparedText({ ...one, cell: {} }).replace(/^all: /, ''),
    ]),
  ];
  return separated(rows, ',', '\r\n');
}

function metricRow({ metric, a, b, comparison, reason }: ComparedMetric): Row {
  const known = readMetric(metric);
  const unit = 'problem' in known ? undefined : BASE_UNITS[dimensionOf(known)];
  const { pairs, ratio, ci95, p, adjustedP, word } = comparison ?? {};
  return [metric, unit, a, b, pairs, ratio, ci95?.[0], ci95?.[1], p, adjustedP, word ?? reason];
}
