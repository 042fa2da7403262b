/** Preflight of rate caps: what a worker takes at most (`worker start --max-rate`), held against its shares. Pure. */
import { isOpenLoop } from '../shared/domain/load-plan.ts';
import type { ShardPlan } from '../shared/domain/run.ts';
import { rateOf } from '../shared/domain/shard.ts';
import { formatRate } from '../shared/domain/units.ts';
import type { Finding } from './preflight.ts';

/** Nothing of a worker without a cap. */
export function judgeMaxRate(
  worker: string,
  maxRate: number | undefined,
  shards: readonly Pick<ShardPlan, 'load'>[],
): Finding[] {
  if (maxRate === undefined) return [];
  const check = 'rate-cap';
  const takes = `takes at most ${formatRate(maxRate)} (its --max-rate)`;
  if (shards.some(({ load }) => load.executor === 'script')) {
    return [
      {
        worker,
        check,
        level: 'error',
        message: `${takes}, and k6 has no cap for all that a script may send`,
        remedy: 'start it without --max-rate, or keep it in a pool that no script uses',
      },
    ];
  }
  const asked = Math.max(0, ...shards.map(({ load }) => (isOpenLoop(load) ? rateOf(load) : 0)));
  if (asked > maxRate) {
    return [
      {
        worker,
        check,
        level: 'error',
        message: `${takes}, and this run would ask ${formatRate(asked)} of it`,
        remedy: 'add workers, lower the rate, or give it less with --weight',
      },
    ];
  }
  const message = asked > 0 ? `${takes}; this run asks ${formatRate(asked)} of it` : takes;
  return [{ worker, check, level: 'good', message }];
}
