import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeMaxRate } from '../../coordinator/preflight-rate.ts';
import type { LoadPlan } from '../../shared/domain/load-plan.ts';
import { splitLoadByWeight } from '../../shared/domain/shard.ts';

const ARRIVALS: LoadPlan = {
  executor: 'constant-arrival-rate',
  rate: 10_000,
  durationUs: 1e6,
  maxConnections: 100,
  maxWaitUs: 0,
  keepAlive: true,
  stripe: { offset: 0, stride: 1 },
};
const CLOSED: LoadPlan = {
  executor: 'constant-connections',
  connections: 10,
  durationUs: 1e6,
  keepAlive: true,
};

describe('rate caps before a run', () => {
  test('a worker without one has nothing to be looked at', () => {
    assert.deepEqual(judgeMaxRate('b', undefined, [{ load: ARRIVALS }]), []);
  });

  test('by its weight a worker is asked for more than it takes: the run is not begun', () => {
    const [a, b] = splitLoadByWeight(ARRIVALS, [1, 3]);
    assert.deepEqual(judgeMaxRate('b', 5_000, [{ load: CLOSED }, { load: b! }]), [
      {
        worker: 'b',
        check: 'rate-cap',
        level: 'error',
        message: 'takes at most 5000/s (its --max-rate), and this run would ask 7500/s of it',
        remedy: 'add workers, lower the rate, or give it less with --weight',
      },
    ]);
    const [finding] = judgeMaxRate('a', 5_000, [{ load: a! }]);
    assert.equal(finding!.level, 'good');
    assert.equal(finding!.message, 'takes at most 5000/s (its --max-rate); this run asks 2500/s of it');
  });

  test('exactly what it takes is not too much', () => {
    const [half] = splitLoadByWeight(ARRIVALS, [1, 1]);
    assert.equal(judgeMaxRate('a', 5_000, [{ load: half! }])[0]!.level, 'good');
    const [third] = splitLoadByWeight(ARRIVALS, [1, 1, 1]);
    assert.equal(judgeMaxRate('a', 10_000 / 3, [{ load: third! }])[0]!.level, 'good');
  });

  test('closed loops are slowed down, which is said', () => {
    assert.deepEqual(judgeMaxRate('a', 0.5, [{ load: CLOSED }]), [
      { worker: 'a', check: 'rate-cap', level: 'good', message: 'takes at most 0.5/s (its --max-rate)' },
    ]);
  });

  test('a script is for workers without a cap', () => {
    const [finding] = judgeMaxRate('a', 5_000, [{ load: { executor: 'script' } }]);
    assert.equal(finding!.level, 'error');
    assert.match(finding!.message, /k6 has no cap/);
  });
});
