/**
 * Summary: the numbers of a trial, derived once from its timeline. This is the only place where merged counts are
 * divided (DESIGN rule 2). Times in µs, sizes in bytes, rates a second.
 */
import { ERROR_CLASSES, type ErrorClass, type FirstError } from './error-class.ts';
import type { HistogramSnapshot, Places } from './histogram.ts';
import { compressedV2, decodeV2, encodeV2, plainV2, readPlainV2 } from './histogram-codec.ts';
import { type IntervalCounts, OPTIONAL_PHASES } from './interval.ts';
import { type ScriptSummary, summarizeScript } from './script-summary.ts';
import type { ScriptSecond } from './script-totals.ts';
import { type AskedValue, askedValues } from './script-value.ts';
import { EMPTY_SNAPSHOT, giveBack, quantilesOf, stdevOf, viewOf } from './snapshot.ts';
import { mergedParts, type TimelineBuilder } from './timeline.ts';

/** One phase, µs; all 0 and `histogram` empty when there were no values. */
export interface LatencySummary {
  /** How many values there were: what a quantile can be trusted with. */
  count: number;
  min: number;
  mean: number;
  stdev: number;
  p50: number;
  p75: number;
  p90: number;
  p95: number;
  p99: number;
  p999: number;
  max: number;
  /** HdrHistogram V2 compressed, base64. */
  readonly histogram: string;
}

export interface Summary {
  /** Whole, well-formed replies that met `expect`. */
  requests: number;
  requestRate: number;
  durationUs: number;
  /**
   * `received` and `sent` as they went over the sockets, with TLS its records, alerts and handshakes included;
   * `decrypted` (with TLS only) is what came out of the records: heads and bodies, as a server counts them. k6 does not
   * tell of `body`.
   */
  bytes: { received: number; body?: number; sent: number; decrypted?: number };
  transferRate: { received: number; body?: number; sent: number };
  /** Every whole reply by its code, also those that broke `expect`. */
  status: Record<string, number>;
  errors: { total: number; byClass: Partial<Record<ErrorClass, number>>; first: FirstError[] };
  /** `opened` also by the target's address; `tlsSessionsReused` (with TLS only): handshakes that took up a session. */
  connections: {
    opened: number;
    reused: number;
    byAddress: Record<string, number>;
    tlsSessionsReused?: number;
  };
  latency: LatencySummary;
  serviceTime?: LatencySummary;
  connect?: LatencySummary;
  /** TLS handshakes, of connections. */
  tls?: LatencySummary;
  /** TCP connect and TLS handshake together, of connections. */
  secureConnect?: LatencySummary;
  firstByte?: LatencySummary;
  /** The generator's own lateness: how late it came to arrivals that were due (open loop only), and to timers. */
  sendLag?: LatencySummary;
  loopDelay?: LatencySummary;
  /** By the requests' names, where there is more than one and something finished. */
  byRequest?: Record<string, RequestSummary>;
  /** Of a k6 script. */
  script?: ScriptSummary;
}

/** One request among several; latency as that of the whole. */
export interface RequestSummary {
  requests: number;
  requestRate: number;
  errors: { total: number; byClass: Partial<Record<ErrorClass, number>> };
  latency: LatencySummary;
}

/** One second of the report's timeline; `p50` and `p99` are absent when nothing completed in it. */
export interface TimelineRow {
  second: number;
  requests: number;
  /** Received. */
  bytes: number;
  errors: number;
  p50?: number;
  p99?: number;
  /** Its latencies, HdrHistogram V2 compressed, base64, and their exact maximum; only where they were asked for. */
  histogram?: string;
  max?: number;
  /** Of a k6 script. */
  script?: Omit<ScriptSecond, 'shards'>;
}

/**
 * @param durationUs the measured length of the trial; rounded to whole µs before anything is divided by it, so that
 *   who divides the printed counts by the printed duration gets the printed rates
 * @param asked values of script metrics that a summary does not have anyway
 */
export function summarize(
  timeline: TimelineBuilder,
  durationUs: number,
  asked: readonly AskedValue[] = [],
): Summary {
  const { totals } = timeline;
  const wholeUs = Math.round(durationUs);
  const perSecond = (count: number) => (wholeUs > 0 ? (count * 1e6) / wholeUs : 0);
  const secure = timeline.countOf('tls') > 0;
  const tellsBody = timeline.script.isEmpty;
  const summary: Summary = {
    requests: totals.completed,
    requestRate: perSecond(totals.completed),
    durationUs: wholeUs,
    bytes: {
      received: totals.bytesReceived,
      ...(tellsBody && { body: totals.bytesBody }),
      sent: totals.bytesSent,
      ...(secure && tellsBody && { decrypted: totals.bytesDecrypted }),
    },
    transferRate: {
      received: perSecond(totals.bytesReceived),
      ...(tellsBody && { body: perSecond(totals.bytesBody) }),
      sent: perSecond(totals.bytesSent),
    },
    status: { ...totals.status },
    errors: { total: totals.failed, byClass: errorsByClass(totals), first: [...timeline.firstErrors] },
    connections: {
      opened: totals.connectionsOpened,
      reused: totals.connectionsReused,
      byAddress: { ...totals.byAddress },
      ...(secure && { tlsSessionsReused: totals.tlsSessionsReused }),
    },
    latency: describePhase(timeline.phase('latency')),
  };
  for (const phase of OPTIONAL_PHASES) {
    if (timeline.countOf(phase) > 0) summary[phase] = describePhase(timeline.phase(phase));
  }
  const byRequest = timeline.byRequest.rows().map(({ name, counts, latency }): [string, RequestSummary] => [
    name,
    {
      requests: counts.completed,
      requestRate: perSecond(counts.completed),
      errors: { total: counts.failed, byClass: errorsByClass(counts) },
      latency: describePhase(latency),
    },
  ]);
  if (byRequest.length > 0) summary.byRequest = Object.fromEntries(byRequest);
  if (!timeline.script.isEmpty) {
    summary.script = summarizeScript(timeline.script, wholeUs);
    if (asked.length > 0) summary.script.asked = askedValues(timeline.script, wholeUs, asked);
  }
  return summary;
}

/**
 * The timeline as the report shows it: every second from 0, without gaps. Σ of the rows = the summary's totals.
 * @param histograms with the histogram of each second
 */
export function timelineRows(timeline: TimelineBuilder, histograms = false): TimelineRow[] {
  return Array.from(timeline.rows(), ({ second, counts, latency }) => {
    const row = {
      second,
      requests: counts.completed,
      bytes: counts.bytesReceived,
      errors: counts.failed,
      ...scriptRow(timeline, second),
    };
    if (latency.length === 0) return row;
    const all = mergedParts(latency);
    const quantiles = { p50: all.quantile(0.5), p99: all.quantile(0.99) };
    const histogram = histograms && { histogram: encodeV2(viewOf(all)), max: all.max };
    giveBack(all);
    return { ...row, ...quantiles, ...histogram };
  });
}

function scriptRow({ script }: TimelineBuilder, second: number): Pick<TimelineRow, 'script'> {
  const row = script.at(second);
  if (row === undefined) return {};
  const { shards: _shards, ...counts } = row;
  return { script: counts };
}

const NAMED_QUANTILES = [
  [0.5, 'p50'],
  [0.75, 'p75'],
  [0.9, 'p90'],
  [0.95, 'p95'],
  [0.99, 'p99'],
  [0.999, 'p999'],
] as const;
const NAMED_FRACTIONS = NAMED_QUANTILES.map(([fraction]) => fraction);

/**
 * Of the phases that were described here: the places, so that reading them does not begin with their text, and the
 * quantiles that were asked for, which tables and thresholds ask for again.
 */
interface AtRest {
  plain: Buffer;
  quantiles: Map<number, number> | undefined;
}

/** Not shown by whoever goes through a summary's keys. */
const AT_REST: unique symbol = Symbol('at rest');
type Described = LatencySummary & { readonly [AT_REST]?: AtRest };

export function describePhase(snapshot: HistogramSnapshot): LatencySummary {
  const { count, min, max, sum } = snapshot;
  const [p50 = 0, p75 = 0, p90 = 0, p95 = 0, p99 = 0, p999 = 0] = quantilesOf(snapshot, NAMED_FRACTIONS);
  const mean = count === 0 ? 0 : sum / count;
  const stdev = stdevOf(snapshot);
  const values = { count, min, mean, stdev, p50, p75, p90, p95, p99, p999, max };
  return count === 0 ? { ...values, histogram: '' } : withPlaces(values, plainV2(snapshot));
}

function withPlaces(values: Omit<LatencySummary, 'histogram'>, plain: Buffer): LatencySummary {
  const atRest: AtRest = { plain, quantiles: undefined };
  Object.defineProperty(values, AT_REST, { value: atRest });
  return Object.defineProperty(values, 'histogram', COMPRESSED_WHEN_ASKED) as LatencySummary;
}

/**
 * To compress it takes longer than all the rest of a report, and most formats never print it. One getter for all:
 * with one each, all would be of different shapes, and slow to read.
 */
const COMPRESSED_WHEN_ASKED: PropertyDescriptor = {
  enumerable: true,
  configurable: true,
  get(this: Described) {
    return compressedV2(this[AT_REST]!.plain);
  },
};

/** Any quantile of a phase, from its histogram, µs; 0 when there were no values. */
export function quantileOf(phase: LatencySummary, fraction: number): number {
  if (phase.count === 0) return 0;
  const named = NAMED_QUANTILES.find(([known]) => known === fraction);
  if (named !== undefined) return phase[named[1]];
  const resting = (phase as Described)[AT_REST];
  const known = resting?.quantiles?.get(fraction);
  if (known !== undefined) return known;
  const value = quantilesOf(snapshotIn(phase), [fraction])[0]!;
  if (resting !== undefined) {
    resting.quantiles ??= new Map();
    resting.quantiles.set(fraction, value);
  }
  return value;
}

/**
 * A phase as a histogram; its sum is that of the mean, and may be off by a rounding. Valid as `placesIn` is.
 */
export function snapshotIn(phase: LatencySummary): HistogramSnapshot {
  const { count, min, max, mean } = phase;
  return count === 0 ? EMPTY_SNAPSHOT : { ...placesIn(phase), count, min, max, sum: mean * count };
}

/** The used places of a phase's histogram, and their counts: to be read at once, before the next phase is. */
export function placesIn(phase: LatencySummary): Places {
  const resting = (phase as Described)[AT_REST];
  return resting === undefined ? decodeV2(phase.histogram) : readPlainV2(resting.plain);
}

/** In the order of the list of classes, so that the order of arrival does not show. */
function errorsByClass(totals: Pick<IntervalCounts, 'errors'>): Partial<Record<ErrorClass, number>> {
  const byClass: Partial<Record<ErrorClass, number>> = {};
  for (const name of ERROR_CLASSES) {
    const count = totals.errors[name];
    if (count !== undefined && count > 0) byClass[name] = count;
  }
  return byClass;
}
