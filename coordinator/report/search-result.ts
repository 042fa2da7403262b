/** A trial as a search sees it. */
import type { SearchResult, SearchSpec } from '../../shared/domain/search.ts';
import { evaluateThreshold, parseThreshold } from '../../shared/metrics/threshold.ts';
import { fewFor, likeOf } from './measure.ts';
import type { ReportTrial } from './schema.ts';
import { valueText } from './threshold-facts.ts';
import { measuredOf } from './thresholds.ts';

/**
 * It holds when it completed, all conditions hold, and over a rate every arrival was sent: what was dropped had waited for
 * a connection longer than it may.
 */
export function resultOf(spec: SearchSpec, trial: ReportTrial): SearchResult {
  const broke = whyNot(spec, trial);
  return {
    value: Number(trial.cell[spec.over]),
    holds: broke === undefined,
    rate: trial.summary.requestRate,
    ...(broke !== undefined && { broke }),
  };
}

/** `p(99) < 200ms (312.4 ms)` */
function whyNot({ until, over }: SearchSpec, trial: ReportTrial): string | undefined {
  if (trial.state !== 'completed') return trial.dnf?.reason ?? trial.reason ?? 'it did not finish';
  const measured = likeOf(measuredOf(trial), undefined);
  for (const expression of until) {
    const { passed, value } = evaluateThreshold(parseThreshold(expression), measured);
    if (passed) continue;
    const said = valueText({ expression, passed, ...(value !== undefined && { value }) });
    return `${expression} (${said.replace(/^measured /, '')})`;
  }
  const { dropped } = trial.ledger;
  if (over === 'rate' && dropped > 0) return `every arrival is sent (${dropped} dropped)`;
  return undefined;
}

/** Conditions on quantiles that need more requests than the trial has. */
export function fewIn(
  { until }: SearchSpec,
  trial: ReportTrial,
): { requests: number; needed: number } | undefined {
  const measured = likeOf(measuredOf(trial), undefined);
  return until.map((expression) => fewFor(parseThreshold(expression).metric, measured).tooFew).find(Boolean);
}
