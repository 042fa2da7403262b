/** The rate cap that a worker holds by itself (DESIGN rule 10), whatever its coordinator hands out. */
import { isOpenLoop } from '../shared/domain/load-plan.ts';
import type { ShardPlan } from '../shared/domain/run.ts';
import { rateOf } from '../shared/domain/shard.ts';
import { formatRate, parseRate } from '../shared/domain/units.ts';
import { BroadsideError } from '../shared/errors.ts';

/** `5000`, `5000/s`, `90/m` → requests a second; undefined for anything else. */
export function readMaxRate(text: string): number | undefined {
  const written = text.trim();
  const rate = parseRate(/^[\d.]+$/.test(written) ? `${written}/s` : written);
  return rate !== undefined && rate > 0 && Number.isFinite(rate) ? rate : undefined;
}

/**
 * Closed loops are slowed down to the cap; arrivals that are due more often, and scripts, which k6 sends as it likes, are
 * not begun.
 * @throws BroadsideError RUN_FAILED
 */
export function checkMaxRate({ load }: Pick<ShardPlan, 'load'>, maxRate: number | undefined): void {
  if (maxRate === undefined) return;
  const takes = `this worker takes at most ${formatRate(maxRate)} (--max-rate)`;
  if (load.executor === 'script')
    throw new BroadsideError('RUN_FAILED', `${takes}, and k6 has no cap for all that a script may send`);
  if (isOpenLoop(load) && rateOf(load) > maxRate)
    throw new BroadsideError('RUN_FAILED', `${takes}, and its shard asks for ${formatRate(rateOf(load))}`);
}
