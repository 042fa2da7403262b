import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScheduledLoad } from '../../../shared/domain/load-plan.ts';
import { splitLoad } from '../../../shared/domain/shard.ts';
import { warmupLoad } from '../../../worker/schedule/warmup-load.ts';

const WHOLE = { offset: 0, stride: 1 };
const OPEN = { maxConnections: 9, maxWaitUs: 0, keepAlive: true, stripe: WHOLE };
const stages = [
  { durationUs: 5e6, target: 100 },
  { durationUs: 5e6, target: 0 },
];
const jump = { durationUs: 0, target: 40 };

describe('a warm-up of 2 s', () => {
  const ROWS: [sentence: string, load: ScheduledLoad, warmup: ScheduledLoad][] = [
    [
      'constant connections: the same, by time and not by number',
      { executor: 'constant-connections', connections: 7, requests: 5, keepAlive: false },
      { executor: 'constant-connections', connections: 7, durationUs: 2e6, keepAlive: false },
    ],
    [
      'ramping connections: as many as it starts with',
      {
        executor: 'ramping-connections',
        startConnections: 3,
        stages,
        durationUs: 10e6,
        keepAlive: true,
        stripe: WHOLE,
      },
      { executor: 'constant-connections', connections: 3, durationUs: 2e6, keepAlive: true },
    ],
    [
      'ramping connections from 0: one',
      {
        executor: 'ramping-connections',
        startConnections: 0,
        stages,
        durationUs: 10e6,
        keepAlive: true,
        stripe: WHOLE,
      },
      { executor: 'constant-connections', connections: 1, durationUs: 2e6, keepAlive: true },
    ],
    [
      'a jump at first is where it starts',
      {
        executor: 'ramping-connections',
        startConnections: 0,
        stages: [jump, ...stages],
        durationUs: 10e6,
        keepAlive: true,
        stripe: WHOLE,
      },
      { executor: 'constant-connections', connections: 40, durationUs: 2e6, keepAlive: true },
    ],
    [
      'a constant rate: the same',
      { executor: 'constant-arrival-rate', rate: 50, durationUs: 9e6, ...OPEN },
      { executor: 'constant-arrival-rate', rate: 50, durationUs: 2e6, ...OPEN },
    ],
    [
      'a ramping rate: the one that it starts with',
      { executor: 'ramping-arrival-rate', startRate: 20, stages, durationUs: 10e6, ...OPEN },
      { executor: 'constant-arrival-rate', rate: 20, durationUs: 2e6, ...OPEN },
    ],
    [
      'a ramping rate from 0: one a second',
      { executor: 'ramping-arrival-rate', startRate: 0, stages, durationUs: 10e6, ...OPEN },
      { executor: 'constant-arrival-rate', rate: 1, durationUs: 2e6, ...OPEN },
    ],
  ];
  for (const [sentence, load, warmup] of ROWS) {
    test(sentence, () => assert.deepEqual(warmupLoad(load, 2e6), warmup));
  }

  test('a number of requests ends a closed loop', () => {
    const [, load] = ROWS[0]!;
    assert.deepEqual(warmupLoad(load, 2e6, 50), { ...warmupLoad(load, 2e6), requests: 50 });
  });

  test('over three shares a ramp that starts with one connection warms up with one', () => {
    const load: ScheduledLoad = {
      executor: 'ramping-connections',
      startConnections: 0,
      stages,
      durationUs: 10e6,
      keepAlive: true,
      stripe: WHOLE,
    };
    const connections = splitLoad(load, 3).map((share) => {
      const warmup = warmupLoad(share, 2e6);
      return warmup.executor === 'constant-connections' ? warmup.connections : undefined;
    });
    assert.deepEqual(connections, [1, 0, 0]);
  });
});
