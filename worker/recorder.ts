/**
 * Sample → Interval, inside a load thread. Recording is a few additions into typed arrays; once a second what has
 * gathered is handed on and the arrays start again from zero.
 */
import type { ErrorClass, FirstError } from '../shared/metrics/error-class.ts';
import { Histogram, type HistogramSnapshot } from '../shared/metrics/histogram.ts';
import {
  emptyCounts,
  type Interval,
  type IntervalCounts,
  type Phase,
  type ThreadLoad,
} from '../shared/metrics/interval.ts';
import type { SampleSink } from './engine/engine.ts';
import type { ScheduleSink } from './executor/executor.ts';
import { RequestRecorder, type ThreadRequestInterval } from './request-recorder.ts';
import { ThreadLoadSum, type ThreadTimes, threadTimes } from './thread-load.ts';

/** One thread's share of an interval: as an Interval, its histograms not yet encoded. */
export type ThreadInterval = Omit<Interval, 'phases' | 'byRequest'> & {
  phases: Partial<Record<Phase, HistogramSnapshot>>;
  byRequest?: Record<string, ThreadRequestInterval>;
};

export interface RecorderOptions {
  /** Whether latency counts from the intended start, and the service time is kept beside it. */
  openLoop: boolean;
  /** In the engine's order. */
  requestNames: readonly string[];
  onInterval(interval: ThreadInterval): void;
}

const SECOND_US = 1_000_000;
/** Messages come from the network; what is kept of one is bounded. */
const MAX_MESSAGE = 300;

export class Recorder implements SampleSink, ScheduleSink {
  private readonly openLoop: boolean;
  private readonly onInterval: (interval: ThreadInterval) => void;
  private startUs = Number.POSITIVE_INFINITY;
  private second = 0;
  private secondEndsUs = Number.POSITIVE_INFINITY;

  private counts: IntervalCounts = emptyCounts();
  private readonly statusCounts = new Uint32Array(1000);
  private readonly statusSeen: number[] = [];
  private readonly latency = new Histogram();
  private readonly serviceTime = new Histogram();
  private readonly connect = new Histogram();
  private readonly tls = new Histogram();
  private readonly secureConnect = new Histogram();
  private readonly firstByte = new Histogram();
  private readonly sendLag = new Histogram();
  private readonly loopDelay = new Histogram();
  /** Of this thread when the second began. */
  private times: ThreadTimes | undefined;
  private load = new ThreadLoadSum();
  /** Only where there is something to split by. */
  private readonly byRequest: RequestRecorder | null;
  private firstErrors: FirstError[] = [];
  private readonly classesSeen = new Set<ErrorClass>();

  /** Over the whole load. */
  private totals = { started: 0, completed: 0, failed: 0, dropped: 0 };
  /** When the first request was sent, µs on the thread's clock. */
  private firstSentUs = Number.POSITIVE_INFINITY;

  constructor({ openLoop, requestNames, onInterval }: RecorderOptions) {
    this.openLoop = openLoop;
    this.onInterval = onInterval;
    this.byRequest = new Set(requestNames).size > 1 ? new RequestRecorder(requestNames) : null;
  }

  /** Fixes the start instant and forgets all that was seen before it: the warm-up is never in the numbers. */
  begin(startUs: number): void {
    this.takeSecond();
    this.load = new ThreadLoadSum();
    this.totals = { started: 0, completed: 0, failed: 0, dropped: 0 };
    this.firstSentUs = Number.POSITIVE_INFINITY;
    this.classesSeen.clear();
    this.second = 0;
    this.startUs = startUs;
    this.secondEndsUs = startUs + SECOND_US;
  }

  /** Hands on every second that is over at `nowUs`; called by samples, and by a timer when none come. */
  closeSecondsUntil(nowUs: number): void {
    while (nowUs >= this.secondEndsUs) this.closeSecond();
  }

  /**
   * Hands on the last, unfinished second, unless nothing happened in it. The totals that it returns are counted apart
   * from the intervals.
   */
  end(): { started: number; completed: number; failed: number; dropped: number; firstRequestUs?: number } {
    const { started, completed, failed, dropped, bytesReceived } = this.counts;
    if (started + completed + failed + dropped + bytesReceived > 0) this.closeSecond();
    this.secondEndsUs = Number.POSITIVE_INFINITY;
    const { startUs, firstSentUs, totals } = this;
    return { ...totals, ...(Number.isFinite(firstSentUs) ? { firstRequestUs: firstSentUs - startUs } : {}) };
  }

  /** Over the whole load; undefined where the system does not tell, and for less than a second. */
  get threadLoad(): ThreadLoad | undefined {
    return this.load.total;
  }

  started(_request: number, sentUs: number, reused: boolean): void {
    if (sentUs < this.firstSentUs) this.firstSentUs = sentUs;
    this.counts.started++;
    this.totals.started++;
    if (reused) this.counts.connectionsReused++;
  }

  completed(
    request: number,
    status: number,
    intendedUs: number,
    sentUs: number,
    firstByteUs: number,
    endUs: number,
  ): void {
    if (endUs >= this.secondEndsUs) this.closeSecondsUntil(endUs);
    this.counts.completed++;
    this.totals.completed++;
    this.countStatus(status);
    if (this.openLoop) {
      this.latency.record(endUs - intendedUs);
      this.serviceTime.record(endUs - sentUs);
    } else {
      this.latency.record(endUs - sentUs);
    }
    this.firstByte.record(firstByteUs - sentUs);
    if (this.byRequest !== null) {
      this.byRequest.completed(request, endUs - (this.openLoop ? intendedUs : sentUs));
    }
  }

  failed(request: number, errorClass: ErrorClass, message: string, atUs: number, status?: number): void {
    if (atUs >= this.secondEndsUs) this.closeSecondsUntil(atUs);
    this.counts.failed++;
    this.totals.failed++;
    this.counts.errors[errorClass] = (this.counts.errors[errorClass] ?? 0) + 1;
    this.byRequest?.failed(request, errorClass);
    if (status !== undefined) this.countStatus(status);
    if (this.classesSeen.has(errorClass)) return;
    this.classesSeen.add(errorClass);
    const atTrialUs = Math.round(atUs - this.startUs);
    this.firstErrors.push({ class: errorClass, message: message.slice(0, MAX_MESSAGE), atUs: atTrialUs });
  }

  dropped(count: number): void {
    this.counts.dropped += count;
    this.totals.dropped += count;
  }

  late(us: number): void {
    this.sendLag.record(us);
  }

  loopDelayed(us: number): void {
    this.loopDelay.record(us);
  }

  received(bytes: number): void {
    this.counts.bytesReceived += bytes;
  }

  body(bytes: number): void {
    this.counts.bytesBody += bytes;
  }

  sent(bytes: number): void {
    this.counts.bytesSent += bytes;
  }

  decrypted(bytes: number): void {
    this.counts.bytesDecrypted += bytes;
  }

  connected(connectUs: number, address: string): void {
    const { byAddress } = this.counts;
    this.counts.connectionsOpened++;
    byAddress[address] = (byAddress[address] ?? 0) + 1;
    this.connect.record(connectUs);
  }

  secured(handshakeUs: number, connectedUs: number, resumed: boolean): void {
    if (resumed) this.counts.tlsSessionsReused++;
    this.tls.record(handshakeUs);
    this.secureConnect.record(connectedUs);
  }

  private countStatus(status: number): void {
    if (this.statusCounts[status]!++ === 0) this.statusSeen.push(status);
  }

  private closeSecond(): void {
    this.onInterval(this.takeSecond());
    this.second++;
    this.secondEndsUs += SECOND_US;
  }

  /** What has gathered since the last call; everything starts again from zero. */
  private takeSecond(): ThreadInterval {
    for (const status of this.statusSeen) {
      this.counts.status[status] = this.statusCounts[status]!;
      this.statusCounts[status] = 0;
    }
    this.statusSeen.length = 0;
    const phases: ThreadInterval['phases'] = {};
    this.handOver(phases, 'latency', this.latency);
    this.handOver(phases, 'serviceTime', this.serviceTime);
    this.handOver(phases, 'connect', this.connect);
    this.handOver(phases, 'tls', this.tls);
    this.handOver(phases, 'secureConnect', this.secureConnect);
    this.handOver(phases, 'firstByte', this.firstByte);
    this.handOver(phases, 'sendLag', this.sendLag);
    this.handOver(phases, 'loopDelay', this.loopDelay);
    this.counts.threadCpuUs = this.takeCpu();
    const { started, completed, failed } = this.totals;
    const { counts, firstErrors, second } = this;
    this.counts = emptyCounts();
    this.firstErrors = [];
    const byRequest = this.byRequest?.take();
    const inFlight = started - completed - failed;
    return { second, ...counts, inFlight, phases, firstErrors, ...(byRequest && { byRequest }) };
  }

  private takeCpu(): number {
    const before = this.times;
    const now = threadTimes();
    this.times = now;
    if (before === undefined || now === undefined) return 0;
    this.load.add(before, now);
    return Math.max(0, Math.round(now.cpuUs - before.cpuUs));
  }

  private handOver(phases: ThreadInterval['phases'], phase: Phase, histogram: Histogram): void {
    if (histogram.count === 0) return;
    phases[phase] = histogram.snapshot();
    histogram.reset();
  }
}
