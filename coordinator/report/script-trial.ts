/** What is particular to a trial whose load is a k6 script: what it is, what is asked of its metrics, whether it counts. */
import type { ScriptFacts } from '../../shared/domain/k6-plan.ts';
import { metricsOf } from '../../shared/domain/plan-trials.ts';
import type { TrialPlan } from '../../shared/domain/run.ts';
import { readScriptExpression } from '../../shared/domain/script-threshold.ts';
import type { ErrorClass, FirstError } from '../../shared/metrics/error-class.ts';
import type { AskedValue } from '../../shared/metrics/script-value.ts';
import type { DnfSpec, RunRecord } from '../journal-records.ts';
import { type Judgement, judgeTrial } from './judge.ts';
import type { ReportScript } from './schema.ts';

/** Undefined where the built-in engine makes the load. */
export function scriptOf(
  { k6 }: TrialPlan,
  facts: ScriptFacts | undefined,
  firstError: ReportScript['firstError'],
): ReportScript | undefined {
  if (k6 === undefined) return undefined;
  return {
    name: k6.script,
    ...(k6.package !== undefined && { sha256: k6.package.sha256 }),
    output: k6.output,
    ...(facts !== undefined && { scenarios: facts.scenarios }),
    ...(firstError !== undefined && { firstError }),
    thresholds: facts?.thresholds ?? [],
  };
}

/** Of a kept log, in one line: the message, and where it was thrown, which k6 sets in below it. */
export function firstErrorIn(log: string): string | undefined {
  const lines = log.split('\n');
  const at = lines.findIndex((line) => /^(error|fatal|panic): /.test(line));
  if (at < 0) return undefined;
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => !/^\s/.test(line));
  const stack = end < 0 ? below : below.slice(0, end);
  return [lines[at]!.replace(/^\w+: /, ''), ...stack.map((line) => line.trim())].filter(Boolean).join(' ');
}

/** Values of script metrics that the scenario's thresholds and tables want. */
export function askedByRun(run: Pick<RunRecord, 'thresholds' | 'report'>): AskedValue[] {
  return metricsOf(run).flatMap((metric) => (metric.name === 'script' ? [metric] : []));
}

/** And those that the script's own do. */
export function askedByScript(facts: ScriptFacts | undefined): AskedValue[] {
  return (facts?.thresholds ?? []).flatMap(({ metric, expression }) => {
    const read = readScriptExpression(expression);
    return 'problem' in read ? [] : [{ metric, aggregation: read.aggregation }];
  });
}

export interface ScriptCounts {
  completed: number;
  errors: Partial<Record<ErrorClass, number>>;
  iterations: number;
  thrownIterations: number;
}

/**
 * A script need not send requests over HTTP, and a status that it did not expect is a reply nevertheless: what it did not do is
 * judged by iterations and by requests that had no reply. One that threw in every iteration and had no reply has measured
 * nothing, whatever k6 says of it.
 */
export function judgeScript(
  { completed, errors, iterations, thrownIterations }: ScriptCounts,
  firstErrors: readonly FirstError[],
  dnf: Pick<DnfSpec, 'errorRatio'>,
): Judgement {
  const { status = 0, ...others } = errors;
  const replies = completed + status;
  const failed = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (replies + failed > 0) return judgeTrial({ completed: replies, failed }, firstErrors, dnf);
  if (iterations > thrownIterations) return { state: 'completed' };
  const reason =
    iterations === 0
      ? 'the script completed no iteration'
      : `all ${iterations} iterations of the script threw an exception`;
  return { state: 'dnf', reason, firstErrors: [...firstErrors] };
}
