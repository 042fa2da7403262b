/** The intervals of a shard's threads, merged second by second into the shard's own. */

import { Histogram, type HistogramSnapshot } from '../shared/metrics/histogram.ts';
import { type EncodedHistogram, encodeHistogram } from '../shared/metrics/histogram-codec.ts';
import {
  addCounts,
  addRequestCounts,
  emptyCounts,
  type Interval,
  mergeFirstErrors,
  PHASES,
  type RequestInterval,
} from '../shared/metrics/interval.ts';
import type { ThreadInterval } from './recorder.ts';
import type { ThreadRequestInterval } from './request-recorder.ts';

export class IntervalMerger {
  private readonly onInterval: (interval: Interval) => void;
  /** The next second that each thread will hand in; infinite when it has ended. */
  private readonly nextSecond: number[];
  private readonly pending = new Map<number, ThreadInterval[]>();
  /** Reused for every merge: a dense histogram is large. */
  private readonly scratch = new Histogram();
  private emitted = 0;

  constructor(threads: number, onInterval: (interval: Interval) => void) {
    this.nextSecond = new Array<number>(threads).fill(0);
    this.onInterval = onInterval;
  }

  /** Threads hand in their seconds in order. */
  add(thread: number, interval: ThreadInterval): void {
    const { second } = interval;
    this.pending.set(second, [...(this.pending.get(second) ?? []), interval]);
    this.nextSecond[thread] = second + 1;
    this.emitComplete();
  }

  end(thread: number): void {
    this.nextSecond[thread] = Number.POSITIVE_INFINITY;
    this.emitComplete();
  }

  private emitComplete(): void {
    const complete = Math.min(...this.nextSecond);
    for (let second = this.emitted; second < complete && this.pending.size > 0; second++) {
      const parts = this.pending.get(second);
      this.pending.delete(second);
      this.emitted = second + 1;
      if (parts !== undefined) this.onInterval(this.merge(second, parts));
    }
  }

  private merge(second: number, parts: ThreadInterval[]): Interval {
    const merged: Interval = { second, ...emptyCounts(), inFlight: 0, phases: {}, firstErrors: [] };
    for (const part of parts) {
      addCounts(merged, part);
      merged.inFlight += part.inFlight;
      merged.firstErrors = mergeFirstErrors(merged.firstErrors, part.firstErrors);
    }
    const byRequest = this.mergeByRequest(parts);
    if (byRequest !== undefined) merged.byRequest = byRequest;
    for (const phase of PHASES) {
      const encoded = this.mergeHistograms(parts.map(({ phases }) => phases[phase]));
      if (encoded !== undefined) merged.phases[phase] = encoded;
    }
    return merged;
  }

  private mergeByRequest(parts: ThreadInterval[]): Interval['byRequest'] {
    const byName = new Map<string, ThreadRequestInterval[]>();
    for (const { byRequest = {} } of parts) {
      for (const [name, part] of Object.entries(byRequest))
        byName.set(name, [...(byName.get(name) ?? []), part]);
    }
    if (byName.size === 0) return undefined;
    const merged = Array.from(byName, ([name, all]): [string, RequestInterval] => {
      const whole: RequestInterval = { completed: 0, failed: 0, errors: {} };
      for (const part of all) addRequestCounts(whole, part);
      const latency = this.mergeHistograms(all.map((part) => part.latency));
      return [name, latency === undefined ? whole : { ...whole, latency }];
    });
    return Object.fromEntries(merged);
  }

  private mergeHistograms(parts: readonly (HistogramSnapshot | undefined)[]): EncodedHistogram | undefined {
    this.scratch.reset();
    for (const part of parts) if (part !== undefined) this.scratch.add(part);
    return this.scratch.count === 0 ? undefined : encodeHistogram(this.scratch.snapshot());
  }
}
