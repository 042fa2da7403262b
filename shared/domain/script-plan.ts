/** What a cell's k6 process is given. */
import { basename } from 'node:path';
import { Refusal } from './fields.ts';
import { readHttpUrl } from './http-url.ts';
import type { K6Spec } from './k6-spec.ts';
import type { Metric } from './metric-name.ts';
import type { Target, TrialPlan } from './run.ts';
import { canonicalMetricName } from './script-metric.ts';

/** The variable in which a script finds the URL of its cell's target, unless the scenario has one of its own. */
export const TARGET_VARIABLE = 'TARGET_URL';

/**
 * @param target the cell's; a script may do without one
 * @returns `target.url` without userinfo, for it is shown; the script gets the URL as it was written, without a trailing
 * slash
 * @param asked metrics that thresholds and tables name
 */
export function scriptPlan(
  { script, package: pack, env, tags, vus, iterations, duration, requires, output }: K6Spec,
  target: Target | undefined,
  asked: readonly Metric[],
): Pick<TrialPlan, 'target' | 'engine' | 'requests' | 'k6' | 'load' | 'warmupUs'> {
  return {
    target: target === undefined ? { name: basename(script), url: '' } : shown(target),
    engine: 'k6',
    requests: [],
    k6: {
      script,
      ...(pack !== undefined && { package: pack }),
      env: { ...(target !== undefined && { [TARGET_VARIABLE]: target.url.replace(/\/+$/, '') }), ...env },
      tags,
      ...(vus !== undefined && { vus }),
      ...(iterations !== undefined && { iterations }),
      ...(duration !== undefined && { durationUs: duration }),
      submetrics: submetricsOf(asked),
      requires,
      output,
    },
    load: { executor: 'script', ...(duration !== undefined && { durationUs: duration }) },
    warmupUs: 0,
  };
}

/** k6 tells of no metric with tags that it was not asked for. */
function submetricsOf(asked: readonly Metric[]): string[] {
  const names = asked.flatMap((metric) =>
    metric.name === 'script' ? [canonicalMetricName(metric.metric)] : [],
  );
  return [...new Set(names.filter((name) => name.includes('{')))];
}

function shown({ name, url }: Target): Target {
  const read = readHttpUrl(url);
  return { name, url: read instanceof Refusal ? url : read.base };
}
