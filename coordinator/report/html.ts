/**
 * `html`: one file that needs nothing else, no network and no script; its policy (CSP) says so to the browser. Every
 * text from the scenario, the workers or the target is escaped.
 */
import { createHash } from 'node:crypto';
import { cellTable } from './cell-table.ts';
import { cellKey } from './cells.ts';
import { comparisonTable } from './comparison-table.ts';
import { factList, htmlTable, Markup, markup, noteLine } from './html-markup.ts';
import { STYLE } from './html-style.ts';
import { trialAnchor, trialBody, trialDetails } from './html-trial.ts';
import { isKnown, type Pivot, pivotsOf, pivotTable, pivotTitle } from './pivot.ts';
import { remarksOn } from './remarks.ts';
import { runFacts, sweepFacts } from './run-facts.ts';
import type { Report, ReportTrial } from './schema.ts';
import { plain } from './text-line.ts';
import { metricText } from './text-metric.ts';
import { thresholdFacts } from './threshold-facts.ts';

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

export function formatHtml(report: Report): string {
  const { run, trials } = report;
  const name = plain(run.name);
  const page = markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name} – Broadside report</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<header>
<h1>${name}</h1>
${factList([...runFacts(report), ...(trials.length > 1 ? sweepFacts(report) : [])])}
</header>
<main>
${body(report)}</main>
<footer>Broadside ${run.broadside}, run ${run.id}. Received is every byte read off the sockets, body what was in the entities.</footer>
</body>
</html>
`;
  return page.text;
}

function body(report: Report): Markup {
  const { trials } = report;
  const judged = markup`${thresholds(report)}${preflight(report)}`;
  if (trials.length === 0) return markup`<p>No trial was begun.</p>${judged}`;
  if (trials.length === 1) {
    return markup`${judged}<section><h2>Trial</h2>${trialBody(trials[0]!)}</section>`;
  }
  return markup`${pivotsOf(report).map(pivotSection)}${cellSection(report)}${comparison(report)}${remarks(trials)}${judged}
<section><h2>Trials</h2>
${trials.map((trial) => trialDetails(trial, false))}</section>
`;
}

/** Medians, and under them the rounds' lowest and highest. */
function pivotSection(pivot: Pivot): Markup {
  const { metric, unit, rows } = pivot;
  const title = pivotTitle(pivot);
  const table = htmlTable(pivotTable(pivot), title, (text, row, column) => {
    const cell = column === 0 ? undefined : rows[row]?.cells[column - 1];
    const spread = cell !== undefined && isKnown(cell.cell, metric) ? cell.spread : undefined;
    if (text === 'DNF') return markup`<span class="bad">DNF</span>`;
    if (spread === undefined || spread.min === spread.max) return text;
    const [low, high] = [spread.min, spread.max].map((value) => metricText(value, metric, unit));
    return markup`${text}<small>${low} – ${high}</small>`;
  });
  return markup`<section><h2>${title}</h2>${table}</section>
`;
}

function cellSection(report: Report): Markup {
  const table = cellTable(report);
  const byCell = new Map<string, ReportTrial[]>();
  for (const trial of report.trials) {
    const key = cellKey(trial.cell);
    byCell.set(key, [...(byCell.get(key) ?? []), trial]);
  }
  const trialsOf = report.cells.map(({ cell }) => byCell.get(cellKey(cell)) ?? []);
  const links = table.head.length;
  const model = {
    head: [...table.head, 'trials'],
    rows: table.rows.map((row) => [...row, '']),
    right: table.right,
  };
  const decorated = htmlTable(model, 'Cells', (text, row, column) => {
    if (text === 'DNF') return markup`<span class="bad">DNF</span>`;
    if (column !== links) return text;
    return trialsOf[row]!.map((trial, i) => [
      i === 0 ? '' : ' ',
      markup`<a href="#${trialAnchor(trial)}" aria-label="Trial of round ${trial.round}">${trial.round}</a>`,
    ]);
  });
  return markup`<section><h2>Cells</h2>${decorated}${noteLine(table.notes)}</section>
`;
}

function comparison(report: Report): Markup | undefined {
  const table = comparisonTable(report);
  if (table === undefined) return undefined;
  return markup`<section><h2>${table.title}</h2>${htmlTable(table, table.title)}${noteLine(table.notes)}</section>
`;
}

function remarks(trials: readonly ReportTrial[]): Markup | undefined {
  const facts = remarksOn(trials);
  if (facts.length === 0) return undefined;
  return markup`<section class="alert"><h2>Remarks</h2>${factList(facts)}</section>
`;
}

function thresholds({ thresholds }: Report): Markup | undefined {
  if (thresholds.length === 0) return undefined;
  return markup`<section><h2>Thresholds</h2>${factList(thresholdFacts(thresholds))}</section>
`;
}

function preflight({ run }: Report): Markup | undefined {
  const found = run.preflight.filter(({ level }) => level !== 'good');
  if (found.length === 0) return undefined;
  return markup`<section><h2>Preflight</h2>${factList(
    found.map(({ worker, level, message, remedy }) => [
      level === 'error' ? 'ERROR' : 'warning',
      plain(`${worker}: ${message}${remedy === undefined ? '' : `; ${remedy}`}`),
    ]),
  )}</section>
`;
}
