/** A trial while it runs, for progress and nothing else: the last whole second, merged from what has come in. */
import type { TrialPlan } from '../shared/domain/run.ts';
import type { ErrorClass, FirstError } from '../shared/metrics/error-class.ts';
import { Histogram } from '../shared/metrics/histogram.ts';
import { decodeHistogram } from '../shared/metrics/histogram-codec.ts';
import type { Interval } from '../shared/metrics/interval.ts';
import type { LiveNumbers, LiveScript } from '../shared/protocol/run-events.ts';
import type { DnfSpec } from './journal-records.ts';
import { type Judgement, judgeTrial } from './report/judge.ts';
import { judgeScript } from './report/script-trial.ts';

/** Shards report a second within moments of its end; later parts are missing from the live view, not from the report. */
const SECONDS_KEPT = 5;

export class LiveTrial {
  private readonly longestUs: number | undefined;
  private readonly planned: number | undefined;
  /** On the clock that `numbers` is asked by; a coordinator that has come back has another one. */
  startUs: number;
  private readonly dnf: DnfSpec;
  private readonly recent = new Map<number, Interval[]>();
  private readonly scratch = new Histogram();
  private readonly firstErrors: FirstError[] = [];
  private requests = 0;
  private errors = 0;
  private dropped = 0;
  private readonly byClass: Interval['errors'] = {};
  private script: { iterations: number; thrownIterations: number; checksFailed: number } | undefined;

  /** @param longestUs how long the load takes, or may take at most; of a script its own facts tell */
  constructor(
    plan: TrialPlan,
    planned: number | undefined,
    startUs: number,
    dnf: DnfSpec,
    longestUs = plan.load.durationUs,
  ) {
    this.longestUs = longestUs;
    this.planned = planned;
    this.startUs = startUs;
    this.dnf = dnf;
  }

  add(interval: Interval): void {
    this.requests += interval.completed;
    this.errors += interval.failed;
    this.dropped += interval.dropped;
    this.addScript(interval);
    this.firstErrors.push(...interval.firstErrors);
    this.recent.set(interval.second, [...(this.recent.get(interval.second) ?? []), interval]);
    for (const second of this.recent.keys())
      if (second <= interval.second - SECONDS_KEPT) this.recent.delete(second);
  }

  /** Whether what has come in so far counts as a measurement. */
  judge(): Judgement {
    if (this.script !== undefined)
      return judgeScript(
        { completed: this.requests, errors: this.byClass, ...this.script },
        this.firstErrors,
        this.dnf,
      );
    return judgeTrial({ completed: this.requests, failed: this.errors }, this.firstErrors, this.dnf);
  }

  /** @param shards how many are still at work: a second is whole when it is in from all of them */
  numbers(nowUs: number, shards: number): LiveNumbers {
    const elapsedUs = Math.max(0, nowUs - this.startUs);
    const parts = this.recent.get(this.lastWholeSecond(shards)) ?? [];
    this.scratch.reset();
    for (const { phases } of parts)
      if (phases.latency !== undefined) this.scratch.add(decodeHistogram(phases.latency));
    return {
      done: this.share(elapsedUs),
      elapsedUs,
      requestRate: sumOf(parts, 'completed'),
      transferRate: sumOf(parts, 'bytesReceived'),
      ...(this.scratch.count === 0
        ? {}
        : { p50: this.scratch.quantile(0.5), p99: this.scratch.quantile(0.99) }),
      requests: this.requests,
      errors: this.errors,
      ...this.liveScript(parts),
    };
  }

  private addScript({ errors, script }: Interval): void {
    if (script === undefined) return;
    for (const [name, count] of Object.entries(errors) as [ErrorClass, number][])
      this.byClass[name] = (this.byClass[name] ?? 0) + count;
    const { iterations, thrownIterations, checksFailed } = this.script ?? {
      iterations: 0,
      thrownIterations: 0,
      checksFailed: 0,
    };
    const failed = Object.values(script.checks).reduce((sum, { fails }) => sum + fails, 0);
    this.script = {
      iterations: iterations + script.iterations,
      thrownIterations: thrownIterations + script.thrownIterations,
      checksFailed: checksFailed + failed,
    };
  }

  private liveScript(parts: readonly Interval[]): { script?: LiveScript } {
    if (this.script === undefined) return {};
    const sum = (field: 'vus' | 'iterations') =>
      parts.reduce((total, { script }) => total + (script?.[field] ?? 0), 0);
    const { iterations, checksFailed } = this.script;
    return { script: { vus: sum('vus'), iterationRate: sum('iterations'), iterations, checksFailed } };
  }

  private lastWholeSecond(shards: number): number {
    const whole = [...this.recent].filter(([, parts]) => parts.length >= shards);
    return Math.max(-1, ...whole.map(([second]) => second));
  }

  private share(elapsedUs: number): number {
    const ofTime = this.longestUs === undefined ? 0 : elapsedUs / this.longestUs;
    const finished = this.requests + this.errors + this.dropped;
    const ofRequests = this.planned === undefined ? 0 : finished / Math.max(1, this.planned);
    return Math.min(1, Math.max(ofTime, ofRequests));
  }
}

function sumOf(parts: readonly Interval[], field: 'completed' | 'bytesReceived'): number {
  return parts.reduce((sum, part) => sum + part[field], 0);
}
