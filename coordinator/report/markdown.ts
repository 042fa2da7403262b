/** `md`: for a pull request, a wiki or a mailing list; with `detail` every trial of a sweep, too. */
import { cellTable } from './cell-table.ts';
import { comparisonTables } from './comparison-table.ts';
import type { FormatOptions } from './formatter.ts';
import { hostTable, linkTable, processTable } from './hosts/host-text.ts';
import { escaped, gfmTable } from './markdown-text.ts';
import { pivotsOf } from './pivot.ts';
import { pivotNotes, pivotTable, pivotTitle } from './pivot-table.ts';
import { remarksOn } from './remarks.ts';
import { runFacts, sweepFacts } from './run-facts.ts';
import type { Report, ReportTrial } from './schema.ts';
import { scriptTables } from './script-facts.ts';
import { searchFacts, searchTitle, stepsTable } from './search-facts.ts';
import { cellLabel, plain } from './text-line.ts';
import { thresholdFacts } from './threshold-facts.ts';
import { accountFacts, type Fact, planFacts, rateFacts } from './trial-facts.ts';
import { latencyTable, quantileNotes, requestTable, workerTable } from './trial-tables.ts';

export function formatMarkdown(report: Report, { detail = false }: FormatOptions = {}): string {
  const { run, trials, thresholds } = report;
  const blocks = [
    `# ${escaped(plain(run.name))}`,
    factList(runFacts(report)),
    ...(report.search ?? []).flatMap((search) => [
      `## ${escaped(searchTitle(search))}`,
      factList(searchFacts(search)),
      table(stepsTable(report, search)),
    ]),
    ...(trials.length === 1 ? trialBlocks(trials[0]!, '##') : trials.length === 0 ? [] : sweepBlocks(report)),
    ...(detail && trials.length > 1 ? trials.flatMap(trialSection) : []),
    ...(thresholds.length === 0 ? [] : ['## Thresholds', factList(thresholdFacts(thresholds))]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function sweepBlocks(report: Report): string[] {
  const cells = cellTable(report);
  const pivots = pivotsOf(report);
  const remarks = remarksOn(report.trials);
  return [
    factList(sweepFacts(report)),
    ...pivots.flatMap((pivot) => [`## ${escaped(pivotTitle(pivot))}`, table(pivotTable(pivot))]),
    ...notes(pivotNotes(pivots, 'bold')),
    ...(remarks.length === 0 ? [] : ['## Remarks', factList(remarks)]),
    '## Cells',
    table(cells),
    ...notes(cells.notes),
    ...comparisonTables(report).flatMap((comparison) => [
      `## ${escaped(comparison.title)}`,
      table(comparison),
      ...notes(comparison.notes),
    ]),
  ];
}

function trialSection(trial: ReportTrial): string[] {
  return [`## ${escaped(`${cellLabel(trial.cell)}, round ${trial.round}`)}`, ...trialBlocks(trial, '###')];
}

/** @param level of its headings */
function trialBlocks(trial: ReportTrial, level: '##' | '###'): string[] {
  const requests = requestTable(trial);
  const latency = latencyTable(trial.summary);
  return [
    `${level} Load`,
    factList(planFacts(trial)),
    table(workerTable(trial.workers)),
    `${level} Result`,
    factList([...rateFacts(trial), ...accountFacts(trial)]),
    ...hostBlocks(trial, level),
    ...(trial.summary.requests === 0
      ? []
      : [`${level} Latency`, table(latency), ...notes(quantileNotes(latency))]),
    ...(requests === undefined ? [] : [`${level} By request`, table(requests)]),
    ...scriptTables(trial.summary).flatMap(({ title, model, notes: sentences }) => [
      `${level} ${title}`,
      table(model),
      ...notes(sentences),
    ]),
  ];
}

function hostBlocks(trial: ReportTrial, level: string): string[] {
  const hosts = hostTable(trial);
  const processes = processTable(trial);
  const links = linkTable(trial);
  return [
    ...(hosts === undefined ? [] : [`${level} Hosts`, table(hosts), ...notes(hosts.notes)]),
    ...(processes === undefined ? [] : [table(processes), ...notes(processes.notes)]),
    ...(links === undefined ? [] : [table(links)]),
  ];
}

/** A list, because GFM has no table without a heading. What has no label goes on with the fact before it. */
function factList(facts: readonly Fact[]): string {
  return facts
    .flatMap(([label, text]) => {
      const [first = '', ...more] = text.split('\n').map(escaped);
      const head = label === '' ? `  - ${first}` : `- **${escaped(label)}**: ${first}`;
      return [head, ...more.map((line) => `  - ${line}`)];
    })
    .join('\n');
}

function notes(sentences: readonly string[]): string[] {
  return sentences.length === 0 ? [] : [`${escaped(sentences.join('; '))}.`];
}

function table(model: Parameters<typeof gfmTable>[0]): string {
  return gfmTable(model).join('\n');
}
