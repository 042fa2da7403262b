/** The intervals of a shard's threads, merged second by second into the shard's own. */

import { Histogram } from '../shared/metrics/histogram.ts';
import { encodeHistogram } from '../shared/metrics/histogram-codec.ts';
import {
  addCounts,
  emptyCounts,
  type Interval,
  mergeFirstErrors,
  PHASES,
} from '../shared/metrics/interval.ts';
import type { ThreadInterval } from './recorder.ts';

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
    for (const phase of PHASES) {
      this.scratch.reset();
      for (const part of parts) if (part.phases[phase] !== undefined) this.scratch.add(part.phases[phase]);
      if (this.scratch.count > 0) merged.phases[phase] = encodeHistogram(this.scratch.snapshot());
    }
    return merged;
  }
}
