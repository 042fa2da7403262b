import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ScheduledLoad } from '../../../shared/domain/run.ts';
import { splitLoad } from '../../../shared/domain/shard.ts';
import { splitWarmup, startOfRamp, warmupConnections } from '../../../shared/domain/warmup.ts';

const closed = (connections: number): ScheduledLoad => ({
  executor: 'constant-connections',
  connections,
  durationUs: 1e6,
  keepAlive: true,
});
const ramp = (startConnections: number, peak: number): ScheduledLoad => ({
  executor: 'ramping-connections',
  startConnections,
  stages: [{ durationUs: 1e6, target: peak }],
  durationUs: 1e6,
  keepAlive: true,
  stripe: { offset: 0, stride: 1 },
});
const loads = fc.oneof(
  fc.integer({ min: 1, max: 100 }).map(closed),
  fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 50 })).map(([start, peak]) => ramp(start, peak)),
);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

describe('warm-ups', () => {
  test('a ramp starts after the jumps that it begins with', () => {
    const stages = [
      { durationUs: 0, target: 30 },
      { durationUs: 5, target: 90 },
    ];
    assert.equal(startOfRamp(4, stages), 30);
    assert.equal(startOfRamp(4, stages.slice(1)), 4);
  });

  test('over workers and their threads they are as many as asked for, none of them without a connection', () => {
    fc.assert(
      fc.property(
        loads,
        fc.nat(10_000),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        (load, requests, workers, threads) => {
          const shards = splitLoad(load, workers);
          const shares = splitWarmup(requests, shards);
          assert.equal(sum(shares), requests);
          shards.forEach((shard, i) => {
            const parts = splitLoad(shard, threads);
            const ofThreads = splitWarmup(shares[i]!, parts);
            assert.equal(sum(ofThreads), shares[i]);
            parts.forEach((part, j) => {
              if (ofThreads[j]! > 0) assert.ok(warmupConnections(part) > 0);
            });
          });
        },
      ),
    );
  });
});
