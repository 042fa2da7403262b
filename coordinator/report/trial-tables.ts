/** The tables of one trial: its workers, the latencies of each phase, and its requests by name. */
import { formatDuration } from '../../shared/domain/units.ts';
import { ERROR_CLASSES } from '../../shared/metrics/error-class.ts';
import type { LatencySummary, RequestSummary, Summary } from '../../shared/metrics/summary.ts';
import { FRACTIONS, type QuantileName, quantileText } from './quantile-limits.ts';
import type { ReportTrial, ReportWorker } from './schema.ts';
import type { TableModel } from './table-model.ts';
import { plain, signedDuration, transferRateText } from './text-line.ts';

/** Heading, field, and the least width of the report in which there is room for it. */
const LATENCY_COLUMNS: [string, Exclude<keyof LatencySummary, 'histogram' | 'count'>, number][] = [
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

const LONGEST_NAME = 36;

/** Left out, first to last, where there is no room. */
export const SPARED_OF_WORKERS = ['received', 'rate'];

const TEXTS_OF_WORKERS = ['Worker', 'pool', 'host'];

export function workerTable(workers: readonly ReportWorker[], spared: readonly string[] = []): TableModel {
  const most = workers.some(({ vus }) => vus !== undefined) ? 'VUs' : 'conns';
  const columns: [head: string, cell: (worker: ReportWorker) => string][] = [
    ['Worker', ({ name }) => plain(name)],
    ...(workers.some(({ pool }) => pool !== undefined)
      ? ([['pool', ({ pool }) => plain(pool ?? '-')]] satisfies typeof columns)
      : []),
    ['host', ({ hostname }) => plain(hostname)],
    [most, ({ vus, connections }) => String(vus ?? connections ?? '-')],
    ['requests', ({ requests, share }) => `${requests} (${(share * 100).toFixed(1)} %)`],
    ['rate', ({ requestRate }) => `${requestRate.toFixed(1)}/s`],
    ['received', ({ transferRate }) => transferRateText(transferRate).replace(' ', '')],
    [
      'clock offset',
      ({ clockOffsetUs, clockUncertaintyUs }) =>
        `${signedDuration(clockOffsetUs)} ± ${formatDuration(clockUncertaintyUs)}`,
    ],
    ['first', ({ firstRequestUs }) => (firstRequestUs === undefined ? '-' : signedDuration(firstRequestUs))],
    ['cores', coresText],
  ];
  const shown = columns.filter(([head]) => !spared.includes(head));
  return {
    head: shown.map(([head]) => head),
    rows: workers.map((worker) => shown.map(([, cell]) => cell(worker))),
    right: shown.flatMap(([head], i) => (TEXTS_OF_WORKERS.includes(head) ? [] : [i])),
  };
}

/** Cores kept busy, of those that there are threads for. */
function coresText({ cpu, threadCpu = cpu, threads }: ReportWorker): string {
  return threadCpu === undefined ? '-' : `${threadCpu.toFixed(2)}/${threads}`;
}

/** @param width of the report in columns: where there is less room there are fewer quantiles */
export function latencyTable(summary: Summary, width = Number.POSITIVE_INFINITY): TableModel {
  const { latency, serviceTime, firstByte, connect, tls, sendLag, loopDelay } = summary;
  // An open loop has two latencies: the heading says what the rows are.
  const [head, first] = serviceTime === undefined ? ['', 'Latency'] : ['Latency', 'from intended'];
  const phases: [string, LatencySummary | undefined][] = [
    [first, latency],
    ['from send', serviceTime],
    ['First byte', firstByte],
    ['Connect', connect],
    ['TLS', tls],
    // The generator's own lateness.
    ['Send lag', sendLag],
    ['Loop delay', loopDelay],
  ];
  const columns = LATENCY_COLUMNS.filter(([, , least]) => width >= least);
  const rows = phases.flatMap(([name, phase]) =>
    phase === undefined ? [] : [[name, ...columns.map(([, field]) => phaseText(phase, field))]],
  );
  return { head: [head, ...columns.map(([name]) => name)], rows, right: columns.map((_, i) => i + 1) };
}

/** What `n<368` in a table means, where there is one. */
export function quantileNotes({ rows }: TableModel): string[] {
  return rows.some((row) => row.some((text) => text.startsWith('n<')))
    ? ['n<N: with fewer than N values even the largest may lie below the quantile']
    : [];
}

function phaseText(phase: LatencySummary, field: (typeof LATENCY_COLUMNS)[number][1]): string {
  return field in FRACTIONS
    ? quantileText(phase[field], FRACTIONS[field as QuantileName], phase.count, short)
    : short(phase[field]);
}

/** Without the space before the unit: eight of these have to fit into eighty columns. */
function short(us: number): string {
  return formatDuration(us).replace(' ', '');
}

/** A row a name, in the scenario's order; undefined where all requests have one name. */
export function requestTable({ requests, summary }: ReportTrial): TableModel | undefined {
  // Those of a script are known when it has made them.
  const named = requests.length > 0 ? requests.map(({ name }) => name) : Object.keys(summary.byRequest ?? {});
  const names = [...new Set(named)];
  if (names.length < 2) return undefined;
  const rows = names.map((name) => [shortened(plain(name)), ...requestCells(summary.byRequest?.[name])]);
  const head = ['By request', 'completed', 'rate', 'mean', 'p50', 'p99', 'errors'];
  return { head, rows, right: [1, 2, 3, 4, 5] };
}

function requestCells(one: RequestSummary | undefined): string[] {
  if (one === undefined) return ['0', '0/s', '', '', '', 'none'];
  const { latency, errors } = one;
  const { mean, p50, p99, count } = latency;
  const times = [
    formatDuration(mean),
    quantileText(p50, FRACTIONS.p50, count, formatDuration),
    quantileText(p99, FRACTIONS.p99, count, formatDuration),
  ].map((time) => (one.requests === 0 ? '' : time));
  const classes = ERROR_CLASSES.filter((name) => errors.byClass[name] !== undefined);
  const failed = classes.map((name) => `${name}: ${errors.byClass[name]}`).join(', ');
  return [String(one.requests), `${one.requestRate.toFixed(2)}/s`, ...times, failed || 'none'];
}

/** The end of a path tells more than its beginning. */
function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `…${name.slice(1 - LONGEST_NAME)}`;
}
