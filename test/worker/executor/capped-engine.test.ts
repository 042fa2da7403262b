import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScheduledLoad } from '../../../shared/domain/load-plan.ts';
import { CappedEngine } from '../../../worker/executor/capped-engine.ts';
import { createExecutor } from '../../../worker/executor/create-executor.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { VirtualTime } from '../../support/virtual-time.ts';

const CLOSED = { executor: 'constant-connections', connections: 10, keepAlive: true } as const;
const ARRIVALS = {
  executor: 'constant-arrival-rate',
  rate: 100,
  durationUs: 1e6,
  maxConnections: 200,
  maxWaitUs: 1e6,
  keepAlive: true,
  stripe: { offset: 0, stride: 1 },
} as const;

function drive(
  load: ScheduledLoad,
  perSecond: number,
  takesUs: (request: number) => number,
  latenessUs = () => 0,
): { engine: FakeEngine; capped: CappedEngine; neverSent: number } {
  const time = new VirtualTime({ latenessUs });
  const executor = createExecutor(load, time.clock, { dropped: () => {}, late: () => {} });
  const engine = new FakeEngine(time, executor.slots, takesUs);
  engine.onFree = (slot) => executor.onFree(slot);
  const capped = new CappedEngine(engine, { perSecond, stripe: { offset: 0, stride: 1 } }, time.clock, 0);
  let neverSent = 0;
  time.run(() => {
    executor.run(capped, 0);
    time.at(load.durationUs ?? 60e6, () => {
      executor.stop();
      neverSent = capped.stop();
    });
  });
  return { engine, capped, neverSent };
}

describe('an engine under a rate cap', () => {
  test('a closed loop sends as much as the cap allows in each second, and what waits is counted', () => {
    const { engine, capped } = drive(
      { ...CLOSED, durationUs: 3e6 },
      200,
      () => 1_000,
      () => 900,
    );
    for (const second of [0, 1, 2]) {
      const sent = engine.fired.filter(({ atUs }) => Math.floor(atUs / 1e6) === second).length;
      assert.ok(sent >= 196 && sent <= 202, `${sent} in second ${second}`);
    }
    assert.ok(capped.held.requests > 590, `${capped.held.requests} held`);
    // Ten connections of which the target has one for 1 ms each 5 ms: the others wait.
    assert.ok(capped.held.us > 0.9 * 10 * 3e6, `${capped.held.us} µs held`);
  });

  test('a closed loop below the cap is left alone', () => {
    const { engine, capped } = drive({ ...CLOSED, connections: 1, durationUs: 3e6 }, 200, () => 50_000);
    assert.equal(engine.fired.length, 60);
    assert.equal(capped.held.requests, 0);
  });

  test('a number of requests comes to that number', () => {
    const { engine, neverSent } = drive({ ...CLOSED, requests: 100 }, 50, () => 1_000);
    assert.equal(engine.fired.length, 100);
    assert.equal(neverSent, 0);
    assert.ok(engine.fired.at(-1)!.atUs >= 1.98e6);
  });

  test('what is held at the end of the load is told, and not sent any more', () => {
    const { engine, neverSent } = drive({ ...CLOSED, requests: 100, durationUs: 1e6 }, 50, () => 1_000);
    // One of ten had its permit in that very instant, or will not have it.
    assert.ok(engine.fired.length === 50 || engine.fired.length === 51, `${engine.fired.length}`);
    assert.ok(neverSent === 9 || neverSent === 10, `${neverSent}`);
  });

  test('arrivals at the rate of the cap are not held', () => {
    const { engine, capped } = drive(ARRIVALS, 100, () => 1_000);
    assert.equal(engine.fired.length, 100);
    assert.equal(capped.held.requests, 0);
  });

  test('arrivals that all connections kept waiting are sent at the cap, with the start that they were meant to have', () => {
    const stalled = { ...ARRIVALS, maxConnections: 1 };
    // The first takes half a second, and fifty wait behind it.
    const { engine } = drive(stalled, 110, (request) => (request === 0 ? 500_000 : 1));
    const after = engine.fired.filter(({ atUs }) => atUs >= 500_000 && atUs < 600_000).length;
    assert.ok(after <= 13, `${after} in a tenth of a second`);
    engine.fired.forEach(({ intendedUs }, i) => {
      assert.ok(Math.abs(intendedUs - i * 10_000) < 1, `${intendedUs} for arrival ${i}`);
    });
  });
});
