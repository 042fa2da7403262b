/** What there is to say of one trial besides its tables: a label and a text each, the same in text, md and html. */
import { connectionsOf } from '../../shared/domain/shard.ts';
import { formatDuration } from '../../shared/domain/units.ts';
import { ERROR_CLASSES } from '../../shared/metrics/error-class.ts';
import type { Ledger } from '../../shared/metrics/ledger.ts';
import type { Summary } from '../../shared/metrics/summary.ts';
import type { Fact } from './fact.ts';
import { hostFacts, wireFacts } from './hosts/host-text.ts';
import { loadText } from './load-text.ts';
import { poolFacts } from './pools.ts';
import type { ReportStart, ReportTrial, ReportWorker, Verdict } from './schema.ts';
import { scriptFacts, scriptText } from './script-facts.ts';
import { plain, plural, requestRateText, signedDuration, sizeText, transferRateText } from './text-line.ts';

export type { Fact } from './fact.ts';

/** What was asked for, and why it did not come to its end. */
export function planFacts(trial: ReportTrial): Fact[] {
  const rows = dataText(trial);
  const facts: Fact[] = [
    ...(trial.script === undefined ? [] : [['Script', scriptText(trial.script)] satisfies Fact]),
    ...(trial.requests.length + trial.target.url.length === 0
      ? []
      : [['Target', plain(targetText(trial))] satisfies Fact]),
    ...(trial.load.executor === 'script' && trial.load.durationUs === undefined
      ? []
      : [['Load', loadText(trial.load)] satisfies Fact]),
  ];
  if (rows !== undefined) facts.push(['Data', rows.split('\n').map(plain).join('\n')]);
  const why = trial.dnf?.reason ?? trial.reason;
  if (why !== undefined) facts.push([trial.state === 'dnf' ? 'DID NOT FINISH' : 'ABORTED', plain(why)]);
  return facts;
}

/** Both rates, and the counts that they come from. */
export function rateFacts(trial: ReportTrial): Fact[] {
  const { summary } = trial;
  return [
    ['Requests', requestsText(summary)],
    ['Request rate', requestRateText(summary.requestRate)],
    ['Transfer rate', transferText(summary)],
    ['Bytes', bytesText(summary)],
    ...scriptFacts(trial),
  ];
}

/** Replies, errors and connections; whether all of it adds up; what limited it. */
export function accountFacts(trial: ReportTrial): Fact[] {
  const { summary, ledger, start, workers, verdict } = trial;
  return [
    ['Status', statusText(summary.status)],
    ['Errors', errorsText(summary)],
    ...stallFacts(trial),
    ['Connections', connectionsText(summary)],
    ['Ledger', ledgerText(ledger)],
    ...ledger.problems.map((problem): Fact => ['NOT BALANCED', plain(problem)]),
    ['Start', startText(start, workers)],
    ...poolFacts(trial),
    ...fairnessFacts(trial),
    ...wireFacts(trial),
    ...hostFacts(trial),
    ...verdictFacts(verdict),
  ];
}

function verdictFacts({ limit, evidence, advice }: Verdict): Fact[] {
  return [
    ...evidence.map(
      (sentence, i): Fact => (i === 0 ? ['Verdict', plain(`${limit}: ${sentence}`)] : ['', plain(sentence)]),
    ),
    ...(advice === undefined ? [] : [['Next', plain(advice)] satisfies Fact]),
  ];
}

const MOST_STALLS_SHOWN = 5;

/** Nothing where there were none. */
export function stallFacts({ stalls }: Pick<ReportTrial, 'stalls'>): Fact[] {
  if (stalls.length === 0) return [];
  const shown = stalls
    .slice(0, MOST_STALLS_SHOWN)
    .map(({ fromSecond, seconds }) => `${seconds} s from second ${fromSecond}`);
  const more = stalls.length - shown.length;
  return [['Stalls', `no reply for ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`]];
}

/** Of what a worker should carry by its share of the load. */
const FAIR = 0.8;
/** By chance alone fewer requests than this may be that far off. */
const FEWEST_REQUESTS = 100;

/** Workers that carried less than they should; nothing where all did, or are known to be lost. */
export function fairnessFacts({ workers, summary }: Pick<ReportTrial, 'workers' | 'summary'>): Fact[] {
  return workers.flatMap(({ name, share, expectedShare, requestRate, lost }): Fact[] => {
    if (lost !== undefined || summary.requests * expectedShare < FEWEST_REQUESTS) return [];
    if (share >= expectedShare * FAIR) return [];
    const [carried, due] = [share, expectedShare].map((one) => `${(one * 100).toFixed(1)} %`);
    const rate = requestRateText(requestRate);
    return [
      [
        'Uneven',
        plain(`${name} carried ${carried} of the requests (${rate}), by its load it should be ${due}`),
      ],
    ];
  });
}

function targetText({ requests, target }: ReportTrial): string {
  const [first, ...others] = requests;
  // What a script requests is its own affair.
  if (first === undefined) return `${target.url} (${target.name})`;
  if (others.length === 0) return `${first.method} ${first.url} (${target.name})`;
  return `${requests.length} requests at ${target.url} (${target.name})`;
}

/** Undefined where there are no rows. */
function dataText({ data, load }: ReportTrial): string | undefined {
  if (data === undefined) return undefined;
  const connections = connectionsOf(load);
  const rows = `${plural(data.rows, 'row')} (${data.columns.join(', ')})`;
  if (connections === undefined || data.rows >= connections) return rows;
  return `${rows}\nWARNING: fewer than ${connections} connections: the same row is in use by several at a time`;
}

/** The duration to the µs, so that the rates can be checked from what is printed. */
function requestsText({ requests, errors, durationUs }: Summary): string {
  return `${requests} completed, ${errors.total} failed, in ${(durationUs / 1e6).toFixed(6)} s`;
}

function transferText({ transferRate }: Summary): string {
  const { received, body } = transferRate;
  const lines = [`${transferRateText(received)} received (${received.toFixed(0)} bytes/s)`];
  if (body !== undefined) lines.push(`${transferRateText(body)} body (${body.toFixed(0)} bytes/s)`);
  return lines.join('\n');
}

function bytesText({ bytes }: Summary): string {
  const { received, decrypted, body, sent } = bytes;
  return [
    `${sizeText(received)} received`,
    ...(decrypted === undefined ? [] : [`${sizeText(decrypted)} decrypted`]),
    ...(body === undefined ? [] : [`${sizeText(body)} body`]),
    `${sizeText(sent)} sent`,
  ].join('\n');
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

function ledgerText(ledger: Ledger): string {
  return `${ledger.balanced ? 'balanced: ' : ''}${ledgerSums(ledger)}`;
}

/** Both sums, so that the reader can check them. */
export function ledgerSums(ledger: Omit<Ledger, 'balanced' | 'problems'>): string {
  const { planned, started, completed, failed, inFlight, dropped, lost } = ledger;
  const promise =
    planned === undefined ? '' : `planned ${planned} = started ${started} + dropped ${dropped}\n`;
  const end = `started ${started} = completed ${completed} + failed ${failed} + in flight ${inFlight} + lost ${lost}`;
  return `${promise}${end}`;
}

function startText(start: ReportStart, workers: readonly ReportWorker[]): string {
  const { firstRequestSpreadUs = 0, earliestUs, latestUs = 0, clockUncertaintyUs } = start;
  const silent = workers
    .filter(({ firstRequestUs }) => firstRequestUs === undefined)
    .map(({ name }) => plain(name));
  const note = silent.length > 0 ? `; ${silent.join(', ')} never told` : '';
  if (earliestUs === undefined) return 'no worker told its first request';
  if (workers.length - silent.length === 1) {
    return `first request ${signedDuration(earliestUs)} after it was due${note}`;
  }
  const within = `${formatDuration(firstRequestSpreadUs)} (clocks ± ${formatDuration(clockUncertaintyUs)})`;
  const span = `${signedDuration(earliestUs)} to ${signedDuration(latestUs)} after they were due`;
  return `first requests within ${within}, ${span}${note}`;
}
