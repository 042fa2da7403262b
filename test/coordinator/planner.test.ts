import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chooseWorkers, planShards, weightsOf } from '../../coordinator/planner.ts';
import { type LoadPlan, shardId } from '../../shared/domain/run.ts';
import { connectionsOf, plannedRequests } from '../../shared/domain/shard.ts';
import type { PoolSpec } from '../../shared/domain/workers-spec.ts';
import { CLOSED, OPEN, trialPlan } from './report/journal-fixture.ts';

const names = fc.uniqueArray(fc.stringMatching(/^w[0-9]{1,3}$/), { minLength: 1, maxLength: 12 });
const positive = fc.integer({ min: 1, max: 100_000 });
const load: fc.Arbitrary<LoadPlan> = fc.oneof(
  fc.record({ connections: positive, requests: positive }).map((counts) => ({ ...CLOSED, ...counts })),
  positive.map((connections) => {
    const { requests: _, ...rest } = CLOSED;
    return { ...rest, connections, durationUs: 1_000_000 };
  }),
  fc
    .record({ rate: positive, durationUs: fc.integer({ min: 1, max: 10_000_000 }), maxConnections: positive })
    .map((numbers) => ({ ...OPEN, ...numbers })),
);

describe('planShards', () => {
  test('the shares sum to the whole, and nobody takes part without work', () => {
    fc.assert(
      fc.property(load, names, (load, workers) => {
        const shards = planShards('run', trialPlan(0, load), workers, 0);
        assert.ok(shards.length >= 1 && shards.length <= workers.length);
        const sum = (of: (shard: LoadPlan) => number | undefined): number =>
          shards.reduce((total, shard) => total + (of(shard.load) ?? 0), 0);
        assert.equal(sum(plannedRequests), plannedRequests(load) ?? 0);
        const useful =
          load.executor === 'constant-connections' && load.requests !== undefined
            ? Math.min(load.connections, load.requests)
            : connectionsOf(load);
        assert.equal(
          shards.reduce((total, shard) => total + connectionsOf(shard.load)!, 0),
          useful,
        );
        if (shards.length > 1) {
          assert.ok(
            shards.every((shard) => connectionsOf(shard.load)! > 0 && plannedRequests(shard.load) !== 0),
          );
        }
      }),
    );
  });

  test('one shard a worker, in the workers’ order, numbered, with the trial’s requests', () => {
    const trial = { ...trialPlan(3, CLOSED), warmupUs: 7 };
    const shards = planShards('20260101-000000-abcd', trial, ['b', 'a'], 2);
    assert.deepEqual(
      shards.map((shard) => [shard.worker, shardId(shard), shard.shard.count, shard.threads, shard.warmupUs]),
      [
        ['b', '20260101-000000-abcd/3/0', 2, 2, 7],
        ['a', '20260101-000000-abcd/3/1', 2, 2, 7],
      ],
    );
    assert.ok(shards.every(({ requests }) => requests === trial.requests));
    const warmed = planShards('20260101-000000-abcd', { ...trial, warmupRequests: 10 }, ['b', 'a'], 2);
    assert.deepEqual(
      warmed.map(({ warmupRequests }) => warmupRequests),
      [6, 4],
    );
  });
});

describe('chooseWorkers', () => {
  const there: Record<string, string[]> = { a: ['a1', 'a2', 'a3'], b: ['b1'], none: [] };
  const rows: [that: string, pools: PoolSpec[], chosen: string[] | undefined][] = [
    ['all of one pool', [{ pool: 'a' }], ['a1', 'a2', 'a3']],
    ['as many of it as are asked for', [{ pool: 'a', count: 2 }], ['a1', 'a2']],
    ['none where there are too few', [{ pool: 'a', count: 4 }], undefined],
    ['none where nobody is there', [{ pool: 'none' }], undefined],
    [
      'in turn of each pool',
      [
        { pool: 'a', count: 2 },
        { pool: 'b', count: 1 },
      ],
      ['a1', 'b1', 'a2'],
    ],
    [
      'not of one pool alone',
      [
        { pool: 'a', count: 1 },
        { pool: 'none', count: 1 },
      ],
      undefined,
    ],
  ];
  for (const [that, pools, chosen] of rows) {
    test(that, () =>
      assert.deepEqual(
        chooseWorkers(pools, (pool) => there[pool]!),
        chosen,
      ),
    );
  }

  test('each pool gives what it is asked for, each worker once', () => {
    const pools = fc.uniqueArray(
      fc.record({ pool: fc.stringMatching(/^[a-z]$/), count: fc.integer({ min: 1, max: 9 }) }),
      { selector: ({ pool }) => pool, minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(pools, fc.nat(9), (pools, there) => {
        const chosen = chooseWorkers(pools, (pool) => Array.from({ length: there }, (_, i) => `${pool}${i}`));
        assert.equal(
          chosen === undefined,
          pools.some(({ count }) => count > there),
        );
        if (chosen === undefined) return;
        assert.equal(new Set(chosen).size, chosen.length);
        for (const { pool, count } of pools)
          assert.equal(chosen.filter((name) => name.startsWith(pool)).length, count);
      }),
    );
  });
});

describe('weightsOf', () => {
  const workers = [{ cores: 8, weight: 2 }, { cores: 4 }, { cores: 2, weight: -3 }, { cores: 4096 }];
  test('what each was started with, or its cores; a weight that is none counts as 1', () => {
    assert.deepEqual(weightsOf(workers, 'worker'), [2, 1, 1, 1]);
    assert.deepEqual(weightsOf(workers, 'cores'), [8, 4, 2, 1_000]);
  });

  test('shares follow them', () => {
    const trial = trialPlan(0, { ...CLOSED, connections: 12, requests: 1_200 });
    const shards = planShards('run', trial, ['a', 'b'], 0, weightsOf(workers.slice(0, 2), 'worker'));
    assert.deepEqual(
      shards.map(({ load }) => [connectionsOf(load), plannedRequests(load)]),
      [
        [8, 800],
        [4, 400],
      ],
    );
  });
});
