import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ConstantArrivalRate, OpenLoad } from '../../../shared/domain/load-plan.ts';
import { OpenLoop } from '../../../worker/executor/open-loop.ts';
import { arrivalsOf } from '../../../worker/schedule/arrivals.ts';
import { type Course, driveExecutor, START_US } from '../../support/drive-executor.ts';
import { VirtualTime, type VirtualTimeOptions } from '../../support/virtual-time.ts';

const TURN_US = 20;

interface OpenCourse extends Course {
  dueUs: number[];
}

async function drive(
  load: OpenLoad,
  takesUs: (n: number) => number,
  stopUs?: number,
  options: VirtualTimeOptions = {},
): Promise<OpenCourse> {
  const time = new VirtualTime({ turnUs: TURN_US, ...options });
  const course = await driveExecutor(
    time,
    (sink) => new OpenLoop(load, time.clock, sink),
    takesUs,
    (us) => assert.ok(us >= 0, 'never early'),
    stopUs,
  );
  const arrivals = arrivalsOf(load);
  const dueUs = Array.from({ length: arrivals.count }, () => START_US + arrivals.next());
  return { ...course, dueUs };
}

function openLoad(change: Partial<ConstantArrivalRate> = {}): ConstantArrivalRate {
  return {
    executor: 'constant-arrival-rate',
    rate: 1_000,
    durationUs: 100_000,
    maxConnections: 10,
    maxWaitUs: 1_000_000,
    keepAlive: true,
    stripe: { offset: 0, stride: 1 },
    ...change,
  };
}

const load: fc.Arbitrary<ConstantArrivalRate> = fc
  .record({
    rate: fc.integer({ min: 1, max: 20_000 }),
    durationUs: fc.integer({ min: 1, max: 150_000 }),
    maxConnections: fc.integer({ min: 1, max: 20 }),
    maxWaitUs: fc.integer({ min: 0, max: 60_000 }),
    stripe: fc
      .integer({ min: 1, max: 4 })
      .chain((stride) => fc.record({ stride: fc.constant(stride), offset: fc.nat(stride - 1) })),
  })
  .map(openLoad);
const takes = fc.array(fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 100_000 })), {
  minLength: 1,
  maxLength: 20,
});
const lateness = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 10 });

function asked<T>(values: readonly T[]): () => T {
  let next = 0;
  return () => values[next++ % values.length]!;
}

describe('OpenLoop', () => {
  test('every arrival is started or dropped exactly once, in order, never early, whatever the replies take', async () => {
    await fc.assert(
      fc.asyncProperty(load, takes, lateness, async (load, takes, late) => {
        const { engine, outcome, dropped, dueUs } = await drive(
          load,
          (n) => takes[n % takes.length]!,
          undefined,
          { latenessUs: asked(late) },
        );
        assert.equal(engine.fired.length + dropped, dueUs.length);
        assert.equal(outcome.dropped, dropped);
        assert.equal(engine.inFlight, 0);
        const due = new Set(dueUs);
        let before = Number.NEGATIVE_INFINITY;
        for (const { intendedUs, atUs } of engine.fired) {
          assert.ok(due.has(intendedUs), 'an arrival of the schedule');
          assert.ok(intendedUs > before, 'each once, and in order');
          assert.ok(atUs >= intendedUs, 'never early');
          assert.ok(
            atUs - intendedUs <= load.maxWaitUs + 5_000 + 2 * TURN_US + 1_000,
            'none that waited for longer than it may',
          );
          before = intendedUs;
        }
        assert.ok(outcome.endUs >= load.durationUs, 'the load lasts its whole time');
      }),
    );
  });

  test('stopped at any moment, what was not started is dropped', async () => {
    await fc.assert(
      fc.asyncProperty(load, takes, fc.integer({ min: 0, max: 200_000 }), async (load, takes, stopUs) => {
        const { engine, outcome, dropped, dueUs } = await drive(
          load,
          (n) => takes[n % takes.length]!,
          stopUs,
        );
        assert.equal(engine.fired.length + dropped, dueUs.length);
        assert.equal(outcome.dropped, dropped);
        assert.ok(engine.fired.every(({ atUs }) => atUs <= Math.max(stopUs, START_US + outcome.endUs)));
      }),
    );
  });

  test('with connections to spare and timers in time, every request is sent within a turn of the loop', async () => {
    const { engine, dropped } = await drive(openLoad({ durationUs: 1_000_000 }), () => 5_000);
    assert.equal(dropped, 0);
    assert.equal(engine.fired.length, 1_000);
    const lateUs = engine.fired.map(({ intendedUs, atUs }) => atUs - intendedUs);
    assert.ok(Math.max(...lateUs) <= 2 * TURN_US, `${Math.max(...lateUs)} µs late`);
  });

  test('the connection that was busy last is taken first, so that few are opened', async () => {
    const { engine } = await drive(openLoad(), () => 500);
    assert.deepEqual(new Set(engine.fired.map(({ slot }) => slot)), new Set([0]));
  });

  test('a stall: arrivals wait for a connection and keep their due times', async () => {
    // One connection; the first reply takes 10 ms, the others no time: ten latencies from 10 ms down to 1 ms.
    const { engine, dropped } = await drive(openLoad({ maxConnections: 1, durationUs: 10_000 }), (n) =>
      n === 0 ? 10_000 : 0,
    );
    assert.equal(dropped, 0);
    const waitedMs = engine.fired.map(({ intendedUs, atUs }) => Math.round((atUs - intendedUs) / 1_000));
    assert.deepEqual(waitedMs, [0, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test('an arrival that has waited for its time is dropped, whether or not a connection comes free then', async () => {
    const load = openLoad({ maxConnections: 1, durationUs: 10_000, maxWaitUs: 3_000 });
    const { engine, dropped } = await drive(load, (n) => (n === 0 ? 8_500 : 0));
    // Due at 0 (sent), 1 to 5 ms (dropped at 4 to 8 ms), 6 to 9 ms (sent).
    assert.equal(dropped, 5);
    assert.deepEqual(
      engine.fired.map(({ intendedUs }) => Math.round((intendedUs - START_US) / 1_000)),
      [0, 6, 7, 8, 9],
    );
  });

  test('no wait allowed: an arrival finds a free connection or is dropped', async () => {
    const { engine, dropped } = await drive(
      openLoad({ maxConnections: 2, durationUs: 10_000, maxWaitUs: 0 }),
      () => 4_500,
    );
    assert.deepEqual([engine.fired.length, dropped], [4, 6]);
  });

  test('a share without arrivals ends with the load all the same', async () => {
    const { engine, outcome } = await drive(
      openLoad({ rate: 1, durationUs: 1_000_000, stripe: { offset: 3, stride: 4 } }),
      () => 1,
    );
    assert.equal(engine.fired.length, 0);
    assert.ok(outcome.endUs >= 1_000_000);
  });

  test('a pump that is late sends in rounds, between which replies are read', async () => {
    const { engine, dropped } = await drive(
      openLoad({ rate: 20_000, maxConnections: 5_000, durationUs: 50_000 }),
      () => 100,
      undefined,
      { latenessUs: () => 20_000 },
    );
    assert.equal(dropped, 0);
    const rounds = new Map<number, number>();
    for (const { atUs } of engine.fired) rounds.set(atUs, (rounds.get(atUs) ?? 0) + 1);
    assert.ok(Math.max(...rounds.values()) <= 64);
  });

  for (const poisson of [{}, { poisson: { seed: 3 } }]) {
    test(`stages with a rest in between, ${poisson.poisson ? 'Poisson' : 'even'}: sent when due, silent in the rest`, async () => {
      const { rate: _, ...rest } = openLoad({ maxConnections: 1_000, durationUs: 400_000 });
      const ramp: OpenLoad = {
        ...rest,
        ...poisson,
        executor: 'ramping-arrival-rate',
        startRate: 0,
        stages: [
          { durationUs: 100_000, target: 10_000 },
          { durationUs: 0, target: 0 },
          { durationUs: 200_000, target: 0 },
          { durationUs: 100_000, target: 10_000 },
        ],
      };
      const { engine, dropped, dueUs, outcome } = await drive(ramp, () => 500);
      assert.deepEqual([engine.fired.length, dropped], [1_000, 0]);
      assert.deepEqual(
        engine.fired.map(({ intendedUs }) => intendedUs),
        dueUs,
      );
      assert.ok(engine.fired.every(({ intendedUs, atUs }) => atUs - intendedUs <= 3 * TURN_US));
      const inRest = engine.fired.filter(({ intendedUs }) => {
        const us = intendedUs - START_US;
        return us > 100_000.001 && us < 299_999.999;
      });
      assert.equal(inRest.length, 0);
      assert.ok(outcome.endUs >= 400_000);
    });
  }
});
