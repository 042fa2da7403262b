import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ConstantConnections } from '../../../shared/domain/run.ts';
import { ClosedLoop } from '../../../worker/executor/closed-loop.ts';
import type { ExecutorOutcome } from '../../../worker/executor/executor.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { VirtualTime } from '../../support/virtual-time.ts';

const START_US = 5_000;

interface Course {
  engine: FakeEngine;
  outcome: ExecutorOutcome;
  dropped: number;
}

async function drive(
  load: Omit<ConstantConnections, 'executor' | 'keepAlive'>,
  takesUs: (n: number) => number,
  stopUs?: number,
): Promise<Course> {
  const time = new VirtualTime();
  let dropped = 0;
  const executor = new ClosedLoop(
    { executor: 'constant-connections', keepAlive: true, ...load },
    time.clock,
    (count) => {
      dropped += count;
    },
  );
  const engine = new FakeEngine(time, executor.slots, takesUs);
  engine.onFree = (slot) => executor.onFree(slot);
  let running!: Promise<ExecutorOutcome>;
  time.run(() => {
    running = executor.run(engine, START_US);
    if (stopUs !== undefined) time.at(stopUs, () => executor.stop());
  });
  return { engine, outcome: await running, dropped };
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
