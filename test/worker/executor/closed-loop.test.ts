import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type {
  ClosedLoad,
  ConstantConnections,
  Pause,
  RampingConnections,
} from '../../../shared/domain/load-plan.ts';
import { ClosedLoop } from '../../../worker/executor/closed-loop.ts';
import { type Course, driveExecutor, START_US } from '../../support/drive-executor.ts';
import { VirtualTime } from '../../support/virtual-time.ts';

function drive(
  load: Omit<ConstantConnections, 'executor' | 'keepAlive'>,
  takesUs: (n: number) => number,
  stopUs?: number,
): Promise<Course> {
  return driveLoad({ executor: 'constant-connections', keepAlive: true, ...load }, takesUs, stopUs);
}

async function driveLoad(
  load: ClosedLoad,
  takesUs: (n: number) => number,
  stopUs?: number,
  latenessUs?: () => number,
): Promise<Course> {
  const time = new VirtualTime(latenessUs === undefined ? {} : { latenessUs });
  return driveExecutor(
    time,
    (sink) => new ClosedLoop(load, time.clock, sink),
    takesUs,
    () => assert.fail('a closed loop has no arrivals to be late for'),
    stopUs,
  );
}

const takes = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 20 });
const connections = fc.integer({ min: 1, max: 30 });
const requests = fc.integer({ min: 1, max: 500 });
const instant = fc.integer({ min: 0, max: 100_000 });

describe('ClosedLoop', () => {
  test('sends exactly n requests, whatever each takes, over no more connections than needed', async () => {
    await fc.assert(
      fc.asyncProperty(connections, requests, takes, async (connections, requests, takes) => {
        const { engine, outcome, dropped } = await drive(
          { connections, requests },
          (n) => takes[n % takes.length]!,
        );
        assert.equal(engine.fired.length, requests);
        assert.equal(engine.inFlight, 0);
        assert.deepEqual([outcome.dropped, dropped], [0, 0]);
        assert.ok(new Set(engine.fired.map(({ slot }) => slot)).size <= Math.min(connections, requests));
        assert.ok(
          engine.fired.every(({ atUs }) => atUs >= START_US),
          'none before the start',
        );
      }),
    );
  });

  test('keeps every connection busy until its time is over, and fires nothing after', async () => {
    await fc.assert(
      fc.asyncProperty(
        connections,
        takes,
        fc.integer({ min: 1, max: 100_000 }),
        async (connections, takes, durationUs) => {
          // A reply that takes no time would be asked for for ever.
          const takesUs = (n: number): number => takes[n % takes.length]! + 100;
          const { engine, outcome } = await drive({ connections, durationUs }, takesUs);
          const endUs = START_US + outcome.endUs;
          assert.ok(outcome.endUs >= durationUs && outcome.endUs < durationUs + 2_000);
          assert.ok(engine.fired.every(({ atUs }) => atUs >= START_US && atUs <= endUs));
          assert.ok(engine.fired.length >= connections);
          const busyUs = engine.fired.reduce(
            (sum, { atUs }, n) => sum + Math.min(endUs, atUs + takesUs(n)) - atUs,
            0,
          );
          // All of them, from the moment at which the start was seen (a turn of the loop late) to the end.
          assert.ok(
            busyUs >= connections * (outcome.endUs - 2_000),
            `${busyUs} µs of ${connections} × ${outcome.endUs}`,
          );
        },
      ),
    );
  });

  test('what is not sent of a planned number is dropped: at the end of the time, and when it is stopped', async () => {
    await fc.assert(
      fc.asyncProperty(
        connections,
        requests,
        takes,
        fc.option(fc.integer({ min: 1, max: 50_000 }), { nil: undefined }),
        fc.option(instant, { nil: undefined }),
        async (connections, requests, takes, durationUs, stopUs) => {
          const load = { connections, requests, ...(durationUs === undefined ? {} : { durationUs }) };
          const { engine, outcome, dropped } = await drive(load, (n) => takes[n % takes.length]!, stopUs);
          assert.equal(engine.fired.length + dropped, requests);
          assert.equal(outcome.dropped, dropped);
        },
      ),
    );
  });

  test('stopped before its start it sends nothing', async () => {
    const { engine, outcome, dropped } = await drive({ connections: 4, requests: 10 }, () => 10, 100);
    assert.deepEqual([engine.fired.length, dropped, outcome.endUs], [0, 10, 0]);
  });

  test('a request is due when it is sent: no intended start is made up', async () => {
    const { engine } = await drive({ connections: 2, requests: 10 }, () => 10);
    assert.ok(engine.fired.every(({ intendedUs }) => intendedUs === 0));
  });
});

const WHOLE = { offset: 0, stride: 1 };

function ramp(
  startConnections: number,
  ...stages: [durationUs: number, target: number][]
): RampingConnections {
  return {
    executor: 'ramping-connections',
    startConnections,
    stages: stages.map(([durationUs, target]) => ({ durationUs, target })),
    durationUs: stages.reduce((sum, [durationUs]) => sum + durationUs, 0),
    keepAlive: true,
    stripe: WHOLE,
  };
}

describe('ClosedLoop on a ramp', () => {
  /** A timer is up to 2 ms late, and this is how late it is at most here. */
  const LATE_US = 2_100;

  test('a connection sends while it takes part, and no other does', async () => {
    // 0 to 4 in 4 s: connection j begins at j + 1/2; down to 0 in 2 s: connection j ends (3.5 − j)/2 after 4 s.
    const { engine, outcome } = await driveLoad(ramp(0, [4e6, 4], [2e6, 0], [1e6, 0]), () => 10_000);
    for (let slot = 0; slot < 4; slot++) {
      const sent = engine.fired.filter((each) => each.slot === slot).map(({ atUs }) => atUs - START_US);
      const beginUs = (slot + 0.5) * 1e6;
      const endUs = 4e6 + (3.5 - slot) * 0.5e6;
      assert.ok(sent[0]! >= beginUs && sent[0]! < beginUs + LATE_US, `${slot} began at ${sent[0]}`);
      assert.ok(sent.at(-1)! <= endUs + LATE_US && sent.at(-1)! > endUs - 2 * 10_000);
      assert.ok(sent.length > (endUs - beginUs) / 10_100 - 1, 'without a break');
      const released = engine.released.filter((each) => each.slot === slot);
      assert.equal(released.length, 1, 'its connection is closed after its last request');
      assert.ok(released[0]!.atUs > sent.at(-1)!);
    }
    assert.ok(outcome.endUs >= 7e6 && outcome.endUs < 7e6 + 100, 'the load lasts its whole time');
    assert.equal(engine.inFlight, 0);
  });

  test('one that is told to stop and to go on again before its reply has come simply goes on', async () => {
    const { engine } = await driveLoad(
      ramp(1, [100_000, 1], [0, 0], [50_000, 0], [0, 1], [250_000, 1]),
      () => 90_000,
    );
    assert.deepEqual(
      engine.fired.map(({ atUs }) => Math.round((atUs - START_US) / 10_000)),
      [0, 9, 18, 27, 36],
    );
    assert.equal(engine.released.length, 0);
  });

  test('it comes back on its own slot', async () => {
    const { engine } = await driveLoad(
      ramp(2, [0.1e6, 2], [0, 1], [0.1e6, 1], [0, 2], [0.1e6, 2]),
      () => 30_000,
    );
    const second = engine.fired.filter(({ slot }) => slot === 1).map(({ atUs }) => (atUs - START_US) / 1e6);
    assert.deepEqual(new Set(engine.fired.map(({ slot }) => slot)), new Set([0, 1]));
    assert.ok(second.every((at) => at < 0.103 || at >= 0.2));
    assert.ok(second.some((at) => at > 0.2));
  });

  test('whatever the ramp, the pauses and the timers: requests are exact or dropped, none in flight twice', async () => {
    const anyRamp = fc
      .tuple(
        fc.nat(10),
        fc.array(fc.tuple(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60_000 })), fc.nat(10)), {
          minLength: 1,
          maxLength: 5,
        }),
      )
      .map(([start, stages]) => ramp(start, ...stages));
    const anyPause: fc.Arbitrary<Pause | undefined> = fc.constantFrom(
      undefined,
      { distribution: 'fixed', us: 3_000 },
      { distribution: 'uniform', minUs: 0, maxUs: 20_000 },
      { distribution: 'exponential', meanUs: 60_000 },
    );
    const anyRequests = fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined });
    const lateness = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 5 });
    const stop = fc.option(fc.nat(150_000), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        anyRamp,
        anyPause,
        anyRequests,
        takes,
        lateness,
        stop,
        async (ramp, pause, requests, takes, late, stopUs) => {
          const load: RampingConnections = {
            ...ramp,
            ...(requests !== undefined && { requests }),
            ...(pause !== undefined && { thinkTime: { pause, seed: 1, stripe: WHOLE } }),
          };
          let asked = 0;
          const { engine, outcome, dropped } = await driveLoad(
            load,
            (n) => takes[n % takes.length]! + 100,
            stopUs,
            () => late[asked++ % late.length]!,
          );
          if (requests === undefined) assert.equal(dropped, 0);
          else assert.equal(engine.fired.length + dropped, requests);
          assert.equal(outcome.dropped, dropped);
          assert.ok(engine.fired.every(({ atUs }) => atUs >= START_US && atUs <= START_US + outcome.endUs));
          if (dropped > 0 && stopUs === undefined) assert.ok(outcome.endUs >= load.durationUs);
        },
      ),
    );
  });
});

describe('ClosedLoop with time to think', () => {
  const thinking = (pause: Pause) => ({ thinkTime: { pause, seed: 1, stripe: WHOLE } });

  for (const [kind, pause, least, most] of [
    ['short', { distribution: 'fixed', us: 7_000 }, 7_000, 7_100],
    ['long', { distribution: 'fixed', us: 100_000 }, 100_000, 102_100],
  ] as const) {
    test(`a ${kind} pause between the end of a reply and the next request, never shorter, hardly longer`, async () => {
      const { engine } = await drive({ connections: 5, requests: 100, ...thinking(pause) }, () => 2_000);
      for (let slot = 0; slot < 5; slot++) {
        const sent = engine.fired.filter((each) => each.slot === slot).map(({ atUs }) => atUs);
        sent.slice(1).forEach((at, i) => {
          const pausedUs = at - (sent[i]! + 2_000);
          assert.ok(pausedUs >= least && pausedUs <= most, `${pausedUs} µs`);
        });
      }
      assert.equal(engine.fired.length, 100);
    });
  }

  test('random pauses: each connection has its own, on average what was asked for', async () => {
    const { engine, outcome } = await drive(
      { connections: 50, durationUs: 60e6, ...thinking({ distribution: 'exponential', meanUs: 1e6 }) },
      () => 1,
    );
    const expected = 50 * (1 + outcome.endUs / 1e6);
    assert.ok(Math.abs(engine.fired.length - expected) < 4 * Math.sqrt(expected), `${engine.fired.length}`);
  });

  test('the end by number does not wait for those who think, and a stop neither', async () => {
    const hour = thinking({ distribution: 'fixed', us: 3_600e6 });
    const byNumber = await drive({ connections: 3, requests: 3, ...hour }, () => 10);
    assert.ok(byNumber.outcome.endUs < 1_000);
    const stopped = await drive({ connections: 3, requests: 30, ...hour }, () => 10, 50_000);
    assert.equal(stopped.outcome.endUs, 50_000 - START_US);
    assert.deepEqual([stopped.engine.fired.length, stopped.dropped], [3, 27]);
  });

  test('one that thinks while it has to stop gives its connection back at once, and sends nothing more', async () => {
    const load = {
      ...ramp(2, [0.2e6, 2], [0, 1], [1e6, 1]),
      ...thinking({ distribution: 'fixed', us: 500_000 }),
    };
    const { engine } = await driveLoad(load, () => 1_000);
    assert.equal(engine.fired.filter(({ slot }) => slot === 1).length, 1);
    const atUs = engine.released[0]!.atUs - START_US;
    assert.ok(atUs >= 0.2e6 && atUs < 0.2e6 + 2_100, `${atUs}`);
  });

  test('many that wake at one time are sent in rounds, between which replies are read', async () => {
    const { engine } = await drive(
      { connections: 500, durationUs: 0.25e6, ...thinking({ distribution: 'fixed', us: 100_000 }) },
      () => 1_000,
    );
    const awake = engine.fired.filter(({ atUs }) => atUs > START_US + 50_000 && atUs < START_US + 150_000);
    assert.equal(awake.length, 500);
    const rounds = new Map<number, number>();
    for (const { atUs } of awake) rounds.set(atUs, (rounds.get(atUs) ?? 0) + 1);
    assert.ok(Math.max(...rounds.values()) <= 64);
  });
});
