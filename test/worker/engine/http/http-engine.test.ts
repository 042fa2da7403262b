import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { clock } from '../../../../shared/clock.ts';
import { BroadsideError } from '../../../../shared/errors.ts';
import type { Engine, EngineOptions } from '../../../../worker/engine/engine.ts';
import { endpointOf } from '../../../../worker/engine/http/endpoint.ts';
import { createHttpEngine } from '../../../../worker/engine/http/http-engine.ts';
import { startBlockedServer } from '../../../support/blocked-server.ts';
import { RecordingSink } from '../../../support/recording-sink.ts';
import { awaitClose, awaitRequest, ScriptedServer, send } from '../../../support/scripted-server.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';

function options(port: number, sink: RecordingSink, changes: Partial<EngineOptions> = {}): EngineOptions {
  return {
    requests: [
      {
        name: 'request',
        weight: 1,
        method: 'GET',
        url: `http://127.0.0.1:${port}/`,
        headers: [],
        timeoutUs: 5_000_000,
        connectTimeoutUs: 5_000_000,
      },
    ],
    startAt: 0,
    addresses: ['127.0.0.1'],
    slots: 1,
    keepAlive: true,
    clock,
    sink,
    onFree: () => {},
    ...changes,
  };
}

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('http engine', () => {
  let server: ScriptedServer;
  before(async () => {
    server = await ScriptedServer.listen();
  });
  after(() => server.close());

  for (const [sentence, url, message] of [
    ['another scheme is refused', 'ftp://127.0.0.1/', /not an http/],
    ['what is no URL is refused', '127.0.0.1:80', /not an http/],
    ['port 0 is refused', 'http://127.0.0.1:0/', /port 0/],
  ] as const) {
    test(`${sentence}, with one clear error`, async () => {
      const opening = createHttpEngine({
        ...options(1, new RecordingSink()),
        requests: [{ ...options(1, new RecordingSink()).requests[0]!, url }],
      });
      await assert.rejects(opening, (error) => {
        return error instanceof BroadsideError && error.code === 'USAGE' && message.test(error.message);
      });
    });
  }

  for (const [url, endpoint] of [
    ['http://a.lab/', { host: 'a.lab', port: 80, name: 'a.lab:80', secure: false }],
    ['https://a.lab/', { host: 'a.lab', port: 443, name: 'a.lab:443', secure: true }],
    ['http://[::1]:81/x', { host: '::1', port: 81, name: '[::1]:81', secure: false }],
  ] as const) {
    test(`${url} is an endpoint`, () => assert.deepEqual(endpointOf(url), endpoint));
  }

  test('as many requests as connections are exactly so many samples, each on a connection of its own', async () => {
    const slots = 100;
    const sink = new RecordingSink();
    server.play(Array(slots).fill([awaitRequest, send(OK), awaitClose]), async () => {});
    const engine = await createHttpEngine(options(server.port, sink, { slots }));
    for (let slot = 0; slot < slots; slot++) engine.fire(slot, clock.now());
    assert.equal(engine.inFlight, slots);
    await sink.until(() => sink.samples.length === slots);
    engine.close();
    await server.allClosed();
    assert.deepEqual(new Set(sink.samples.map(({ status }) => status)), new Set([200]));
    assert.deepEqual([sink.startedCount, sink.reusedCount, server.accepted], [slots, 0, slots]);
    assert.equal(sink.receivedBytes, slots * OK.length);
    assert.equal(sink.bodyBytes, slots * 2);
    assert.equal(sink.sentBytes, server.receivedBytes);
  });

  test('connections that are refused at once are fired again without starving timers', async () => {
    const sink = new RecordingSink();
    const slots = 8;
    const engine: Engine = await createHttpEngine(
      options(await closedPort(), sink, { slots, onFree: (slot) => engine.fire(slot, clock.now()) }),
    );
    for (let slot = 0; slot < slots; slot++) engine.fire(slot, clock.now());
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
    engine.close();
    const { length } = sink.samples;
    assert.ok(length >= slots, `${length} samples`);
    assert.deepEqual(new Set(sink.samples.map(({ errorClass }) => errorClass)), new Set(['connect-refused']));
    assert.equal(engine.inFlight, slots);
    assert.equal(sink.startedCount, length + slots);
    assert.deepEqual([sink.sentBytes, sink.receivedBytes, sink.connectTimesUs.length], [0, 0, 0]);
  });

  test('no descriptors left is local-fds, and does not starve timers', async () => {
    const program = fileURLToPath(new URL('../../../support/exhaust-descriptors.js', import.meta.url));
    server.play(Array(64).fill([awaitClose]), async () => {});
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', 'ulimit -n 64 && exec "$0" "$1" "$2"', process.execPath, program, String(server.port)],
      { timeout: 8000 },
    );
    const { turns, classes, message } = JSON.parse(stdout);
    assert.equal(turns, 10);
    assert.deepEqual(classes, ['local-fds'], message);
    assert.match(message, /no file descriptors left \(EMFILE\)/);
  });

  test('a server that does not accept is connect-timeout, at the connect timeout', async () => {
    const blocked = await startBlockedServer();
    const sink = new RecordingSink();
    const slots = 16;
    const base = options(blocked.port, sink, { slots });
    const requests = [{ ...base.requests[0]!, connectTimeoutUs: 100_000, timeoutUs: 300_000 }];
    const engine = await createHttpEngine({ ...base, requests });
    const startUs = clock.now();
    for (let slot = 0; slot < slots; slot++) engine.fire(slot, startUs);
    await sink.until(() => sink.samples.length === slots);
    engine.close();
    await blocked.close();
    // The first few got into the backlog: connected, and never answered.
    const connectTimeouts = sink.samples.filter(({ errorClass }) => errorClass === 'connect-timeout');
    const timeouts = sink.samples.filter(({ errorClass }) => errorClass === 'timeout');
    assert.ok(connectTimeouts.length > 0);
    assert.equal(connectTimeouts.length + timeouts.length, slots);
    assert.equal(timeouts.length, sink.connectTimesUs.length);
    for (const { atUs } of connectTimeouts) assert.ok(atUs - startUs >= 100_000);
    for (const { atUs } of timeouts) assert.ok(atUs - startUs >= 300_000);
  });

  test('a request in flight when the engine closes is reported nowhere but in inFlight', async () => {
    const sink = new RecordingSink();
    let freed = 0;
    server.play([[awaitRequest, awaitClose]], async () => {});
    const engine = await createHttpEngine(options(server.port, sink, { onFree: () => freed++ }));
    engine.fire(0, clock.now());
    while (server.receivedBytes === 0) await new Promise((resolve) => setImmediate(resolve));
    engine.close();
    await server.allClosed();
    engine.fire(0, clock.now());
    assert.deepEqual([engine.inFlight, sink.samples.length, freed, sink.startedCount], [1, 0, 0, 1]);
  });

  test('the engine may be closed from inside onFree', async () => {
    const sink = new RecordingSink();
    server.play([[awaitRequest, send(OK), awaitClose]], async () => {});
    const engine: Engine = await createHttpEngine(
      options(server.port, sink, {
        onFree: () => {
          engine.close();
          engine.fire(0, clock.now());
        },
      }),
    );
    engine.fire(0, clock.now());
    await sink.until(() => sink.samples.length === 1);
    await server.allClosed();
    assert.deepEqual([engine.inFlight, sink.startedCount], [0, 1]);
  });

  test('the intended start is handed through, and the times of a new connection include its connect', async () => {
    const sink = new RecordingSink();
    server.play([[awaitRequest, send(OK), awaitClose]], async () => {});
    const engine = await createHttpEngine(options(server.port, sink));
    const intended = clock.now() - 1000;
    engine.fire(0, intended);
    await sink.until(() => sink.samples.length === 1);
    engine.close();
    const times = sink.samples[0]!.times!;
    assert.equal(times.intended, intended);
    assert.equal(sink.connectTimesUs.length, 1);
    assert.ok(times.firstByte - times.sent >= sink.connectTimesUs[0]!);
  });
});
