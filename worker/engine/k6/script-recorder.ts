/**
 * Samples of k6 → intervals. A sample belongs to the second of its timestamp; what setup() did before the start belongs to
 * the first one, for k6 counts it too. k6 writes several times a second, so a second is handed on when a sample has come
 * that is later than its end by a grace; what comes for it after that goes into an interval of its own.
 */
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';
import type { Interval } from '../../../shared/metrics/interval.ts';
import { errorClassOf, isNetworkError } from './error-class.ts';
import { KNOWN_METRICS, type MetricKind } from './known-metrics.ts';
import { OpenSecond, type ScriptRequest } from './open-second.ts';
import type { SampleTags } from './sample-tags.ts';
import { SeriesIndex } from './series-index.ts';

const SECOND_US = 1_000_000;
/** Batches of k6 are 50 ms apart, and its writes a fifth of a second; the rest is for busy machines. */
export const GRACE_US = 500_000;
/** Names of requests that are told apart. */
const MOST_NAMES = 200;
export const OTHER_NAMES = '(other names)';
/** Messages come from the network; what is kept of one is bounded. */
const MAX_MESSAGE = 300;

export interface ScriptRecorderOptions {
  /** Metrics with tags that somebody asks for. */
  submetrics: readonly string[];
  severalScenarios: boolean;
  onInterval(interval: Interval): void;
  /** Asks for the types of metrics that are not k6's own; `learn` is the answer. Called again until it comes. */
  onUnknown(metrics: readonly string[]): void;
}

/** Counted apart from the intervals, to be held against k6's own account. */
export interface StreamedTotals {
  requests: number;
  /** Those that say whether they failed, for k6's own rate is over them. */
  judged: number;
  /** Network errors that the script does not judge. */
  unjudgedFailures: number;
  /** Sums of counters, by the metric's name. */
  counters: Map<string, number>;
}

export class ScriptRecorder {
  /** Samples that came after their second had been handed on. */
  late = 0;
  readonly totals: StreamedTotals = { requests: 0, judged: 0, unjudgedFailures: 0, counters: new Map() };
  /** When the first request was sent, and when the last sample of the load was made, µs since the start. */
  firstRequestUs = Number.POSITIVE_INFINITY;
  lastSampleUs = 0;
  /** Samples after it are the teardown's. */
  loadEndUs = Number.POSITIVE_INFINITY;
  completed = 0;
  failed = 0;
  readonly series: SeriesIndex;
  private readonly options: ScriptRecorderOptions;
  private readonly kinds = new Map<string, MetricKind>(KNOWN_METRICS);
  private readonly open = new Map<number, OpenSecond>();
  private readonly names = new Set<string>();
  private readonly classesSeen = new Set<ErrorClass>();
  /** From k6's clock to µs since the start. */
  private shiftUs = 0;
  private began = false;
  /** Seconds before it have been handed on. */
  private nextSecond = 0;
  private newestUs = Number.NEGATIVE_INFINITY;
  /** The request whose samples are coming. */
  private request: ScriptRequest | undefined;
  private vus = new Map<number, { vus: number; vusMax: number }>();
  /** As k6 writes them once a second, at any time of it: for seconds at whose end it did not answer. */
  private readonly gaugeOfVus = new Map<number, number>();
  private lastVus = { vus: 0, vusMax: 0 };

  constructor(options: ScriptRecorderOptions) {
    this.options = options;
    this.series = new SeriesIndex(options.submetrics, options.severalScenarios);
  }

  /** How far samples have come, µs since the start. */
  get newest(): number {
    return this.newestUs;
  }

  /** Whether there are more names of requests than are told apart. */
  get namesAreLeftOut(): boolean {
    return this.names.has(OTHER_NAMES);
  }

  /** @param shiftUs to be added to timestamps of k6 to have µs since the trial's start */
  begin(shiftUs: number): void {
    this.began = true;
    this.shiftUs = shiftUs;
  }

  sample(metric: string, timeUs: number, value: number, tags: SampleTags): void {
    const atUs = this.began ? timeUs + this.shiftUs : Number.NEGATIVE_INFINITY;
    const isGaugeOfVus = metric === 'vus' || metric === 'vus_max';
    // Before the start and after the end k6 has VUs too, but they are not the trial's.
    if (isGaugeOfVus && (atUs < 0 || atUs > this.loadEndUs)) return;
    if (metric === 'vus') this.gaugeOfVus.set(Math.floor(atUs / SECOND_US), value);
    if (atUs > this.newestUs) this.newestUs = atUs;
    if (!isGaugeOfVus && atUs > this.lastSampleUs && atUs <= this.loadEndUs) this.lastSampleUs = atUs;
    const second = this.secondAt(atUs);
    if (second.second < this.nextSecond) this.late++;
    const kind = this.kinds.get(metric);
    for (const index of this.series.of(metric, tags))
      second.add(index, metric, kind, value, Math.max(0, atUs));
    // One whose type is not known yet may turn out to be a counter.
    if (kind === undefined || kind.type === 'counter') this.count(metric, value);
    if (this.request !== undefined && !this.completes(metric, value, tags)) this.finishRequest();
    switch (metric) {
      case 'http_reqs':
        this.beginRequest(tags, atUs);
        break;
      case 'http_req_failed':
        this.totals.judged++;
        break;
      case 'checks':
        second.check(`${tags.group}::${tags.check}`, value !== 0);
        break;
      case 'iterations':
        second.iterations += value;
        break;
      case 'dropped_iterations':
        second.droppedIterations += value;
        break;
      case 'data_received':
        second.counts.bytesReceived += value;
        break;
      case 'data_sent':
        second.counts.bytesSent += value;
        break;
    }
  }

  /** VUs at the end of a second, as k6 says when asked. */
  hadVus(second: number, vus: number, vusMax: number): void {
    this.vus.set(second, { vus, vusMax });
  }

  /** An iteration ended in an exception, by k6's log. */
  threw(atUs: number): void {
    if (!this.began) return;
    this.secondAt(atUs).thrownIterations++;
  }

  /** CPU time that k6 took in a second, µs. */
  tookCpu(atUs: number, us: number): void {
    this.secondAt(atUs).counts.threadCpuUs += us;
  }

  learn(kinds: ReadonlyMap<string, MetricKind>): void {
    for (const [metric, kind] of kinds) {
      if (this.kinds.has(metric)) continue;
      this.kinds.set(metric, kind);
    }
  }

  /** Hands on every second that nothing more is expected of. */
  closeSeconds(): void {
    const until = Math.floor((this.newestUs - GRACE_US) / SECOND_US);
    if (until > this.nextSecond) this.closeUntil(until);
  }

  /**
   * Hands on all that is left. Metrics whose type nobody could tell are taken for trends.
   * @returns those metrics
   */
  end(): string[] {
    this.finishRequest();
    const unknown = [...new Set([...this.open.values()].flatMap((second) => second.waiting()))].filter(
      (metric) => !this.kinds.has(metric),
    );
    for (const metric of unknown) this.kinds.set(metric, { type: 'trend', contains: 'default' });
    this.closeUntil(Math.max(-1, ...this.open.keys()) + 1);
    return unknown;
  }

  private closeUntil(until: number): void {
    if (!this.began) return;
    const due = [...this.open.values()].filter(({ second }) => second < until);
    const unknown = due.flatMap((second) => second.waiting()).filter((metric) => !this.kinds.has(metric));
    if (unknown.length > 0) {
      this.options.onUnknown([...new Set(unknown)]);
      return;
    }
    // Seconds in which nothing happened have VUs all the same.
    for (; this.nextSecond < until; this.nextSecond++) this.close(this.secondAt(this.nextSecond * SECOND_US));
    for (const second of due) if (this.open.has(second.second)) this.close(second, true);
  }

  private close(open: OpenSecond, late = false): void {
    const { second } = open;
    this.open.delete(second);
    if (!late) {
      const { vusMax, vus } = this.lastVus;
      this.lastVus = this.vus.get(second) ?? { vusMax, vus: this.gaugeOfVus.get(second) ?? vus };
      this.vus.delete(second);
      this.gaugeOfVus.delete(second);
      open.vus = this.lastVus.vus;
      open.vusMax = this.lastVus.vusMax;
    }
    this.options.onInterval(open.interval(this.series.all, (metric) => this.kinds.get(metric)!));
  }

  private secondAt(atUs: number): OpenSecond {
    const number = atUs > 0 ? Math.floor(atUs / SECOND_US) : 0;
    let second = this.open.get(number);
    if (second === undefined) {
      second = new OpenSecond(number);
      this.open.set(number, second);
    }
    return second;
  }

  private count(metric: string, value: number): void {
    const { counters } = this.totals;
    counters.set(metric, (counters.get(metric) ?? 0) + value);
  }

  private beginRequest(tags: SampleTags, atUs: number): void {
    this.totals.requests++;
    this.request = {
      name: this.nameOf(tags),
      tags,
      atUs,
      durationUs: 0,
      blockedUs: 0,
      connectingUs: 0,
      tlsUs: 0,
      firstByteUs: 0,
    };
  }

  /** A request's samples follow each other, and have the same tags. @returns whether this is one of them */
  private completes(metric: string, ms: number, tags: SampleTags): boolean {
    const request = this.request!;
    if (tags !== request.tags) return false;
    switch (metric) {
      case 'http_req_duration':
        request.durationUs = ms * 1_000;
        return true;
      case 'http_req_blocked':
        request.blockedUs = ms * 1_000;
        return true;
      case 'http_req_connecting':
        request.connectingUs = ms * 1_000;
        return true;
      case 'http_req_tls_handshaking':
        request.tlsUs = ms * 1_000;
        return true;
      case 'http_req_sending':
      case 'http_req_waiting':
        request.firstByteUs += ms * 1_000;
        return true;
      case 'http_req_receiving':
      case 'http_req_failed':
        return true;
      default:
        return false;
    }
  }

  private finishRequest(): void {
    const { request } = this;
    if (request === undefined) return;
    this.request = undefined;
    const { tags, atUs, durationUs, blockedUs } = request;
    if (atUs >= 0) this.firstRequestUs = Math.min(this.firstRequestUs, atUs - durationUs - blockedUs);
    const second = this.secondAt(atUs);
    const errorClass = errorClassOf(tags);
    if (errorClass === undefined) {
      this.completed++;
      second.completed(request);
      return;
    }
    this.failed++;
    second.failed(request, errorClass);
    if (isNetworkError(tags.errorCode) && tags.expected !== false) this.totals.unjudgedFailures++;
    if (this.classesSeen.has(errorClass)) return;
    this.classesSeen.add(errorClass);
    const what = tags.error === '' ? `HTTP ${tags.status}` : tags.error;
    const message = `${what} (${request.name})`.slice(0, MAX_MESSAGE);
    second.firstErrors.push({ class: errorClass, message, atUs: Math.max(0, Math.round(atUs)) });
  }

  private nameOf({ name }: SampleTags): string {
    if (this.names.has(name)) return name;
    const told = this.names.size < MOST_NAMES ? name : OTHER_NAMES;
    this.names.add(told);
    return told;
  }
}
