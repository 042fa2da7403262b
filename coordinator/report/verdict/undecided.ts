/** What is missing where nothing speaks for a limit. */
import type { Verdict } from '../schema.ts';
import { BOUNDS } from './bounds.ts';
import { type Evidence, watched } from './evidence.ts';
import { usedOf } from './generator-room.ts';
import { linksWithSpeed } from './network.ts';
import { OBSERVE, percent } from './words.ts';

export function undecided(trial: Evidence): Verdict {
  const { summary, workers, wire } = trial;
  if (summary.durationUs < BOUNDS.shortestUs)
    return {
      limit: 'undecided',
      evidence: ['the load lasted less than a second: too short to tell'],
      advice: 'a longer load: `-t 10`, or `duration: 10s`',
    };
  const used = usedOf(workers);
  const links = linksWithSpeed(trial);
  const remote = (wire?.links ?? []).some(({ loopback }) => loopback !== true);
  const fullest = links.reduce((most, { share = 0 }) => Math.max(most, share), 0);
  const evidence = [
    used === undefined
      ? 'not every worker told how busy it was'
      : `no load thread was at its limit: the busiest was busy ${percent(used)} of the time`,
    ...(links.length > 0 ? [`no link was full: at most ${percent(fullest)} of its speed`] : []),
    ...(remote && links.length === 0 ? ['how fast the links are is not known'] : []),
    watched(trial) ? 'nothing that was watched at the target was at its limit' : 'nobody watched the target',
  ];
  const missing = [
    ...(watched(trial) ? [] : [OBSERVE]),
    ...(remote && links.length === 0 ? ['`--link-speed 1gbit` for the workers'] : []),
  ];
  const more = 'a sweep over connections, to see whether the rate or only the latency grows with them';
  return {
    limit: 'undecided',
    evidence,
    advice: missing.length === 0 ? more : `to decide it: ${missing.join('; ')}`,
  };
}
