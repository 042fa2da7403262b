/** One trial, in full, as an engineer reads it on a terminal. */
import { formatDuration } from '../../shared/domain/units.ts';
import { ERROR_CLASSES } from '../../shared/metrics/error-class.ts';
import type { Ledger } from '../../shared/metrics/ledger.ts';
import type { LatencySummary, Summary } from '../../shared/metrics/summary.ts';
import { loadText } from './load-text.ts';
import type { ReportStart, ReportTrial, ReportWorker } from './schema.ts';
import {
  labelled,
  plain,
  plural,
  requestRateText,
  signedDuration,
  sizeText,
  transferRateText,
} from './text-line.ts';
import { dataText, requestLines, targetText } from './text-requests.ts';
import { plainTable } from './text-table.ts';
import { timelineText } from './text-timeline.ts';

/** Heading, field, and the least width of the report in which there is room for it. */
const LATENCY_COLUMNS: [string, Exclude<keyof LatencySummary, 'histogram'>, number][] = [
  ['min', 'min', 0],
  ['mean', 'mean', 0],
  ['sd', 'stdev', 0],
  ['p50', 'p50', 0],
  ['p75', 'p75', 96],
  ['p90', 'p90', 80],
  ['p95', 'p95', 96],
  ['p99', 'p99', 0],
  ['p99.9', 'p999', 80],
  ['max', 'max', 0],
];

export function trialLines(trial: ReportTrial, width: number): string[] {
  const { summary, ledger, verdict } = trial;
  const line = (label: string, text: string) => labelled(label, text, width);
  const why = trial.dnf?.reason ?? trial.reason;
  const rows = dataText(trial);
  return [
    ...line('Target', plain(targetText(trial))),
    ...line('Load', loadText(trial.load)),
    ...(rows === undefined ? [] : line('Data', rows.split('\n').map(plain).join('\n'))),
    ...(why === undefined ? [] : line(trial.state === 'dnf' ? 'DID NOT FINISH' : 'ABORTED', plain(why))),
    '',
    ...workerLines(trial.workers),
    '',
    ...line('Requests', requestsText(summary)),
    ...line('Request rate', requestRateText(summary.requestRate)),
    ...line('Transfer rate', transferText(summary)),
    ...line('Bytes', bytesText(summary)),
    ...latencyLines(summary, width),
    ...requestLines(trial),
    ...line('Status', statusText(summary.status)),
    ...line('Errors', errorsText(summary)),
    ...line('Connections', connectionsText(summary)),
    ...line('Ledger', ledgerText(ledger)),
    ...ledger.problems.flatMap((problem) => line('NOT BALANCED', plain(problem))),
    ...line('Start', startText(trial.start, trial.workers)),
    ...verdict.evidence.flatMap((sentence, i) =>
      line(i === 0 ? 'Verdict' : '', plain(i === 0 ? `${verdict.limit}: ${sentence}` : sentence)),
    ),
    ...timelineText(trial.timeline, summary.durationUs, width),
  ];
}

function workerLines(workers: readonly ReportWorker[]): string[] {
  const rows = workers.map((worker) => [
    plain(worker.name),
    plain(worker.hostname),
    String(worker.connections),
    `${worker.requests} (${(worker.share * 100).toFixed(1)} %)`,
    `${signedDuration(worker.clockOffsetUs)} ± ${formatDuration(worker.clockUncertaintyUs)}`,
    worker.firstRequestUs === undefined ? '-' : signedDuration(worker.firstRequestUs),
    worker.cpu === undefined ? '-' : `${worker.cpu.toFixed(2)}/${worker.threads}`,
  ]);
  const head = ['Worker', 'host', 'conns', 'requests', 'clock offset', 'first', 'cores'];
  const lost = workers.flatMap(({ name, lost }) =>
    lost === undefined ? [] : [plain(`  LOST: ${name} at ${formatDuration(lost.atUs)}: ${lost.reason}`)],
  );
  return [...plainTable(head, rows, [2, 3, 4, 5, 6]), ...lost];
}

/** The duration to the µs, so that the rates can be checked from what is printed. */
function requestsText({ requests, errors, durationUs }: Summary): string {
  return `${requests} completed, ${errors.total} failed, in ${(durationUs / 1e6).toFixed(6)} s`;
}

function transferText({ transferRate }: Summary): string {
  const { received, body } = transferRate;
  return (
    `${transferRateText(received)} received (${received.toFixed(0)} bytes/s)\n` +
    `${transferRateText(body)} body (${body.toFixed(0)} bytes/s)`
  );
}

function bytesText({ bytes }: Summary): string {
  const decrypted = bytes.decrypted === undefined ? '' : `${sizeText(bytes.decrypted)} decrypted\n`;
  return (
    `${sizeText(bytes.received)} received\n${decrypted}` +
    `${sizeText(bytes.body)} body\n${sizeText(bytes.sent)} sent`
  );
}

function latencyLines(summary: Summary, width: number): string[] {
  if (summary.requests === 0) return labelled('Latency', 'none: no request completed', width);
  const { latency, serviceTime, firstByte, connect, tls } = summary;
  // An open loop has two latencies: the heading says what the rows are.
  const [head, first] = serviceTime === undefined ? ['', 'Latency'] : ['Latency', 'from intended'];
  const phases: [string, LatencySummary | undefined][] = [
    [first, latency],
    ['from send', serviceTime],
    ['First byte', firstByte],
    ['Connect', connect],
    ['TLS', tls],
  ];
  const columns = LATENCY_COLUMNS.filter(([, , least]) => width >= least);
  const rows = phases.flatMap(([name, phase]) =>
    phase === undefined ? [] : [[name, ...columns.map(([, field]) => short(phase[field]))]],
  );
  const right = columns.map((_, i) => i + 1);
  return ['', ...plainTable([head, ...columns.map(([name]) => name)], rows, right, 13), ''];
}

/** Without the space before the unit: eight of these have to fit into eighty columns. */
function short(us: number): string {
  return formatDuration(us).replace(' ', '');
}

function statusText(status: Record<string, number>): string {
  const entries = Object.entries(status);
  if (entries.length === 0) return 'no reply';
  const all = entries.map(([code, count]) => `${code}: ${count}`).join('  ');
  const other = entries.reduce((sum, [code, count]) => (code[0] === '2' ? sum : sum + count), 0);
  return other === 0
    ? all
    : `${all}\nWARNING: ${plural(other, 'reply').replace('replys', 'replies')} not 2xx`;
}

function errorsText({ errors }: Summary): string {
  if (errors.total === 0) return 'none';
  const first = new Map(errors.first.map((error) => [error.class, error]));
  return ERROR_CLASSES.flatMap((name) => {
    const count = errors.byClass[name];
    if (count === undefined) return [];
    const error = first.get(name);
    if (error === undefined) return [`${name}: ${count}`];
    const where = error.worker === undefined ? '' : ` on ${error.worker}`;
    return [plain(`${name}: ${count}, first at ${formatDuration(error.atUs)}${where}: ${error.message}`)];
  }).join('\n');
}

function connectionsText({ connections }: Summary): string {
  const { opened, reused, byAddress, tlsSessionsReused } = connections;
  const lines = [`${opened} opened, ${plural(reused, 'request')} on a connection used before`];
  if (tlsSessionsReused !== undefined) lines.push(`${tlsSessionsReused} took up an earlier TLS session`);
  const addresses = Object.entries(byAddress);
  if (addresses.length > 1) lines.push(addresses.map(([address, n]) => `${n} to ${address}`).join(', '));
  return lines.join('\n');
}

/** Both sums, so that the reader can check them. */
function ledgerText(ledger: Ledger): string {
  const { planned, started, completed, failed, inFlight, dropped, lost } = ledger;
  const word = ledger.balanced ? 'balanced: ' : '';
  const promise =
    planned === undefined ? '' : `planned ${planned} = started ${started} + dropped ${dropped}\n`;
  const end = `started ${started} = completed ${completed} + failed ${failed} + in flight ${inFlight} + lost ${lost}`;
  return `${word}${promise}${end}`;
}

function startText(start: ReportStart, workers: readonly ReportWorker[]): string {
  const { firstRequestSpreadUs = 0, earliestUs, latestUs = 0, clockUncertaintyUs } = start;
  const silent = workers
    .filter(({ firstRequestUs }) => firstRequestUs === undefined)
    .map(({ name }) => plain(name));
  const note = silent.length > 0 ? `; ${silent.join(', ')} never told` : '';
  if (earliestUs === undefined) return 'no worker told its first request';
  if (workers.length - silent.length === 1) {
    return `first request ${signedDuration(earliestUs)} from the start instant${note}`;
  }
  const within = `${formatDuration(firstRequestSpreadUs)} (clocks ± ${formatDuration(clockUncertaintyUs)})`;
  const span = `${signedDuration(earliestUs)} to ${signedDuration(latestUs)} from the start instant`;
  return `first requests within ${within}, ${span}${note}`;
}
