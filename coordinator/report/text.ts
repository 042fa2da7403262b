/** The report for people: on a terminal, in a mail, in a file. No colours; text is at most 100 columns wide. */
import type { FormatOptions } from './formatter.ts';
import { runFacts, sweepFacts } from './run-facts.ts';
import type { Report, ReportTrial } from './schema.ts';
import { searchFacts, searchTitle, stepsTable } from './search-facts.ts';
import { cellLines, comparisonLines, pivotLines, remarkLines } from './text-cells.ts';
import { cellLabel, labelled, plain, wrapped } from './text-line.ts';
import { plainTable } from './text-table.ts';
import { trialLines } from './text-trial.ts';
import { thresholdFacts } from './threshold-facts.ts';
import type { Fact } from './trial-facts.ts';

const WIDEST = 100;
const NARROWEST = 60;

export function formatText(report: Report, { width = WIDEST, detail = false }: FormatOptions = {}): string {
  const columns = Math.max(NARROWEST, Math.min(WIDEST, width));
  const { trials, thresholds } = report;
  const body =
    trials.length === 1
      ? trialLines(trials[0]!, columns)
      : trials.length === 0
        ? ['No trial was begun.']
        : sweepLines(report, Math.max(NARROWEST, width), detail);
  const judged =
    thresholds.length === 0 ? [] : ['', 'Thresholds', ...factLines(thresholdFacts(thresholds), columns)];
  return `${[...headLines(report, columns), '', ...searchLines(report, columns), ...body, ...judged].join('\n').trimEnd()}\n`;
}

function headLines(report: Report, width: number): string[] {
  const name = plain(report.run.name);
  return [name, '='.repeat(Math.min(width, Math.max(1, name.length))), ...factLines(runFacts(report), width)];
}

function searchLines(report: Report, width: number): string[] {
  return (report.search ?? []).flatMap((search) => [
    ...wrapped(searchTitle(search), width),
    ...factLines(searchFacts(search), width),
    '',
    ...plainTable(stepsTable(report, search)),
    '',
  ]);
}

/** The tables that were asked for, or else all cells, come first; `detail` has those, too, and every trial in full. */
function sweepLines(report: Report, width: number, detail: boolean): string[] {
  const prose = Math.min(WIDEST, width);
  const pivots = pivotLines(report, width, prose);
  const cells = () => [...cellLines(report, prose), ''];
  const hint = 'both rates and the latencies of every cell: --detail, or another --format';
  return [
    ...factLines(sweepFacts(report), prose),
    '',
    ...(pivots.length === 0 ? cells() : pivots),
    ...remarkLines(report.trials, prose),
    ...comparisonLines(report, prose),
    ...(pivots.length === 0 ? [] : detail ? cells() : labelled('', hint, prose)),
    ...(detail ? report.trials.flatMap((trial) => trialSection(trial, prose)) : []),
  ];
}

function trialSection(trial: ReportTrial, width: number): string[] {
  const title = `${cellLabel(trial.cell)}, round ${trial.round}`;
  return ['', title, '-'.repeat(Math.min(width, title.length)), ...trialLines(trial, width)];
}

function factLines(facts: readonly Fact[], width: number): string[] {
  return facts.flatMap(([label, text]) => labelled(label, text, width));
}
