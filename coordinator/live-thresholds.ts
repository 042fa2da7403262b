/** Thresholds with `abort: true`, judged while the trial runs: after each second that is in from everybody. */
import type { ThresholdSpec } from '../shared/domain/scenario.ts';
import { parseThreshold, type Threshold } from '../shared/domain/threshold-expression.ts';
import type { Interval } from '../shared/metrics/interval.ts';
import { summarize } from '../shared/metrics/summary.ts';
import { evaluateThreshold } from '../shared/metrics/threshold.ts';
import { TimelineBuilder } from '../shared/metrics/timeline.ts';
import { likeOf } from './report/measure.ts';

interface Part {
  shard: string;
  seq: number;
  interval: Interval;
}

export class LiveThresholds {
  private readonly aborting: (ThresholdSpec & { threshold: Threshold })[];
  private readonly requestNames: readonly string[];
  private readonly timeline = new TimelineBuilder();
  private readonly waiting = new Map<number, Part[]>();
  private nextSecond = 0;

  /** @param requestNames of the trial's requests, for thresholds on one of them */
  constructor(specs: readonly ThresholdSpec[], requestNames: readonly string[]) {
    this.aborting = specs
      .filter(({ abort }) => abort)
      .map((spec) => ({ ...spec, threshold: parseThreshold(spec.that) }));
    this.requestNames = requestNames;
  }

  /**
   * @param shards how many are still at work: a second is whole when it is in from all of them
   * @returns the first threshold that is crossed on what has come in up to the last whole second, as it is written
   */
  add(part: Part, shards: number): string | undefined {
    if (this.aborting.length === 0) return undefined;
    const { second } = part.interval;
    this.waiting.set(second, [...(this.waiting.get(second) ?? []), part]);
    let crossed: string | undefined;
    for (;;) {
      const parts = this.waiting.get(this.nextSecond);
      if (parts === undefined || parts.length < shards || crossed !== undefined) return crossed;
      this.waiting.delete(this.nextSecond);
      this.nextSecond++;
      for (const { shard, seq, interval } of parts) this.timeline.add(shard, seq, interval);
      crossed = this.judge(this.nextSecond * 1e6);
    }
  }

  private judge(elapsedUs: number): string | undefined {
    const summary = summarize(this.timeline, elapsedUs);
    const { dropped } = this.timeline.totals;
    return this.aborting.find(({ threshold, request, afterUs }) => {
      if (elapsedUs < afterUs) return false;
      const judged = evaluateThreshold(
        threshold,
        likeOf({ summary, dropped, names: this.requestNames }, request),
      );
      // Before anything has finished there is nothing to cross; at the end of the trial, no data is no pass.
      return judged.value !== undefined && !judged.passed;
    })?.that;
  }
}
