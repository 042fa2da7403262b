/** One trial, in full, as an engineer reads it on a terminal. */
import { formatDuration } from '../../shared/domain/units.ts';
import { checkLines, metricLines } from './end-of-test.ts';
import {
  hostTable,
  linkTable,
  processTable,
  SPARED_OF_HOSTS,
  SPARED_OF_PROCESSES,
} from './hosts/host-text.ts';
import type { ReportTrial } from './schema.ts';
import { trendNotes } from './script-facts.ts';
import { tableLines } from './text-cells.ts';
import { labelled, plain } from './text-line.ts';
import { plainTable } from './text-table.ts';
import { timelineText } from './text-timeline.ts';
import { accountFacts, type Fact, planFacts, rateFacts } from './trial-facts.ts';
import { latencyTable, quantileNotes, requestTable, SPARED_OF_WORKERS, workerTable } from './trial-tables.ts';

/** The first column of the tables of latencies is as wide as the labels. */
const LABEL_WIDTH = 13;

export function trialLines(trial: ReportTrial, width: number): string[] {
  const lines = (facts: readonly Fact[]) => facts.flatMap(([label, text]) => labelled(label, text, width));
  return [
    ...lines(planFacts(trial)),
    '',
    ...workerLines(trial, width),
    '',
    ...lines(rateFacts(trial)),
    ...latencyLines(trial, width),
    ...requestLines(trial),
    ...scriptLines(trial, width),
    ...hostLines(trial, width),
    ...lines(accountFacts(trial)),
    ...timelineText(trial.timeline, trial.summary.durationUs, width),
  ];
}

function workerLines({ workers }: ReportTrial, width: number): string[] {
  const lost = workers.flatMap(({ name, lost }) =>
    lost === undefined ? [] : [plain(`  LOST: ${name} at ${formatDuration(lost.atUs)}: ${lost.reason}`)],
  );
  const tables = [0, 1, 2].map((left) => plainTable(workerTable(workers, SPARED_OF_WORKERS.slice(0, left))));
  const fitting = tables.find((table) => table.every((line) => [...line].length <= width));
  return [...(fitting ?? tables.at(-1)!), ...lost];
}

function latencyLines({ summary }: ReportTrial, width: number): string[] {
  if (summary.requests === 0) return labelled('Latency', 'none: no request completed', width);
  const table = latencyTable(summary, width);
  const notes = quantileNotes(table).flatMap((note) => labelled('', note, width));
  return ['', ...plainTable(table, LABEL_WIDTH), ...notes, ''];
}

/** What the hosts did, their processes, and the links on the way. */
function hostLines(trial: ReportTrial, width: number): string[] {
  const links = linkTable(trial);
  return [
    ...(hostTable(trial) === undefined
      ? []
      : [...tableLines((spared) => hostTable(trial, spared)!, SPARED_OF_HOSTS, width), '']),
    ...(processTable(trial) === undefined
      ? []
      : [...tableLines((spared) => processTable(trial, spared)!, SPARED_OF_PROCESSES, width), '']),
    ...(links === undefined ? [] : [...plainTable(links), '']),
  ];
}

function requestLines(trial: ReportTrial): string[] {
  const table = requestTable(trial);
  return table === undefined ? [] : [...plainTable(table, LABEL_WIDTH), ''];
}

/** As k6 sums it up; the numbers of the lines above are in it once more, in its terms. */
function scriptLines({ summary }: ReportTrial, width: number): string[] {
  const { script, durationUs } = summary;
  if (script === undefined) return [];
  const checks = checkLines(script, durationUs);
  const notes = trendNotes(script).flatMap((note) => labelled('', note, width));
  return [...checks, ...(checks.length === 0 ? [] : ['']), ...metricLines(script, width), ...notes, ''];
}
