/** k6's own account of the load, by its REST API, held against what was streamed. */
import type { ShardTotals } from '../../../shared/metrics/interval.ts';
import type { K6Metric } from './rest-client.ts';
import type { StreamedTotals } from './script-recorder.ts';

/** Counters that say nothing of the load. */
const NOT_COMPARED = /\{/;

/** Requests as k6 has counted them; undefined when it has made none. */
export function totalsOf(metrics: readonly K6Metric[], streamed: StreamedTotals): ShardTotals {
  const value = (name: string, of: string): number =>
    metrics.find((metric) => metric.name === name)?.values[of] ?? 0;
  const started = value('http_reqs', 'count');
  // k6 tells the share of the requests that failed, not how many they are.
  const failed = Math.round(value('http_req_failed', 'rate') * streamed.judged) + streamed.unjudgedFailures;
  return { started, completed: started - failed, failed, dropped: 0, inFlight: 0 };
}

/** What was streamed, where k6 could not be asked any more: it checks nothing, and the reader is told. */
export function streamedTotals(completed: number, failed: number): ShardTotals {
  return { started: completed + failed, completed, failed, dropped: 0, inFlight: 0 };
}

/** Every counter in which the two differ, as sentences. */
export function differences(metrics: readonly K6Metric[], streamed: StreamedTotals): string[] {
  return metrics.flatMap(({ name, type, values }) => {
    if (type !== 'counter' || NOT_COMPARED.test(name)) return [];
    const own = values.count ?? 0;
    const ours = streamed.counters.get(name) ?? 0;
    // Six decimals are written of each sample.
    const tolerance = Number.isInteger(own) ? 0 : 1e-6 * Math.max(1, Math.abs(own));
    return Math.abs(own - ours) <= tolerance ? [] : [`k6 counted ${own} ${name}, its output sums to ${ours}`];
  });
}
