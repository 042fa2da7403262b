/** One trial in the HTML report: everything that the text format says of it, with its charts. */

import { hostCharts } from './hosts/host-charts.ts';
import { hostTable, linkTable, processTable } from './hosts/host-text.ts';
import { type Content, factList, htmlTable, type Markup, markup, noteLine } from './html-markup.ts';
import type { ReportTrial } from './schema.ts';
import { scriptTables } from './script-facts.ts';
import { cellLabel, plain, requestRateText, transferRateText } from './text-line.ts';
import { distributionChart, timelineCharts } from './trial-charts.ts';
import { accountFacts, planFacts, rateFacts } from './trial-facts.ts';
import { latencyTable, quantileNotes, requestTable, workerTable } from './trial-tables.ts';

/** For links to it. */
export function trialAnchor({ index }: ReportTrial): string {
  return `trial-${index}`;
}

/** @param open the trial shows without a click */
export function trialDetails(trial: ReportTrial, open: boolean): Markup {
  const { cell, round, state, summary } = trial;
  const outcome: Content =
    state === 'completed'
      ? `${requestRateText(summary.requestRate)}, ${transferRateText(summary.transferRate.received)}`
      : markup`<span class="bad">${state === 'dnf' ? 'DNF' : state}: ${plain(trial.dnf?.reason ?? trial.reason ?? '')}</span>`;
  return markup`<details class="trial"${open ? markup` open` : undefined}>
<summary><b>${cellLabel(cell)}</b>, round ${round}: ${outcome}</summary>
<div id="${trialAnchor(trial)}">${trialBody(trial)}</div></details>
`;
}

export function trialBody(trial: ReportTrial): Markup {
  const { summary, workers } = trial;
  const requests = requestTable(trial);
  const latency = latencyTable(summary);
  const charts = [...timelineCharts(trial), ...hostCharts(trial), ...distributionChart(trial)];
  const lost = workers.flatMap(({ name, lost }) =>
    lost === undefined
      ? []
      : markup`<p class="bad">LOST: ${plain(name)} at ${(lost.atUs / 1e6).toFixed(2)} s: ${plain(lost.reason)}</p>`,
  );
  return markup`${factList(planFacts(trial))}
<h3>Workers</h3>
${htmlTable(workerTable(workers), 'Workers')}${lost}
<h3>Result</h3>
${factList([...rateFacts(trial), ...accountFacts(trial)])}
${summary.requests === 0 ? markup`<p>No request completed.</p>` : markup`<h3>Latency</h3>${htmlTable(latency, 'Latency')}${noteLine(quantileNotes(latency))}`}
${requests === undefined ? undefined : markup`<h3>By request</h3>${htmlTable(requests, 'By request')}`}${scriptTables(
  summary,
).map(
  ({ title, model, notes }) =>
    markup`<h3>${title}</h3>${htmlTable(model, title, decorated)}${noteLine(notes)}`,
)}
${hostTables(trial)}
${charts.length === 0 ? undefined : markup`<div class="charts">${charts}</div>`}
`;
}

function hostTables(trial: ReportTrial): Content {
  const hosts = hostTable(trial);
  const processes = processTable(trial);
  const links = linkTable(trial);
  return [
    hosts === undefined
      ? undefined
      : markup`<h3>Hosts</h3>${htmlTable(hosts, 'Hosts')}${noteLine(hosts.notes)}`,
    processes === undefined
      ? undefined
      : markup`${htmlTable(processes, 'Processes')}${noteLine(processes.notes)}`,
    links === undefined ? undefined : htmlTable(links, 'Links'),
  ];
}

function decorated(text: string): Content {
  return text === '✗' ? markup`<span class="bad">✗</span>` : text;
}
