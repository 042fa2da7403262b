/**
 * `html`: one file that needs nothing else, no network and no script; its policy (CSP) says so to the browser. Every
 * text from the scenario, the workers or the target is escaped.
 */
import { createHash } from 'node:crypto';
import { cellKey, groupByCell } from './cell-key.ts';
import { cellTable } from './cell-table.ts';
import { comparisonTables } from './comparison-table.ts';
import { type Content, factList, htmlTable, Markup, markup, noteLine } from './html-markup.ts';
import { STYLE } from './html-style.ts';
import { trialAnchor, trialBody, trialDetails } from './html-trial.ts';
import { type Pivot, pivotsOf } from './pivot.ts';
import { isKnown } from './pivot-cells.ts';
import { pivotNotes, pivotTable, pivotTitle, valueText } from './pivot-table.ts';
import { remarksOn } from './remarks.ts';
import { runFacts, sweepFacts } from './run-facts.ts';
import type { Report, ReportTrial } from './schema.ts';
import { searchFacts, searchTitle, stepsTable } from './search-facts.ts';
import type { Mark } from './table-model.ts';
import { plain } from './text-line.ts';
import { signsOf } from './text-table.ts';
import { thresholdFacts } from './threshold-facts.ts';

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

export function formatHtml(report: Report): string {
  return [...htmlPieces(report)].join('');
}

/** The same in pieces, a trial at a time: of thousands of them it is too large to be held at once. */
export function* htmlPieces(report: Report): Generator<string> {
  const { trials } = report;
  yield head(report).text;
  yield body(report).text;
  if (trials.length > 1) {
    yield '<section><h2>Trials</h2>\n';
    for (const trial of trials) yield trialDetails(trial, false).text;
    yield '</section>\n';
  }
  yield foot(report).text;
}

function head(report: Report): Markup {
  const name = plain(report.run.name);
  return markup`<!DOCTYPE html>
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
${factList([...runFacts(report), ...(report.trials.length > 1 ? sweepFacts(report) : [])])}
</header>
<main>
`;
}

function foot({ run }: Report): Markup {
  return markup`</main>
<footer>Broadside ${run.broadside}, run ${run.id}. Received is every byte read off the sockets, body what was in the entities.</footer>
</body>
</html>
`;
}

/** All but the trials of a sweep. */
function body(report: Report): Markup {
  const { trials } = report;
  const judged = markup`${thresholds(report)}${preflight(report)}`;
  const searched = searches(report);
  if (trials.length === 0) return markup`<p>No trial was begun.</p>${searched}${judged}`;
  if (trials.length === 1) {
    return markup`${searched}${judged}<section><h2>Trial</h2>${trialBody(trials[0]!)}</section>`;
  }
  return markup`${searched}${pivotSections(report)}${remarks(trials)}${cellSection(report)}${comparisons(report)}${judged}
`;
}

function searches(report: Report): Content {
  return (report.search ?? []).map((search) => {
    const title = searchTitle(search);
    return markup`<section><h2>${title}</h2>${factList(searchFacts(search))}${htmlTable(stepsTable(report, search), `${title}: steps`)}</section>
`;
  });
}

function pivotSections(report: Report): Content {
  const pivots = pivotsOf(report);
  const notes = [
    ...pivotNotes(pivots, 'bold'),
    ...(pivots.some(({ table }) => table.relative === true) ? ['under a ratio is its 95 % interval'] : []),
  ];
  return [...pivots.map(pivotSection), noteLine(notes)];
}

/** Medians, and under them the rounds' lowest and highest; of ratios their 95 % intervals. */
function pivotSection(pivot: Pivot): Markup {
  const title = pivotTitle(pivot);
  const model = pivotTable(pivot);
  const table = htmlTable(model, title, (text, row, column) => {
    const cell = column === 0 ? undefined : pivot.rows[row]?.cells[column - 1];
    if (text === 'DNF') return markup`<span class="bad">DNF</span>`;
    const shown = marked(text, model.marks?.[row]?.[column]);
    if (cell?.spread === undefined || !isKnown(cell, pivot.metric)) return shown;
    const { min, max } = cell.spread;
    if (min === max) return shown;
    return markup`${shown}<small>${valueText(min, pivot)} – ${valueText(max, pivot)}</small>`;
  });
  return markup`<section><h2>${title}</h2>${table}</section>
`;
}

/** Nothing that speaks against a number. */
const QUIET: readonly Mark[] = ['tied', 'none', 'undecided'];

function marked(text: string, marks: readonly Mark[] = []): Content {
  const value = marks.includes('best') ? markup`<strong class="good">${text}</strong>` : text;
  const others = marks.filter((mark) => mark !== 'best');
  if (others.length === 0) return value;
  const signs = others.map(
    (mark) =>
      markup`<span class="${QUIET.includes(mark) ? 'quiet' : 'bad'}" title="${mark}">${signsOf([mark])}</span>`,
  );
  return markup`${value} ${signs}`;
}

function cellSection(report: Report): Markup {
  const table = cellTable(report);
  const byCell = groupByCell(report.trials);
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

function comparisons(report: Report): Markup[] {
  return comparisonTables(report).map(
    (
      table,
    ) => markup`<section><h2>${table.title}</h2>${htmlTable(table, table.title)}${noteLine(table.notes)}</section>
`,
  );
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
