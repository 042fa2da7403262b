import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { WebSocket, WebSocketServer } from 'ws';
import { Registry } from '../../coordinator/registry.ts';
import { WorkerGateway } from '../../coordinator/worker-gateway.ts';
import type { CoordinatorMessage, Hello, WorkerReport } from '../../shared/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { readCapabilities } from '../../worker/capabilities.ts';

const HELLO: Hello = {
  type: 'hello',
  protocol: PROTOCOL_VERSION,
  role: 'worker',
  name: 'w1',
  pool: 'default',
  instance: 'i',
  capabilities: readCapabilities(1, ['http']),
  shards: [],
};

interface Opened {
  /** A worker that said hello; it collects the numbers of the acknowledgements that it gets. */
  join(): Promise<{ acks: number[]; deliver(...numbers: number[]): void; socket: WebSocket }>;
  /** A worker's connection; it has said hello. */
  connect(): Promise<WebSocket>;
  /** Emits `taken` with each report that comes. */
  reports: EventEmitter<{ taken: [report: number] }>;
  registry: Registry;
  said: string[];
}

/** A gateway on a port, whose reports are kept as `keep` says. */
async function open(
  t: TestContext,
  keep: (report: number) => Promise<void>,
  redisUrl = Promise.resolve('redis://127.0.0.1:1'),
): Promise<Opened> {
  const registry = new Registry();
  const reports: Opened['reports'] = new EventEmitter();
  const said: string[] = [];
  const gateway = new WorkerGateway({
    registry,
    silenceMs: 60_000,
    leaseMs: 60_000,
    redisUrl,
    queuePrefix: 'q',
    againMs: 5,
    onReport: async (_session, report) => {
      const number = numberOf(report);
      reports.emit('taken', number);
      await keep(number);
    },
    log: pino({ level: 'info' }, { write: (line) => said.push((JSON.parse(line) as { msg: string }).msg) }),
  });
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => gateway.accept(socket));
  t.after(() => {
    gateway.close();
    server.close();
  });
  await once(server, 'listening');
  const connect = async (): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    t.after(() => socket.terminate());
    await once(socket, 'open');
    socket.send(JSON.stringify(HELLO));
    return socket;
  };
  return {
    registry,
    reports,
    said,
    connect,
    async join() {
      const socket = await connect();
      const acks: number[] = [];
      const welcomed = new Promise<void>((resolve) => {
        socket.on('message', (data) => {
          const message = JSON.parse(String(data)) as CoordinatorMessage;
          if (message.type === 'ack') acks.push(message.number);
          if (message.type === 'welcome') resolve();
        });
      });
      await welcomed;
      return {
        acks,
        socket,
        deliver(...numbers) {
          for (const number of numbers)
            socket.send(JSON.stringify({ type: 'delivery', number, report: reportOf(number) }));
        },
      };
    },
  };
}

const reportOf = (number: number): WorkerReport => ({
  type: 'shard-failed',
  shard: 'run/0/0',
  reason: String(number),
});
const numberOf = (report: WorkerReport): number => ('reason' in report ? Number(report.reason) : -1);

/** Resolves when so many more reports were taken in. */
async function taken(reports: Opened['reports'], count: number): Promise<void> {
  for (let i = 0; i < count; i++) await once(reports, 'taken');
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(holds());
}

describe('the acknowledgements of a worker', () => {
  test('a full disk holds them up, in order, and once it has room they go on over the same connection', async (t) => {
    let full = true;
    const { join, reports, said } = await open(t, async (number) => {
      if (full && number >= 2) throw new Error('no space left');
    });
    const worker = await join();
    worker.deliver(1, 2, 3);
    await taken(reports, 7);
    assert.deepEqual(worker.acks, [1]);
    full = false;
    await eventually(() => worker.acks.length === 3);
    worker.deliver(4);
    await eventually(() => worker.acks.length === 4);
    assert.deepEqual(worker.acks, [1, 2, 3, 4]);
    assert.deepEqual(
      said.filter((line) => line.startsWith('reports')),
      ['reports of w1 are not kept: no space left', 'reports of w1 are kept again'],
    );
  });

  test('one that comes back meanwhile, and sends all again, gets them too', async (t) => {
    let full = true;
    const { join, reports } = await open(t, async () => {
      if (full) throw new Error('no space left');
    });
    const cut = await join();
    cut.deliver(1);
    await taken(reports, 2);
    cut.socket.terminate();
    const back = await join();
    back.deliver(1, 2);
    await taken(reports, 6);
    full = false;
    await eventually(() => back.acks.includes(2));
    assert.deepEqual(cut.acks, []);
    assert.deepEqual(
      back.acks,
      [...back.acks].sort((a, b) => a - b),
    );
  });

  test('of one that has left nothing is tried for ever', async (t) => {
    const { join, registry, reports } = await open(t, async () => {
      throw new Error('no space left');
    });
    const worker = await join();
    worker.deliver(1);
    await taken(reports, 3);
    const { acknowledged } = registry.get('w1')!;
    worker.socket.send(JSON.stringify({ type: 'goodbye', reason: 'test' }));
    await assert.rejects(acknowledged, /no space left/);
    assert.deepEqual(worker.acks, []);
  });
});

test('a worker that waits for its welcome hears from its coordinator at once, and its answers measure no clock', async (t) => {
  let queueIsUp!: (url: string) => void;
  const redisUrl = new Promise<string>((resolve) => {
    queueIsUp = resolve;
  });
  const { connect, registry } = await open(t, () => Promise.resolve(), redisUrl);
  const socket = await connect();
  const heard: CoordinatorMessage[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as CoordinatorMessage;
    heard.push(message);
    if (message.type !== 'clock-probe') return;
    const at = { receivedUs: 0, sentUs: 0 };
    socket.send(JSON.stringify({ type: 'clock-answer', probe: message.probe, ...at }));
  });
  await eventually(() => heard.length === 2);
  queueIsUp('redis://127.0.0.1:1');
  await eventually(() => registry.get('w1')!.clockMeasured);
  const types = heard.map(({ type }) => type);
  const welcomeAt = types.indexOf('welcome');
  assert.ok(welcomeAt >= 2, types.join());
  const signs = heard.slice(0, welcomeAt);
  assert.ok(signs.every((sign) => sign.type === 'clock-probe' && sign.probe === 0));
  const probes = heard.slice(welcomeAt + 1);
  assert.deepEqual(
    probes.map((probe) => probe.type === 'clock-probe' && probe.probe),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
});
