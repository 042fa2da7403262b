/**
 * Thresholds with `abort: true`, and a script's own with `abortOnFail`, judged while the trial runs: after each second that is
 * in from everybody.
 */
import type { ScriptThreshold } from '../shared/domain/k6-plan.ts';
import type { ThresholdSpec } from '../shared/domain/scenario.ts';
import { holds, readScriptExpression, type ScriptExpression } from '../shared/domain/script-threshold.ts';
import { parseThreshold, type Threshold } from '../shared/domain/threshold-expression.ts';
import type { Interval } from '../shared/metrics/interval.ts';
import { type AskedValue, measureScript } from '../shared/metrics/script-value.ts';
import { type Summary, summarize } from '../shared/metrics/summary.ts';
import { evaluateThreshold } from '../shared/metrics/threshold.ts';
import { TimelineBuilder } from '../shared/metrics/timeline.ts';
import { likeOf } from './report/measure.ts';
import { scriptThresholdText } from './report/thresholds.ts';

interface Part {
  shard: string;
  seq: number;
  interval: Interval;
}

export class LiveThresholds {
  private readonly aborting: (ThresholdSpec & { threshold: Threshold })[];
  private readonly asked: AskedValue[];
  private readonly requestNames: readonly string[];
  private readonly scripts: (ScriptThreshold & ScriptExpression)[] = [];
  private readonly timeline = new TimelineBuilder({ bySecond: false });
  private readonly waiting = new Map<number, Part[]>();
  private nextSecond = 0;

  /** @param requestNames of the trial's requests, for thresholds on one of them */
  constructor(specs: readonly ThresholdSpec[], requestNames: readonly string[]) {
    this.aborting = specs
      .filter(({ abort }) => abort)
      .map((spec) => ({ ...spec, threshold: parseThreshold(spec.that) }));
    this.asked = this.aborting.flatMap(({ threshold: { metric } }) =>
      metric.name === 'script' ? [metric] : [],
    );
    this.requestNames = requestNames;
  }

  /**
   * Before the trial is started.
   * @returns what is wrong with one that is none; k6 is not asked to judge them, and would not tell
   */
  takeScript(thresholds: readonly ScriptThreshold[]): string | undefined {
    for (const threshold of thresholds) {
      const { metric, expression, abortOnFail } = threshold;
      const read = readScriptExpression(expression);
      if ('problem' in read)
        return `the script's threshold ${JSON.stringify(expression)} on ${metric} does not parse: ${read.problem}`;
      if (abortOnFail) this.scripts.push({ ...threshold, ...read });
    }
    return undefined;
  }

  /**
   * @param shards how many are still at work: a second is whole when it is in from all of them
   * @returns the first threshold that is crossed on what has come in up to the last whole second, as it is written
   */
  add(part: Part, shards: number): string | undefined {
    if (this.aborting.length + this.scripts.length === 0) return undefined;
    const { second } = part.interval;
    this.waiting.set(second, [...(this.waiting.get(second) ?? []), part]);
    let crossed: string | undefined;
    for (;;) {
      const parts = this.waiting.get(this.nextSecond);
      if (parts === undefined || parts.length < shards || crossed !== undefined) return crossed;
      this.waiting.delete(this.nextSecond);
      this.nextSecond++;
      for (const { shard, seq, interval } of parts) this.timeline.add(shard, seq, interval);
      crossed = this.judge(this.nextSecond * 1e6) ?? this.judgeScript(this.nextSecond * 1e6);
    }
  }

  /** As k6 does, but for the whole fleet: what has no value yet is not judged. */
  private judgeScript(elapsedUs: number): string | undefined {
    const crossed = this.scripts.find(({ metric, aggregation, comparison, limit, delayAbortEvalUs }) => {
      if (elapsedUs <= delayAbortEvalUs) return false;
      const value = measureScript(this.timeline.script, metric, aggregation, elapsedUs);
      return value !== undefined && !holds(value, comparison, limit);
    });
    return crossed === undefined ? undefined : scriptThresholdText(crossed);
  }

  private judge(elapsedUs: number): string | undefined {
    if (this.aborting.length === 0) return undefined;
    const summary = summarize(this.timeline, elapsedUs, this.asked);
    const { dropped } = this.timeline.totals;
    return this.aborting.find(({ threshold, request, afterUs }) => {
      if (elapsedUs < afterUs) return false;
      const judged = evaluateThreshold(
        threshold,
        likeOf({ summary, dropped, names: this.namesIn(summary) }, request),
      );
      // Before anything has finished there is nothing to cross; at the end of the trial, no data is no pass.
      return judged.value !== undefined && !judged.passed;
    })?.that;
  }

  /** A script makes its requests by itself. */
  private namesIn({ byRequest = {} }: Summary): readonly string[] {
    return this.requestNames.length > 0 ? this.requestNames : Object.keys(byRequest);
  }
}
