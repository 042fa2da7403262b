/** A worker's and an observer's place at their coordinator, against a websocket server in its stead. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type {
  CoordinatorMessage,
  Delivery,
  Hello,
  WorkerMessage,
  WorkerReport,
} from '../../shared/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { readCapabilities } from '../../worker/capabilities.ts';
import { Membership } from '../../worker/membership.ts';

const WELCOME: CoordinatorMessage = { type: 'welcome', redisUrl: '', queuePrefix: 'q', leaseMs: 60_000 };
const report = (reason: string): WorkerReport => ({ type: 'shard-failed', shard: 'run/0/0', reason });

/** One of its connections: what comes over it, in order. */
interface Connection {
  say(message: CoordinatorMessage): void;
  /** The next message of this type; heartbeats and others before it are passed over. */
  next<T extends WorkerMessage['type']>(type: T): Promise<Extract<WorkerMessage, { type: T }>>;
  socket: WebSocket;
}

async function coordinator(t: TestContext): Promise<{ url: URL; connection(): Promise<Connection> }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  t.after(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  await once(server, 'listening');
  const made: Connection[] = [];
  server.on('connection', (socket) => {
    const heard: WorkerMessage[] = [];
    let wake = (): void => {};
    socket.on('message', (data) => {
      heard.push(JSON.parse(String(data)) as WorkerMessage);
      wake();
    });
    made.push({
      socket,
      say: (message) => socket.send(JSON.stringify(message)),
      async next<T extends WorkerMessage['type']>(type: T) {
        for (;;) {
          const message = heard.shift();
          if (message?.type === type) return message as Extract<WorkerMessage, { type: T }>;
          if (message === undefined) await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    });
    server.emit('made');
  });
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async connection() {
      if (made.length === 0) await once(server, 'made');
      return made.shift()!;
    },
  };
}

function member(url: URL, shards: Hello['shards'] = []): Membership {
  return new Membership(
    {
      coordinator: url,
      token: undefined,
      name: 'm',
      host: { processes: [], interfaces: [], linkSpeeds: [] },
      log: pino({ level: 'silent' }),
    },
    { role: 'worker', pool: 'p' },
    () => ({ capabilities: readCapabilities(1, []), shards }),
  );
}

const numbers = (deliveries: Delivery[]): number[] => deliveries.map(({ number }) => number);

describe('a member', () => {
  test('says who it is, what it holds now, and is the same after a cut; what was not acknowledged comes again', async (t) => {
    const { url, connection } = await coordinator(t);
    const shards: Hello['shards'] = [];
    const one = member(url, shards);
    one.join();
    const first = await connection();
    const hello = await first.next('hello');
    assert.equal(hello.protocol, PROTOCOL_VERSION);
    assert.deepEqual([hello.role, hello.name, hello.pool, hello.shards], ['worker', 'm', 'p', []]);
    first.say(WELCOME);
    for (const reason of ['a', 'b', 'c']) one.publish(report(reason));
    const came = [await first.next('delivery'), await first.next('delivery'), await first.next('delivery')];
    assert.deepEqual(numbers(came), [1, 2, 3]);
    first.say({ type: 'ack', number: 2 });
    first.say({ type: 'clock-probe', probe: 1 });
    // Answered in order: the acknowledgement has been read too.
    await first.next('clock-answer');

    shards.push({ shard: 'run/0/0', started: true });
    first.socket.terminate();
    const second = await connection();
    const again = await second.next('hello');
    assert.equal(again.instance, hello.instance);
    assert.deepEqual(again.shards, shards);
    second.say(WELCOME);
    assert.deepEqual(numbers([await second.next('delivery')]), [3]);

    const leaving = one.leave('enough', async () => one.publish(report('last')));
    assert.deepEqual(numbers([await second.next('delivery')]), [4]);
    second.say({ type: 'ack', number: 4 });
    assert.equal((await second.next('goodbye')).reason, 'enough');
    await Promise.all([leaving, one.left]);
  });

  test('leaves once, and has left when what it holds is released', async (t) => {
    const { url, connection } = await coordinator(t);
    const one = member(url);
    one.join();
    const only = await connection();
    await only.next('hello');
    only.say(WELCOME);
    const order: string[] = [];
    const leave = () =>
      one.leave(
        'enough',
        async () => {
          order.push('work ended');
        },
        async () => {
          order.push('released');
        },
      );
    one.left.then(() => order.push('left'));
    await Promise.all([leave(), leave()]);
    await one.left;
    assert.deepEqual(order, ['work ended', 'released', 'left']);
  });

  test('one that is refused says so', async (t) => {
    const { url, connection } = await coordinator(t);
    const one = member(url);
    one.join();
    const only = await connection();
    await only.next('hello');
    only.say({ type: 'refused', code: 'NAME_TAKEN', message: 'a worker named m is already connected' });
    await assert.rejects(one.left, /already connected/);
  });
});
