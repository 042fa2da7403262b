/** What each pool of workers carried, where there are several. */
import type { Fact } from './fact.ts';
import type { ReportPool, ReportTrial, ReportWorker } from './schema.ts';
import { plain, plural, requestRateText, transferRateText } from './text-line.ts';

/** In the order of their first workers; undefined where there is but one. All are sums: the duration is the trial's. */
export function poolsOf(workers: readonly ReportWorker[]): ReportPool[] | undefined {
  const pools = new Map<string, ReportPool>();
  for (const { pool: name, requests, share, expectedShare, requestRate, transferRate } of workers) {
    if (name === undefined) continue;
    const pool = pools.get(name) ?? { name, workers: 0, ...NOTHING };
    pool.workers++;
    pool.requests += requests;
    pool.share += share;
    pool.expectedShare += expectedShare;
    pool.requestRate += requestRate;
    pool.transferRate += transferRate;
    pools.set(name, pool);
  }
  return pools.size < 2 ? undefined : [...pools.values()];
}

const NOTHING = { requests: 0, share: 0, expectedShare: 0, requestRate: 0, transferRate: 0 };

export function poolFacts({ pools = [] }: Pick<ReportTrial, 'pools'>): Fact[] {
  const lines = pools.map(({ name, workers, requests, share, expectedShare, requestRate, transferRate }) => {
    const [carried, due] = [share, expectedShare].map((one) => `${(one * 100).toFixed(1)} %`);
    const rates = `${requestRateText(requestRate)}, ${transferRateText(transferRate)}`;
    return plain(
      `${name}, ${plural(workers, 'worker')}: ${requests} requests (${carried}, by its load ${due}), ${rates}`,
    );
  });
  return lines.length === 0 ? [] : [['Pools', lines.join('\n')]];
}
