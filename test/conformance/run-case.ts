import assert from 'node:assert/strict';
import { clock } from '../../shared/clock.ts';
import type { Engine, EngineFactory } from '../../worker/engine/engine.ts';
import { TEST_CA } from '../support/certificates.ts';
import { RecordingSink } from '../support/recording-sink.ts';
import {
  awaitRead,
  awaitRequest,
  type Script,
  type ScriptedServer,
  send,
} from '../support/scripted-server.ts';
import type { ConformanceCase, Outcome } from './case.ts';

/** Cases whose server sends more than this are not run once for every byte of it. */
const SHORT = 120;

const FOLLOW_UP: Script = [awaitRequest, send('HTTP/1.1 204 No Content\r\n\r\n')];

/**
 * A short case with the server's bytes in two pieces, the second sent after the first was read, for every place where
 * they can be cut: on one connection where the case leaves it usable, else a case each.
 */
export function cutCases(one: ConformanceCase): ConformanceCase[] {
  const total = sentBytes(one.server);
  const waits = one.server.flat().some((step) => step.do === 'pause') || one.request?.timeoutUs !== undefined;
  if (!(one.cut ?? (total <= SHORT && !waits))) return [];
  const positions = Array.from({ length: Math.min(total, one.cutBefore ?? total) - 1 }, (_, i) => i + 1);
  if (!one.kept || one.server.length > 1) {
    const earliest = one.samples.includes('protocol');
    return positions.map((position) => ({
      ...one,
      name: `cut at ${position}`,
      server: cut(one.server, position),
      // A malformed reply is refused as soon as it can be told, which may be before the second piece.
      ...(earliest ? { receivedAtLeast: position } : {}),
    }));
  }
  return [
    {
      ...one,
      name: `cut at 1 to ${total - 1}, one after another`,
      server: [positions.flatMap((position) => cut(one.server, position)[0]!)],
      samples: positions.flatMap(() => one.samples),
      body: one.body * positions.length,
    },
  ];
}

/** Runs a case against an engine and asserts all that it expects. */
export async function runCase(
  createEngine: EngineFactory,
  server: ScriptedServer,
  one: ConformanceCase,
): Promise<void> {
  const sink = new RecordingSink();
  const follows = one.kept !== undefined;
  let scripts = one.server;
  if (follows) {
    scripts = one.kept
      ? [...scripts.slice(0, -1), [...scripts.at(-1)!, ...FOLLOW_UP]]
      : [...scripts, FOLLOW_UP];
  }
  const read = (): number => (server.secure ? sink.decryptedBytes : sink.receivedBytes);
  server.play(scripts, (bytes) => sink.until(() => read() >= bytes));

  const expected: Outcome[] = follows ? [...one.samples, 204] : [...one.samples];
  let fired = 0;
  let insideFire = false;
  const fire = (): void => {
    fired++;
    insideFire = true;
    engine.fire(0, clock.now());
    insideFire = false;
  };
  const engine: Engine = await createEngine({
    requests: [
      {
        name: 'request',
        weight: 1,
        method: 'GET',
        url: `${server.secure ? 'https' : 'http'}://127.0.0.1:${server.port}/`,
        headers: [],
        timeoutUs: 2_000_000,
        connectTimeoutUs: 2_000_000,
        ...(server.secure ? patient(one.request) : one.request),
      },
    ],
    ...(server.secure && { tls: { insecure: false, ca: TEST_CA, resume: true } }),
    startAt: 0,
    addresses: ['127.0.0.1'],
    slots: 1,
    keepAlive: one.keepAlive ?? true,
    clock,
    sink,
    onFree: (slot) => {
      assert.equal(slot, 0);
      assert.ok(!insideFire, 'onFree was called from inside fire');
      if (fired === expected.length) return;
      if (one.awaitCloseBetween) server.allClosed().then(fire);
      else fire();
    },
  });
  fire();
  await sink.until(() => sink.samples.length === expected.length);
  assert.equal(engine.inFlight, 0, 'requests in flight at the end');
  engine.close();
  await server.allClosed();

  const outcomes = sink.samples.map(({ errorClass, status }): Outcome => {
    if (errorClass === undefined) return status!;
    return status === undefined ? errorClass : { failed: errorClass, status };
  });
  assert.deepEqual(outcomes, expected, sink.samples.map(({ message }) => message).join('; '));
  assert.deepEqual(server.problems, []);
  assertCounts(one, sink, server, follows);
}

/** Short timeouts are longer by a handshake. */
function patient(request: ConformanceCase['request']): ConformanceCase['request'] {
  const { timeoutUs } = request ?? {};
  return timeoutUs === undefined ? request : { ...request, timeoutUs: timeoutUs + 100_000 };
}

function assertCounts(
  one: ConformanceCase,
  sink: RecordingSink,
  server: ScriptedServer,
  follows: boolean,
): void {
  const requests = one.samples.length + (follows ? 1 : 0);
  const opened = one.server.length + (one.kept === false ? 1 : 0);
  assert.equal(sink.startedCount, requests, 'requests started');
  assert.equal(sink.connectTimesUs.length, opened, 'connections opened');
  assert.equal(server.accepted, opened, 'connections accepted');
  if (one.reused !== 'either') {
    const reused = (one.reused ?? one.samples.length - one.server.length) + (one.kept ? 1 : 0);
    assert.equal(sink.reusedCount, reused, 'requests on a connection that had carried one');
  }
  if (server.secure) {
    assert.equal(sink.handshakeTimesUs.length, opened, 'TLS handshakes');
    assert.ok(sink.receivedBytes <= server.wireSentBytes, 'bytes received, encrypted');
  }
  const arrived = server.secure ? server.wireReceivedBytes : server.receivedBytes;
  if (!one.sentOpen) assert.equal(sink.sentBytes, arrived, 'bytes sent');
  assert.ok(server.receivedBytes >= (one.sentAtLeast ?? 0), `only ${server.receivedBytes} bytes came`);
  assert.ok(
    server.receivedBytes < (one.sentBelow ?? Infinity),
    `as many as ${server.receivedBytes} bytes came`,
  );
  assert.equal(sink.bodyBytes, one.body, 'bytes of bodies');
  const followUpBytes = follows ? sentBytes([FOLLOW_UP]) : 0;
  const received = sentBytes(one.server) + followUpBytes;
  const atLeast = one.receivedAtLeast ?? received;
  const read = server.secure ? sink.decryptedBytes : sink.receivedBytes;
  assert.ok(read >= atLeast && read <= received, `${read} bytes received, not ${atLeast} to ${received}`);
  for (const { times } of sink.samples) {
    if (times === undefined) continue;
    assert.ok(times.intended <= times.sent, 'sent before it was intended');
    assert.ok(times.sent <= times.firstByte && times.firstByte <= times.end, 'times out of order');
  }
}

function sentBytes(scripts: readonly Script[]): number {
  return scripts.flat().reduce((sum, step) => sum + (step.do === 'send' ? step.bytes.length : 0), 0);
}

/** The scripts with the bytes of their sends, counted through, cut in two at `position`. */
function cut(scripts: readonly Script[], position: number): Script[] {
  let offset = 0;
  return scripts.map((script) =>
    script.flatMap((step) => {
      if (step.do !== 'send') return [step];
      const at = position - offset;
      offset += step.bytes.length;
      if (at < 0 || at > step.bytes.length) return [step];
      // At a boundary of two sends, wait there too.
      if (at === 0) return [awaitRead, step];
      return [send(step.bytes.subarray(0, at)), awaitRead, send(step.bytes.subarray(at))].filter(
        (piece) => piece.do !== 'send' || piece.bytes.length > 0,
      );
    }),
  );
}
