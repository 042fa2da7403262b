/**
 * The columns of `csv` and `tsv`. A number that was not measured is an empty field, never a 0; so is a quantile that
 * its sample is too small to know.
 */
import type { Scalar } from '../../shared/domain/run.ts';
import { connectionsOf } from '../../shared/domain/shard.ts';
import { ERROR_CLASSES, type ErrorClass } from '../../shared/metrics/error-class.ts';
import type { MetricSummary, ScriptSummary } from '../../shared/metrics/script-summary.ts';
import type { LatencySummary } from '../../shared/metrics/summary.ts';
import { hostColumns } from './hosts/host-columns.ts';
import { FRACTIONS, isSupported, type QuantileName } from './quantile-limits.ts';
import type { ReportRun, ReportTrial } from './schema.ts';
import { plain } from './text-line.ts';

export interface CsvColumn {
  head: string;
  value: (trial: ReportTrial, run: ReportRun) => string | number | undefined;
}

type Phase = 'latency' | 'serviceTime' | 'connect' | 'tls' | 'firstByte';

const PHASES: [head: string, phase: Phase][] = [
  ['latency', 'latency'],
  ['service_time', 'serviceTime'],
  ['first_byte', 'firstByte'],
  ['connect', 'connect'],
  ['tls', 'tls'],
];
type PhaseField = Exclude<keyof LatencySummary, 'histogram'>;

const FIELDS: PhaseField[] = [
  'count',
  'min',
  'mean',
  'stdev',
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
  'p999',
  'max',
];

/** Which trial it is, and of what load. */
export function trialColumns(trials: readonly ReportTrial[]): CsvColumn[] {
  const axes = [...new Set(trials.flatMap(({ cell }) => Object.keys(cell)))];
  return [
    { head: 'run_id', value: (_, run) => run.id },
    { head: 'run_name', value: (_, run) => plain(run.name) },
    { head: 'trial', value: ({ index }) => index },
    { head: 'started_at', value: ({ startedAt }) => startedAt },
    ...axes.map(axisColumn),
    { head: 'round', value: ({ round }) => round },
    { head: 'state', value: ({ state }) => state },
    { head: 'reason', value: (trial) => text(trial.dnf?.reason ?? trial.reason) },
    { head: 'target', value: ({ target }) => plain(target.name) },
    { head: 'target_url', value: ({ target }) => plain(target.url) },
    { head: 'executor', value: ({ load }) => load.executor },
    { head: 'connections', value: ({ load }) => connectionsOf(load) },
    { head: 'workers', value: ({ workers }) => workers.length },
    { head: 'duration_us', value: ({ summary }) => summary.durationUs },
  ];
}

/** The same for every run, but for the axes, and the status codes that occurred. */
export function csvColumns(trials: readonly ReportTrial[]): CsvColumn[] {
  const codes = [...new Set(trials.flatMap(({ summary }) => Object.keys(summary.status)))].sort();
  return [
    ...trialColumns(trials),
    ...scriptColumns(trials),
    { head: 'requests_completed', value: ({ summary }) => summary.requests },
    { head: 'requests_failed', value: ({ summary }) => summary.errors.total },
    { head: 'request_rate_per_s', value: ({ summary }) => summary.requestRate },
    { head: 'received_bytes', value: ({ summary }) => summary.bytes.received },
    { head: 'received_bytes_per_s', value: ({ summary }) => summary.transferRate.received },
    { head: 'body_bytes', value: ({ summary }) => summary.bytes.body },
    { head: 'body_bytes_per_s', value: ({ summary }) => summary.transferRate.body },
    { head: 'sent_bytes', value: ({ summary }) => summary.bytes.sent },
    { head: 'sent_bytes_per_s', value: ({ summary }) => summary.transferRate.sent },
    { head: 'decrypted_bytes', value: ({ summary }) => summary.bytes.decrypted },
    ...PHASES.flatMap(([head, phase]) =>
      phaseFields(head).map(([head, name]) => ({
        head,
        value: ({ summary }: ReportTrial) => fieldOf(summary[phase], name),
      })),
    ),
    ...codes.map((code) => ({
      head: `status_${code}`,
      value: ({ summary }: ReportTrial) => summary.status[code] ?? 0,
    })),
    ...ERROR_CLASSES.map((name) => ({
      head: errorHead(name),
      value: ({ summary }: ReportTrial) => summary.errors.byClass[name] ?? 0,
    })),
    { head: 'connections_opened', value: ({ summary }) => summary.connections.opened },
    { head: 'requests_on_reused_connections', value: ({ summary }) => summary.connections.reused },
    { head: 'tls_sessions_reused', value: ({ summary }) => summary.connections.tlsSessionsReused },
    { head: 'ledger_planned', value: ({ ledger }) => ledger.planned },
    { head: 'ledger_started', value: ({ ledger }) => ledger.started },
    { head: 'ledger_in_flight', value: ({ ledger }) => ledger.inFlight },
    { head: 'ledger_dropped', value: ({ ledger }) => ledger.dropped },
    { head: 'ledger_lost', value: ({ ledger }) => ledger.lost },
    { head: 'ledger_balanced', value: ({ ledger }) => (ledger.balanced ? 'yes' : 'no') },
    { head: 'limit', value: ({ verdict }) => verdict.limit },
    { head: 'first_request_spread_us', value: ({ start }) => start.firstRequestSpreadUs },
    { head: 'clock_uncertainty_us', value: ({ start }) => start.clockUncertaintyUs },
    ...hostColumns(trials),
  ];
}

/** Heading and field of everything that is known of a phase. */
export function phaseFields(phase: string): [head: string, name: PhaseField][] {
  return FIELDS.map((name) => [name === 'count' ? `${phase}_count` : `${phase}_${name}_us`, name]);
}

export function errorHead(name: ErrorClass): string {
  return `errors_${name.replaceAll('-', '_')}`;
}

/** A prefix, because an axis may have any name: `connections` too. */
function axisColumn(axis: string): CsvColumn {
  return { head: `cell.${plain(axis)}`, value: ({ cell }) => axisField(cell[axis]) };
}

/** Numbers as numbers, all else as text. */
export function axisField(value: Scalar | undefined): string | number | undefined {
  return value === undefined || typeof value === 'number' ? value : plain(String(value));
}

export function fieldOf(phase: LatencySummary | undefined, name: PhaseField): number | undefined {
  if (phase === undefined || (phase.count === 0 && name !== 'count')) return undefined;
  return name in FRACTIONS && !isSupported(phase.count, name as QuantileName) ? undefined : phase[name];
}

function text(value: string | undefined): string | undefined {
  return value === undefined ? undefined : plain(value);
}

/** Only where there is a script: others have no use for them. Metrics in k6's own units, which `ms` and `bytes` name. */
function scriptColumns(trials: readonly ReportTrial[]): CsvColumn[] {
  const scripts = trials.flatMap(({ summary }) => summary.script ?? []);
  if (scripts.length === 0) return [];
  const metrics = new Map(scripts.flatMap(({ metrics }) => Object.entries(metrics)));
  const counted = (of: (script: ScriptSummary) => number | undefined) => (trial: ReportTrial) =>
    trial.summary.script === undefined ? undefined : of(trial.summary.script);
  const checks = (field: 'passes' | 'fails') =>
    counted(({ checks }) => checks.reduce((sum, check) => sum + check[field], 0));
  return [
    { head: 'script', value: ({ script }) => (script === undefined ? undefined : plain(script.name)) },
    { head: 'vus_max', value: counted(({ vus }) => vus.max) },
    { head: 'iterations', value: counted(({ iterations }) => iterations) },
    { head: 'iterations_per_s', value: counted(({ iterationRate }) => iterationRate) },
    { head: 'iterations_thrown', value: counted(({ thrownIterations }) => thrownIterations) },
    { head: 'iterations_dropped', value: counted(({ droppedIterations }) => droppedIterations) },
    { head: 'checks_passed', value: checks('passes') },
    { head: 'checks_failed', value: checks('fails') },
    ...[...metrics]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, metric]) => metricColumns(name, metric)),
  ];
}

const UNIT_SUFFIX = { default: '', time: '_ms', data: '_bytes' } as const;

function metricColumns(name: string, { type, contains }: MetricSummary): CsvColumn[] {
  const fields = {
    counter: ['count', 'rate'],
    gauge: ['value', 'min', 'max'],
    rate: ['passes', 'fails', 'rate'],
    trend: ['count', 'min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'],
  }[type];
  return fields.map((field) => ({
    head: `metric.${plain(name)}.${field}${field === 'count' && type === 'trend' ? '' : UNIT_SUFFIX[contains]}`,
    value: ({ summary }) => {
      const metric = summary.script?.metrics[name];
      return metric === undefined ? undefined : (metric as unknown as Record<string, number>)[field];
    },
  }));
}
