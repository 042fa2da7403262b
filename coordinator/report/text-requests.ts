/** What a trial sends, for the text format: its requests, and the rows that they are made of. */
import { connectionsOf } from '../../shared/domain/shard.ts';
import { formatDuration } from '../../shared/domain/units.ts';
import { ERROR_CLASSES } from '../../shared/metrics/error-class.ts';
import type { RequestSummary } from '../../shared/metrics/summary.ts';
import type { ReportTrial } from './schema.ts';
import { plain, plural } from './text-line.ts';
import { plainTable } from './text-table.ts';

const LONGEST_NAME = 36;

export function targetText({ requests, target }: ReportTrial): string {
  const [first, ...others] = requests;
  if (others.length === 0) return `${first!.method} ${first!.url} (${target.name})`;
  return `${requests.length} requests at ${target.url} (${target.name})`;
}

/** Undefined where there are no rows. */
export function dataText({ data, load }: ReportTrial): string | undefined {
  if (data === undefined) return undefined;
  const connections = connectionsOf(load);
  const rows = `${plural(data.rows, 'row')} (${data.columns.join(', ')})`;
  if (data.rows >= connections) return rows;
  return `${rows}\nWARNING: fewer than ${connections} connections: the same row is in use by several at a time`;
}

/** A row a name, in the scenario's order; nothing where all requests have one name. */
export function requestLines({ requests, summary }: ReportTrial): string[] {
  const names = [...new Set(requests.map(({ name }) => name))];
  if (names.length < 2) return [];
  const rows = names.map((name) => [shortened(plain(name)), ...cells(summary.byRequest?.[name])]);
  const head = ['By request', 'completed', 'rate', 'mean', 'p50', 'p99', 'errors'];
  return [...plainTable(head, rows, [1, 2, 3, 4, 5], 13), ''];
}

function cells(one: RequestSummary | undefined): string[] {
  if (one === undefined) return ['0', '0/s', '', '', '', 'none'];
  const { latency, errors } = one;
  const times = [latency.mean, latency.p50, latency.p99].map((us) =>
    one.requests === 0 ? '' : formatDuration(us),
  );
  const classes = ERROR_CLASSES.filter((name) => errors.byClass[name] !== undefined);
  const failed = classes.map((name) => `${name}: ${errors.byClass[name]}`).join(', ');
  return [String(one.requests), `${one.requestRate.toFixed(2)}/s`, ...times, failed || 'none'];
}

/** The end of a path tells more than its beginning. */
function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `…${name.slice(1 - LONGEST_NAME)}`;
}
