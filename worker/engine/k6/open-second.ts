/** One second of a script that is still open: what has come of it so far. */
import type { ErrorClass, FirstError } from '../../../shared/metrics/error-class.ts';
import { encodeHistogram } from '../../../shared/metrics/histogram-codec.ts';
import {
  emptyCounts,
  type Interval,
  type Phase,
  type RequestCounts,
  type RequestInterval,
} from '../../../shared/metrics/interval.ts';
import type { CheckCounts, MetricPart } from '../../../shared/metrics/script-interval.ts';
import type { MetricKind } from './known-metrics.ts';
import { type MetricSum, metricSum, WaitingSum } from './metric-sums.ts';
import type { SampleTags } from './sample-tags.ts';
import { SparseHistogram } from './sparse-histogram.ts';

/** A request as its samples tell of it; times in µs. */
export interface ScriptRequest {
  name: string;
  tags: SampleTags;
  /** Its end, since the trial's start. */
  atUs: number;
  durationUs: number;
  /** Until its connection was there. */
  blockedUs: number;
  connectingUs: number;
  tlsUs: number;
  firstByteUs: number;
}

/** What a metric's samples, all of them or those with some tags, count as. */
export interface Series {
  metric: string;
  /** `http_req_duration{name:login}`. */
  name: string;
}

type NamedPhase = Extract<Phase, 'latency' | 'connect' | 'tls' | 'firstByte'>;

export class OpenSecond {
  readonly second: number;
  readonly counts = emptyCounts();
  readonly firstErrors: FirstError[] = [];
  iterations = 0;
  thrownIterations = 0;
  droppedIterations = 0;
  vus = 0;
  vusMax = 0;
  private readonly checks = new Map<string, CheckCounts>();
  private readonly phases = new Map<NamedPhase, SparseHistogram>();
  private readonly byName = new Map<string, RequestCounts & { latency: SparseHistogram }>();
  /** By the index of the series. */
  private readonly sums: (MetricSum | WaitingSum | undefined)[] = [];

  constructor(second: number) {
    this.second = second;
  }

  completed(request: ScriptRequest): void {
    const { counts } = this;
    this.request(request);
    counts.completed++;
    const named = this.named(request.name);
    named.completed++;
    named.latency.record(request.durationUs);
    this.phase('latency').record(request.durationUs);
    this.phase('firstByte').record(request.firstByteUs);
  }

  failed(request: ScriptRequest, errorClass: ErrorClass): void {
    this.request(request);
    for (const counts of [this.counts, this.named(request.name)]) {
      counts.failed++;
      counts.errors[errorClass] = (counts.errors[errorClass] ?? 0) + 1;
    }
  }

  check(key: string, passed: boolean): void {
    let counts = this.checks.get(key);
    if (counts === undefined) {
      counts = { passes: 0, fails: 0 };
      this.checks.set(key, counts);
    }
    if (passed) counts.passes++;
    else counts.fails++;
  }

  /** @param kind undefined while nobody knows it */
  add(index: number, metric: string, kind: MetricKind | undefined, value: number, atUs: number): void {
    let sum = this.sums[index];
    if (sum === undefined) {
      sum = kind === undefined ? new WaitingSum(metric) : metricSum(kind);
      this.sums[index] = sum;
    }
    sum.add(value, atUs);
  }

  /** Metrics whose type has to be known before this second can be handed on. */
  waiting(): string[] {
    return this.sums.flatMap((sum) => (sum instanceof WaitingSum ? sum.metric : []));
  }

  /** @param kindOf of a metric that was waiting */
  interval(series: readonly Series[], kindOf: (metric: string) => MetricKind): Interval {
    const metrics: Record<string, MetricPart> = {};
    this.sums.forEach((sum, i) => {
      if (sum === undefined) return;
      const known = sum instanceof WaitingSum ? sum.as(kindOf(sum.metric)) : sum;
      metrics[series[i]!.name] = known.part();
    });
    const phases: Interval['phases'] = {};
    for (const [phase, histogram] of this.phases) phases[phase] = encodeHistogram(histogram.snapshot());
    const { second, counts, firstErrors, iterations, thrownIterations, droppedIterations, vus, vusMax } =
      this;
    const checks = Object.fromEntries(this.checks);
    return {
      second,
      ...counts,
      // A request that k6 has begun is told of when it is over.
      inFlight: 0,
      phases,
      firstErrors,
      ...(this.byName.size > 0 && { byRequest: this.byRequest() }),
      script: { iterations, thrownIterations, droppedIterations, vus, vusMax, checks, metrics },
    };
  }

  private request({ tags, connectingUs, tlsUs }: ScriptRequest): void {
    const { counts } = this;
    counts.started++;
    if (tags.status > 0) counts.status[tags.status] = (counts.status[tags.status] ?? 0) + 1;
    if (connectingUs > 0) {
      counts.connectionsOpened++;
      this.phase('connect').record(connectingUs);
    } else if (tags.status > 0) counts.connectionsReused++;
    if (tlsUs > 0) this.phase('tls').record(tlsUs);
  }

  private named(name: string): RequestCounts & { latency: SparseHistogram } {
    let named = this.byName.get(name);
    if (named === undefined) {
      named = { completed: 0, failed: 0, errors: {}, latency: new SparseHistogram() };
      this.byName.set(name, named);
    }
    return named;
  }

  private phase(phase: NamedPhase): SparseHistogram {
    let histogram = this.phases.get(phase);
    if (histogram === undefined) {
      histogram = new SparseHistogram();
      this.phases.set(phase, histogram);
    }
    return histogram;
  }

  private byRequest(): Record<string, RequestInterval> {
    return Object.fromEntries(
      Array.from(this.byName, ([name, { latency, ...counts }]): [string, RequestInterval] => [
        name,
        latency.count === 0 ? counts : { ...counts, latency: encodeHistogram(latency.snapshot()) },
      ]),
    );
  }
}
