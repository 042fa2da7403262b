/** Thresholds, the scenario's and those of its scripts, held against every trial that was begun. */
import type { ScriptThreshold } from '../../shared/domain/k6-plan.ts';
import type { Metric } from '../../shared/domain/metric-name.ts';
import { type ScriptUnit, scriptUnit } from '../../shared/domain/script-metric.ts';
import { holds, readScriptExpression } from '../../shared/domain/script-threshold.ts';
import { type AskedValue, kindOf, summaryValue } from '../../shared/metrics/script-value.ts';
import { evaluateThreshold, parseThreshold } from '../../shared/metrics/threshold.ts';
import type { ThresholdSpec } from '../journal-records.ts';
import { fewFor, likeOf, type Measured } from './measure.ts';
import type { ReportThreshold, ReportTrial } from './schema.ts';

/** @throws BroadsideError SCENARIO_INVALID for an expression that the scenario's own check would have refused. */
export function thresholdsOf(
  specs: readonly ThresholdSpec[],
  trials: readonly ReportTrial[],
): ReportThreshold[] {
  const severalRounds = trials.some(({ round }) => round > 1);
  const place = ({ cell, round }: ReportTrial) => ({
    ...(Object.keys(cell).length === 0 ? {} : { cell }),
    ...(severalRounds ? { round } : {}),
  });
  const own = specs.flatMap(({ that, request }) => {
    const threshold = parseThreshold(that);
    return trials.flatMap((trial) => {
      // Where a sweep has cells of both engines, those without a script promise nothing of its metrics.
      if (threshold.metric.name === 'script' && trial.script === undefined) return [];
      const measured = likeOf(measuredOf(trial), request);
      return {
        expression: that,
        ...(request !== undefined && { request }),
        ...place(trial),
        ...evaluateThreshold(threshold, measured),
        ...fewFor(threshold.metric, measured),
        ...unitOf(trial, threshold.metric),
      };
    });
  });
  const scripts = trials.flatMap((trial) =>
    (trial.script?.thresholds ?? []).map((threshold) => ({
      ...statedBy(threshold),
      ...place(trial),
      ...judgedOn(trial, threshold),
    })),
  );
  return [...own, ...scripts];
}

/** A script's threshold as lists of thresholds have it. */
export function scriptThresholdText({ metric, expression }: ScriptThreshold): string {
  return `${metric}: ${expression.trim()}`;
}

function statedBy(threshold: ScriptThreshold): Pick<ReportThreshold, 'expression' | 'script'> {
  const { metric, expression } = threshold;
  return { expression: scriptThresholdText(threshold), script: { metric, expression } };
}

function judgedOn(
  trial: ReportTrial,
  { metric, expression }: ScriptThreshold,
): Pick<ReportThreshold, 'value' | 'unit' | 'passed'> {
  const read = readScriptExpression(expression);
  const { script } = trial.summary;
  if ('problem' in read || script === undefined) return { passed: false };
  const wanted = { name: 'script', metric, aggregation: read.aggregation } as const;
  const value = summaryValue(script, wanted);
  if (value === undefined) return { passed: false };
  return { value, ...unitOf(trial, wanted), passed: holds(value, read.comparison, read.limit) };
}

function unitOf({ summary }: ReportTrial, metric: Metric): { unit?: ScriptUnit } {
  if (metric.name !== 'script') return {};
  const asked: AskedValue = metric;
  return { unit: scriptUnit(asked.metric, asked.aggregation, kindOf(summary.script, asked.metric)) };
}

export function measuredOf({ summary, ledger, requests }: ReportTrial): Measured {
  const names = requests.map(({ name }) => name);
  // A script makes its requests by itself.
  return {
    summary,
    dropped: ledger.dropped,
    names: names.length > 0 ? names : Object.keys(summary.byRequest ?? {}),
  };
}
