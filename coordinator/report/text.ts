/** The report for people: on a terminal, in a mail, in a file. At most 100 columns, no colours. */
import type { FormatOptions } from './formatter.ts';
import { runFacts, sweepFacts } from './run-facts.ts';
import type { Report } from './schema.ts';
import { cellLines, comparisonLines, pivotLines, remarkLines } from './text-cells.ts';
import { labelled, plain } from './text-line.ts';
import { trialLines } from './text-trial.ts';
import { thresholdFacts } from './threshold-facts.ts';
import type { Fact } from './trial-facts.ts';

const WIDEST = 100;
const NARROWEST = 60;

export function formatText(report: Report, { width = WIDEST }: FormatOptions = {}): string {
  const columns = Math.max(NARROWEST, Math.min(WIDEST, width));
  const { trials, thresholds } = report;
  const body =
    trials.length === 1
      ? trialLines(trials[0]!, columns)
      : trials.length === 0
        ? ['No trial was begun.']
        : sweepLines(report, columns);
  const judged =
    thresholds.length === 0 ? [] : ['', 'Thresholds', ...factLines(thresholdFacts(thresholds), columns)];
  return `${[...headLines(report, columns), '', ...body, ...judged].join('\n')}\n`;
}

function headLines(report: Report, width: number): string[] {
  const name = plain(report.run.name);
  return [name, '='.repeat(Math.min(width, Math.max(1, name.length))), ...factLines(runFacts(report), width)];
}

function sweepLines(report: Report, width: number): string[] {
  const remarks = remarkLines(report.trials, width);
  return [
    ...factLines(sweepFacts(report), width),
    '',
    ...cellLines(report, width),
    ...comparisonLines(report, width),
    ...pivotLines(report),
    ...(remarks.length > 0 ? ['', ...remarks] : []),
  ];
}

function factLines(facts: readonly Fact[], width: number): string[] {
  return facts.flatMap(([label, text]) => labelled(label, text, width));
}
