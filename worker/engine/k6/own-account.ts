/** k6's own account of the load, by its REST API, held against what was streamed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ShardTotals } from '../../../shared/metrics/interval.ts';
import type { K6Metric, RestClient } from './rest-client.ts';
import type { StreamedTotals } from './script-recorder.ts';

/** k6 sums samples up in steps of 50 ms; its account is done when it does not change any more. */
const ACCOUNT_EVERY_MS = 120;
const ACCOUNT_WITHIN_MS = 3_000;
/** Counters that say nothing of the load. */
const NOT_COMPARED = /\{/;

/** k6's sums, when the last samples are in them. */
export async function settledAccount(rest: RestClient): Promise<K6Metric[]> {
  // k6 lists them in any order.
  const counts = (metrics: K6Metric[]): string =>
    metrics
      .flatMap(({ name, type, values }) => (type === 'counter' ? `${name} ${values.count}` : []))
      .sort()
      .join();
  const untilMs = performance.now() + ACCOUNT_WITHIN_MS;
  let metrics = await rest.metrics();
  for (;;) {
    await sleep(ACCOUNT_EVERY_MS);
    const next = await rest.metrics();
    if (counts(next) === counts(metrics) || performance.now() > untilMs) return next;
    metrics = next;
  }
}

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
