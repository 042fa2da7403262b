/** How long a run takes, before it starts. Only loads with a duration can tell; what a script says of itself is not read. */
import { estimateTrialUs, searchesOf } from './plan-trials.ts';
import type { TrialPlan } from './run.ts';
import type { Scenario } from './scenario.ts';
import { mostTrials } from './search.ts';
import { formatDuration } from './units.ts';

export interface RunEstimate {
  trials: number;
  /** Of the trials that can be told, with the cool-downs between all of them, µs. */
  us: number;
  /** The shortest and the longest of those trials. */
  shortestUs: number;
  longestUs: number;
  /** Trials that take as long as their requests or their script do. */
  open: number;
  /** Those of them that have a script. */
  openScripts: number;
  /** Of a search: there are no more of them than that. */
  atMost?: true;
}

/** @param trials of the scenario, those that are left to run */
export function estimateScenario(scenario: Scenario, trials: readonly TrialPlan[]): RunEstimate {
  const searches = searchesOf(scenario);
  if (searches.length === 0) return estimateRun(trials, scenario.cooldownUs);
  const all = searches.flatMap(({ spec }, i) => Array<TrialPlan>(mostTrials(spec)).fill(trials[i]!));
  return { ...estimateRun(all, scenario.cooldownUs), atMost: true };
}

export function estimateRun(
  trials: readonly Pick<TrialPlan, 'load' | 'warmupUs' | 'warmupRequests'>[],
  cooldownUs: number,
): RunEstimate {
  const known = trials.flatMap((trial) => estimateTrialUs(trial) ?? []);
  const coolingUs = Math.max(0, trials.length - 1) * cooldownUs;
  return {
    trials: trials.length,
    us: known.reduce((sum, us) => sum + us, coolingUs),
    shortestUs: known.reduce((least, us) => Math.min(least, us), known[0] ?? 0),
    longestUs: known.reduce((most, us) => Math.max(most, us), 0),
    open: trials.length - known.length,
    openScripts: trials.filter(({ load }) => load.executor === 'script' && load.durationUs === undefined)
      .length,
  };
}

/** `60 trials, about 35.0 s each, about 35m0s in all`. */
export function estimateText(estimate: RunEstimate): string {
  const { trials, us, shortestUs, longestUs, open, atMost = false } = estimate;
  const count = `${atMost ? 'at most ' : ''}${trials} ${trials === 1 ? 'trial' : 'trials'}`;
  if (open === trials) return `${count}, ${openText(estimate)}`;
  if (trials === 1) return `${count}, about ${formatDuration(us)}`;
  const each =
    shortestUs === longestUs
      ? formatDuration(longestUs)
      : `${formatDuration(shortestUs)} to ${formatDuration(longestUs)}`;
  const rest = open === 0 ? '' : `, and ${open} ${openText(estimate)}`;
  return `${count}, about ${each} each, about ${formatDuration(us)} in all${rest}`;
}

/** `as long as their requests take`. */
function openText({ open, openScripts }: RunEstimate): string {
  const one = open === 1;
  const whose = one ? 'its' : 'their';
  if (openScripts === 0) return `as long as ${whose} requests take`;
  if (openScripts < open) return `as long as ${whose} requests or scripts take`;
  return `as long as ${whose} ${one ? 'script says' : 'scripts say'}`;
}
