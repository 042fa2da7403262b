/** The report for people: on a terminal, in a mail, in a file. At most 100 columns, no colours. */
import { dimensionOf } from '../../shared/domain/metric-name.ts';
import { readThreshold } from '../../shared/domain/threshold-expression.ts';
import type { FormatOptions } from './formatter.ts';
import { loadText } from './load-text.ts';
import type { Report, ReportThreshold } from './schema.ts';
import { cellLines, comparisonLines, pivotLines, remarkLines } from './text-cells.ts';
import { cellLabel, labelled, plain, plural } from './text-line.ts';
import { metricText } from './text-metric.ts';
import { trialLines } from './text-trial.ts';

const WIDEST = 100;
const NARROWEST = 60;

export function formatText(report: Report, { width = WIDEST }: FormatOptions = {}): string {
  const columns = Math.max(NARROWEST, Math.min(WIDEST, width));
  const { trials } = report;
  const body =
    trials.length === 1
      ? trialLines(trials[0]!, columns)
      : trials.length === 0
        ? ['No trial was begun.']
        : sweepLines(report, columns);
  const lines = [...headLines(report, columns), '', ...body, ...thresholdLines(report.thresholds, columns)];
  return `${lines.join('\n')}\n`;
}

function headLines({ run, trials }: Report, width: number): string[] {
  const started = run.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
  const seconds = (run.durationUs / 1e6).toFixed(1);
  const begun =
    trials.length < run.plannedTrials
      ? `, ${trials.length} of ${plural(run.plannedTrials, 'trial')} begun`
      : '';
  return [
    plain(run.name),
    '='.repeat(Math.min(width, Math.max(1, plain(run.name).length))),
    ...labelled('Run', `${run.id}, ${run.state}${begun}, started ${started}, took ${seconds} s`, width),
    ...(run.reason === undefined ? [] : labelled('', plain(run.reason), width)),
  ];
}

function sweepLines(report: Report, width: number): string[] {
  const { trials } = report;
  const urls = new Set(trials.map(({ target }) => plain(`${target.name}: ${target.url}`)));
  const loads = new Set(trials.map(({ load }) => loadText(load)));
  const workers = new Set(trials.flatMap((trial) => trial.workers.map(({ name }) => plain(name))));
  const remarks = remarkLines(trials, width);
  return [
    ...labelled('Targets', [...urls].join('\n'), width),
    ...labelled('Load', loads.size <= 3 ? [...loads].join('\n') : `${loads.size} different loads`, width),
    ...labelled('Workers', [...workers].join(', ') || 'none', width),
    '',
    ...cellLines(report, width),
    ...comparisonLines(report, width),
    ...pivotLines(report),
    ...(remarks.length > 0 ? ['', ...remarks] : []),
  ];
}

/** Over several trials one line an expression, and one for each trial that crossed it. */
function thresholdLines(thresholds: readonly ReportThreshold[], width: number): string[] {
  if (thresholds.length === 0) return [];
  const byExpression = new Map<string, ReportThreshold[]>();
  for (const threshold of thresholds) {
    const { expression, request } = threshold;
    const stated = request === undefined ? expression : `${expression} (${request})`;
    byExpression.set(stated, [...(byExpression.get(stated) ?? []), threshold]);
  }
  const lines = [...byExpression].flatMap(([expression, judged]) => {
    const crossed = judged.filter(({ passed }) => !passed);
    const label = crossed.length === 0 ? 'passed' : 'CROSSED';
    if (judged.length === 1) return labelled(label, plain(`${expression}: ${valueText(judged[0]!)}`), width);
    const head = `${expression}: passed in ${judged.length - crossed.length} of ${judged.length} trials`;
    const each = crossed.map(
      (one) => `${cellLabel(one.cell ?? {})}, round ${one.round ?? 1}: ${valueText(one)}`,
    );
    return labelled(label, [head, ...each].map(plain).join('\n'), width);
  });
  return ['', 'Thresholds', ...lines];
}

/** To the µs: 17.98 ms is below 18 ms, and `18.0 ms` would not show it. */
function valueText({ expression, value }: ReportThreshold): string {
  if (value === undefined) return 'nothing was measured';
  const threshold = readThreshold(expression);
  if ('problem' in threshold) return `measured ${value}`;
  const { metric, share } = threshold;
  if (dimensionOf(metric) === 'time') return `measured ${(value / 1000).toFixed(3)} ms`;
  if (metric.name === 'errors' && !share) return `measured ${value}`;
  return `measured ${metricText(value, metric)}`;
}
