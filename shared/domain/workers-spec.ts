/** `workers` of a scenario: how many, of which pools, and what the load is shared out by. */
import { z } from 'zod';
import { count, durationOrZero, entriesOf, mapping, name, oneOf, refuse } from './fields.ts';

const MOST_WORKERS = 10_000;
const DEFAULT_POOL = 'default';
const POOLS = 'a mapping of pools to numbers of workers such as { site-a: 2, site-b: 1 }';

/** How many workers of a pool take part. */
export interface PoolSpec {
  pool: string;
  /** Absent: all that are there, and one at least. */
  count?: number;
}

export interface WorkersSpec {
  /** Of all pools; absent: as many as there are. */
  count?: number;
  /** One at least, each once. */
  pools: PoolSpec[];
  /** Load threads a worker; 0 leaves it to the worker. */
  threads: number;
  /** What the load is shared out by: what each worker was started with, or its cores. */
  weights: 'worker' | 'cores';
  /** How long to wait for workers; absent: the coordinator's default. */
  waitUs?: number;
}

export const DEFAULT_WORKERS: WorkersSpec = {
  pools: [{ pool: DEFAULT_POOL }],
  threads: 0,
  weights: 'worker',
};

const poolCounts = z.unknown().transform((value, context): Required<PoolSpec>[] => {
  const entries = entriesOf(value);
  const refuseAt = (path: string[], message: string) => context.addIssue({ code: 'custom', message, path });
  if (entries === undefined || entries.length === 0) {
    refuseAt([], refuse(value, POOLS).message);
    return z.NEVER;
  }
  return entries.flatMap(([pool, wanted]) => {
    const read = count(MOST_WORKERS).safeParse(wanted);
    if (read.success) return [{ pool, count: read.data }];
    for (const { message } of read.error.issues) refuseAt([pool], message);
    return [];
  });
});

/** `count` and `pool`, or `pools`, which says both. */
export const workersSchema = mapping(
  {
    count: count(MOST_WORKERS).optional(),
    pool: name('the name of a pool').optional(),
    pools: poolCounts.optional(),
    threads: count(1024).optional(),
    weights: oneOf('worker', 'cores').default('worker'),
    wait: durationOrZero.optional(),
  },
  '{ count: 2 }',
)
  .superRefine(({ pools, ...workers }, context) => {
    if (pools === undefined) return;
    for (const key of ['count', 'pool'] as const) {
      if (workers[key] === undefined) continue;
      const message =
        'is there together with pools, which says how many workers of which pools; leave one out';
      context.addIssue({ code: 'custom', message, path: [key] });
    }
  })
  .transform(({ count: single, pool = DEFAULT_POOL, pools, threads = 0, weights, wait }): WorkersSpec => {
    const wanted = pools?.reduce((sum, one) => sum + one.count, 0) ?? single;
    return {
      ...(wanted !== undefined && { count: wanted }),
      pools: pools ?? [{ pool, ...(single !== undefined && { count: single }) }],
      threads,
      weights,
      ...(wait !== undefined && { waitUs: wait }),
    };
  });
