/** Delivery, seen from the worker: whatever the connection does, everything arrives at least once and in order. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Delivery, WorkerReport } from '../../shared/protocol/messages.ts';
import { Publisher } from '../../worker/publisher.ts';

const report = (n: number): WorkerReport => ({ type: 'shard-failed', shard: `s${n}`, reason: '' });

type Step =
  | { do: 'publish' }
  | { do: 'attach' }
  | { do: 'detach' }
  /** Of what has been sent over this connection, so much arrives, and is acknowledged with the last of it. */
  | { do: 'arrive'; share: number; acknowledged: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'publish' }) },
  fc.constant<Step>({ do: 'attach' }),
  fc.constant<Step>({ do: 'detach' }),
  fc.record({
    do: fc.constant('arrive' as const),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    acknowledged: fc.boolean(),
  }),
);

/** A coordinator at the end of connections that are cut at any place. */
class Receiver {
  /** As a coordinator keeps them: each number once, from 1 on. */
  readonly kept: Delivery[] = [];
  private onTheWay: Delivery[] = [];
  private readonly publisher: Publisher;

  constructor(publisher: Publisher) {
    this.publisher = publisher;
  }

  attach(): void {
    this.onTheWay = [];
    this.publisher.attach((delivery) => this.onTheWay.push(delivery));
  }

  detach(): void {
    this.onTheWay = [];
    this.publisher.detach();
  }

  arrive(share: number, acknowledged: boolean): void {
    const arrived = this.onTheWay.splice(0, Math.ceil(this.onTheWay.length * share));
    let last = 0;
    for (const delivery of arrived) {
      assert.ok(delivery.number > last, 'in order');
      assert.ok(
        delivery.number <= this.kept.length + 1,
        `${delivery.number} after ${this.kept.length}: none left out`,
      );
      last = delivery.number;
      if (delivery.number > this.kept.length) this.kept.push(delivery);
    }
    if (acknowledged && last > 0) this.publisher.acknowledge(last);
  }
}

describe('Publisher', () => {
  test('any sequence of publishing, connecting, losing and acknowledging delivers everything, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
        const publisher = new Publisher();
        const receiver = new Receiver(publisher);
        let published = 0;
        for (const step of steps) {
          if (step.do === 'publish') publisher.publish(report(++published));
          else if (step.do === 'arrive') receiver.arrive(step.share, step.acknowledged);
          else receiver[step.do]();
        }
        receiver.attach();
        receiver.arrive(1, true);
        assert.deepEqual(
          receiver.kept.map(({ number, report }) => [number, 'shard' in report ? report.shard : '']),
          Array.from({ length: published }, (_, i) => [i + 1, `s${i + 1}`]),
        );
        assert.equal(await publisher.drained(0), 0);
      }),
    );
  });

  test('what is acknowledged is not sent again', () => {
    const publisher = new Publisher();
    for (let n = 1; n <= 5; n++) publisher.publish(report(n));
    publisher.acknowledge(3);
    publisher.acknowledge(2);
    const sent: number[] = [];
    publisher.attach(({ number }) => sent.push(number));
    assert.deepEqual(sent, [4, 5]);
  });

  test('drained waits for the last acknowledgement', async () => {
    const publisher = new Publisher();
    publisher.publish(report(1));
    publisher.publish(report(2));
    const drained = publisher.drained(60_000);
    publisher.acknowledge(1);
    publisher.acknowledge(2);
    assert.equal(await drained, 0);
    assert.equal(await publisher.drained(60_000), 0, 'nothing to wait for');
  });

  test('drained gives up in time, and says how many are left', async () => {
    const publisher = new Publisher();
    publisher.publish(report(1));
    publisher.publish(report(2));
    publisher.acknowledge(1);
    assert.equal(await publisher.drained(1), 1);
  });
});
