/** How long a run takes, before it starts. Only loads with a duration can tell. */
import { estimateTrialUs } from './plan-trials.ts';
import type { TrialPlan } from './run.ts';
import { formatDuration } from './units.ts';

export interface RunEstimate {
  trials: number;
  /** Of the trials that can be told, with the cool-downs between all of them, µs. */
  us: number;
  /** The shortest and the longest of those trials. */
  shortestUs: number;
  longestUs: number;
  /** Trials that take as long as their requests do, which depends on the target. */
  open: number;
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
  };
}

/** `60 trials, about 35.0 s each, about 35m0s in all`. */
export function estimateText({ trials, us, shortestUs, longestUs, open }: RunEstimate): string {
  const count = `${trials} ${trials === 1 ? 'trial' : 'trials'}`;
  if (open === trials) return `${count}, as long as ${trials === 1 ? 'its' : 'their'} requests take`;
  if (trials === 1) return `${count}, about ${formatDuration(us)}`;
  const each =
    shortestUs === longestUs
      ? formatDuration(longestUs)
      : `${formatDuration(shortestUs)} to ${formatDuration(longestUs)}`;
  const rest = open === 0 ? '' : `, and ${open} as long as ${open === 1 ? 'its' : 'their'} requests take`;
  return `${count}, about ${each} each, about ${formatDuration(us)} in all${rest}`;
}
