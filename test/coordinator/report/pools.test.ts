import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { poolFacts, poolsOf } from '../../../coordinator/report/pools.ts';
import type { ReportWorker } from '../../../coordinator/report/schema.ts';

function worker(pool: string | undefined, requests: number, share: number): ReportWorker {
  return {
    ...{ name: 'w', hostname: 'h', threads: 1, clockOffsetUs: 0, clockUncertaintyUs: 0 },
    ...(pool !== undefined && { pool }),
    ...{ requests, share, expectedShare: 0.25, requestRate: requests / 2, transferRate: requests * 1_024 },
  };
}

describe('pools', () => {
  test('what the workers of each carried, summed, in the order of their first workers', () => {
    const pools = poolsOf([worker('b', 10, 0.1), worker('a', 50, 0.5), worker('b', 40, 0.4)])!;
    assert.deepEqual(pools, [
      {
        ...{ name: 'b', workers: 2, requests: 50, share: 0.5, expectedShare: 0.5 },
        ...{ requestRate: 25, transferRate: 51_200 },
      },
      {
        ...{ name: 'a', workers: 1, requests: 50, share: 0.5, expectedShare: 0.25 },
        ...{ requestRate: 25, transferRate: 51_200 },
      },
    ]);
    assert.deepEqual(poolFacts({ pools }), [
      [
        'Pools',
        'b, 2 workers: 50 requests (50.0 %, by its load 50.0 %), 25.00/s, 50.00 KiB/s\n' +
          'a, 1 worker: 50 requests (50.0 %, by its load 25.0 %), 25.00/s, 50.00 KiB/s',
      ],
    ]);
  });

  test('one pool is none to speak of', () => {
    assert.equal(poolsOf([worker(undefined, 1, 1)]), undefined);
    assert.equal(poolsOf([worker('a', 1, 1)]), undefined);
    assert.deepEqual(poolFacts({}), []);
  });
});
