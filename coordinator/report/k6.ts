/**
 * `k6`: every trial of a script as k6 sums up a run at its end, but of all workers together. Cells of the built-in engine have no
 * place in it, and say so.
 */
import { checkLines, metricLines } from './end-of-test.ts';
import type { Report, ReportThreshold, ReportTrial } from './schema.ts';
import { scriptValueText } from './script-text.ts';
import { cellLabel, plain } from './text-line.ts';
import { valueText } from './threshold-facts.ts';

export function formatK6(report: Report): string {
  const { trials, thresholds } = report;
  if (trials.length === 0) return 'No trial was begun.\n';
  const lines = trials.flatMap((trial) => [
    ...(trials.length > 1 ? [headline(trial), ''] : []),
    ...trialLines(
      trial,
      thresholds.filter((one) => isOf(one, trial)),
    ),
    '',
  ]);
  return `${lines.join('\n')}\n`;
}

function headline({ cell, round }: ReportTrial): string {
  return `${cellLabel(cell)}, round ${round}`;
}

/** By its place; a run of one trial states none. */
function isOf({ cell = {}, round = 1 }: ReportThreshold, trial: ReportTrial): boolean {
  return cellLabel(cell) === cellLabel(trial.cell) && round === trial.round;
}

function trialLines(trial: ReportTrial, thresholds: readonly ReportThreshold[]): string[] {
  const { script } = trial.summary;
  const why = trial.dnf?.reason ?? trial.reason;
  const ended =
    why === undefined ? [] : [`  ${trial.state === 'dnf' ? 'DID NOT FINISH' : 'ABORTED'}: ${plain(why)}`, ''];
  if (trial.script === undefined)
    return ['  The built-in engine made this load, so k6 has nothing to say of it: see --format text.'];
  if (script === undefined) return [...ended, '  The script measured nothing.'];
  const checks = checkLines(script, trial.summary.durationUs);
  return [
    ...ended,
    ...(thresholds.length === 0 ? [] : ['  █ THRESHOLDS', '', ...thresholdLines(thresholds), '']),
    '  █ TOTAL RESULTS',
    '',
    ...[...checks, ...(checks.length === 0 ? [] : ['']), ...metricLines(script)].map(indented),
  ];
}

/** The scenario's own as it states them, then those of the script by metric. */
function thresholdLines(thresholds: readonly ReportThreshold[]): string[] {
  const mark = ({ passed }: ReportThreshold) => (passed ? '✓' : '✗');
  const own = thresholds.filter(({ script }) => script === undefined);
  const byMetric = new Map<string, ReportThreshold[]>();
  for (const threshold of thresholds) {
    const { script } = threshold;
    if (script !== undefined)
      byMetric.set(script.metric, [...(byMetric.get(script.metric) ?? []), threshold]);
  }
  const blocks = [
    own.map((one) => `${mark(one)} '${plain(one.expression)}' ${valueText(one)}`),
    ...[...byMetric].map(([metric, of]) => [
      plain(metric),
      ...of.map((one) => `${mark(one)} '${plain(one.script!.expression.trim())}' ${measuredText(one)}`),
    ]),
  ].filter((block) => block.length > 0);
  return blocks.flatMap((block, i) => [...(i === 0 ? [] : ['']), ...block]).map(indented);
}

/** `p(95)=12.34ms` */
function measuredText({ script, value, unit = 'plain' }: ReportThreshold): string {
  if (value === undefined) return 'nothing was measured';
  return `${script!.expression.split(/[<>=!]/, 1)[0]!.trim()}=${scriptValueText(value, unit)}`;
}

function indented(line: string): string {
  return line === '' ? '' : `    ${line}`;
}
