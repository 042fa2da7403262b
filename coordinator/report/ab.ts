/**
 * ab's output, with its labels, layout and meanings, merged over the workers, so that a script which reads ab's
 * output reads ours. Where ab's meaning cannot be had from merged histograms, the nearest is printed and said here:
 * - Complete requests counts every finished request, Failed requests those among them that failed, as in ab; the
 *   latencies are of completed requests only, because a refused connection in 0 ms is not a fast reply.
 * - Document Length is the mean entity where that is whole, `Variable` otherwise (ab prints that with -l).
 * - With https the lines on the protocol and the key are left out, and what is sent counts as it is on the wire.
 * - Server Software is the first word of the Server header, as in ab.
 * - Keep-Alive requests: see `keptAlive`. Processing and Waiting: see `afterConnect` in ab-times.ts.
 * - ab's warnings that a mean and a median lie apart are left out: they compare rounded milliseconds.
 */
import { connectionsOf } from '../../shared/domain/shard.ts';
import type { ErrorClass } from '../../shared/metrics/error-class.ts';
import type { Summary } from '../../shared/metrics/summary.ts';
import { percentageLines, timesLines } from './ab-times.ts';
import type { Report, ReportTrial } from './schema.ts';
import { cellLabel } from './text-line.ts';

export function formatAb(report: Report): string {
  const head = [`This is Broadside, Version ${report.run.broadside}, in the format of ApacheBench`, '', ''];
  const several = report.trials.length > 1;
  const blocks = report.trials.map((trial) => {
    const heading = several ? [`# ${cellLabel(trial.cell)}, round ${trial.round}: ${trial.state}`, ''] : [];
    return [...heading, ...trialLines(trial)];
  });
  return [...head, ...blocks.flatMap((block, i) => (i === 0 ? block : ['', '', ...block]))]
    .join('\n')
    .concat('\n');
}

function trialLines(trial: ReportTrial): string[] {
  const { summary, requests, load, server } = trial;
  const first = requests[0];
  if (first === undefined)
    return ['A k6 script made this load, which ApacheBench has no words for: see --format k6'];
  const url = new URL(first.url);
  return [
    `Server Software:        ${/^[^ \t]*/.exec(server ?? '')![0]}`,
    `Server Hostname:        ${url.hostname}`,
    `Server Port:            ${url.port || (url.protocol === 'https:' ? 443 : 80)}`,
    '',
    `Document Path:          ${requests.length === 1 ? `${url.pathname}${url.search}` : `(${requests.length} different)`}`,
    `Document Length:        ${documentLength(summary)}`,
    '',
    ...concurrencyLine(load),
    `Time taken for tests:   ${(summary.durationUs / 1e6).toFixed(3)} seconds`,
    ...countLines(trial),
    ...rateLines(trial),
    ...timesLines(summary),
    ...percentageLines(summary),
  ];
}

function countLines({ summary, requests, load }: ReportTrial): string[] {
  const { errors, bytes } = summary;
  const otherThan2xx = Object.entries(summary.status).reduce(
    (sum, [code, n]) => (code[0] === '2' ? sum : sum + n),
    0,
  );
  const lines = [
    `Complete requests:      ${summary.requests + errors.total}`,
    `Failed requests:        ${errors.total}`,
  ];
  if (errors.total > 0) lines.push(failureLine(errors.byClass));
  if (otherThan2xx > 0) lines.push(`Non-2xx responses:      ${otherThan2xx}`);
  if (load.executor !== 'script' && load.keepAlive)
    lines.push(`Keep-Alive requests:    ${keptAlive(summary, connectionsOf(load))}`);
  lines.push(`Total transferred:      ${transferred(bytes)} bytes`);
  if (requests.some(({ sendsBody }) => sendsBody)) lines.push(`Total body sent:        ${bytes.sent}`);
  lines.push(`HTML transferred:       ${bytes.body} bytes`);
  return lines;
}

/** None of a script, whose virtual users are its own affair. */
function concurrencyLine(load: ReportTrial['load']): string[] {
  const connections = connectionsOf(load);
  return connections === undefined ? [] : [`Concurrency Level:      ${connections}`];
}

/** ab divides by what it measured, not by the three digits that it prints; so does this. */
function rateLines({ summary, requests, load }: ReportTrial): string[] {
  const { durationUs, bytes, errors } = summary;
  const done = summary.requests + errors.total;
  if (durationUs === 0 || done === 0) return [];
  const seconds = durationUs / 1e6;
  const each = (seconds * 1000) / done;
  const connections = connectionsOf(load);
  const kibPerSecond = (count: number) => (count / 1024 / seconds).toFixed(2);
  const lines = [
    `Requests per second:    ${(done / seconds).toFixed(2)} [#/sec] (mean)`,
    ...(connections === undefined
      ? []
      : [`Time per request:       ${(connections * each).toFixed(3)} [ms] (mean)`]),
    `Time per request:       ${each.toFixed(3)} [ms] (mean, across all concurrent requests)`,
    `Transfer rate:          ${kibPerSecond(transferred(bytes))} [Kbytes/sec] received`,
  ];
  if (requests.some(({ sendsBody }) => sendsBody)) {
    lines.push(`                        ${kibPerSecond(bytes.sent)} kb/s sent`);
    lines.push(`                        ${kibPerSecond(transferred(bytes) + bytes.sent)} kb/s total`);
  }
  return lines;
}

/** Under TLS ab counts what OpenSSL hands it. */
function transferred({ received, decrypted }: Summary['bytes']): number {
  return decrypted ?? received;
}

/**
 * ab counts replies after which the server kept the connection. A request on a reused connection proves it of the
 * reply before; the last reply of each connection still open at the end adds one.
 */
function keptAlive({ connections, requests, errors }: Summary, concurrency: number): number {
  const { opened, reused } = connections;
  if (reused === 0) return 0;
  return Math.min(requests + errors.total, reused + Math.min(opened, concurrency));
}

function documentLength({ bytes, requests, status }: Summary): string {
  const replies = Object.values(status).reduce((sum, n) => sum + n, 0) || requests;
  if (replies === 0) return '0 bytes';
  if (bytes.body === undefined) return 'Unknown';
  const mean = bytes.body / replies;
  return Number.isInteger(mean) ? `${mean} bytes` : 'Variable';
}

const AB_CLASSES: Record<ErrorClass, 'Connect' | 'Receive' | 'Length' | 'Exceptions'> = {
  dns: 'Connect',
  'connect-refused': 'Connect',
  'connect-timeout': 'Connect',
  tls: 'Connect',
  'local-fds': 'Connect',
  'local-ports': 'Connect',
  'not-allowed': 'Connect',
  reset: 'Receive',
  'closed-early': 'Receive',
  timeout: 'Receive',
  protocol: 'Receive',
  unframed: 'Receive',
  length: 'Length',
  status: 'Exceptions',
  body: 'Exceptions',
};

function failureLine(byClass: Partial<Record<ErrorClass, number>>): string {
  const sums = { Connect: 0, Receive: 0, Length: 0, Exceptions: 0 };
  for (const name in byClass) sums[AB_CLASSES[name as ErrorClass]] += byClass[name as ErrorClass]!;
  const parts = Object.entries(sums).map(([name, count]) => `${name}: ${count}`);
  return `   (${parts.join(', ')})`;
}
