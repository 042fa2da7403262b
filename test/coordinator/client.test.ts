/** The API from the outside, against a server in the coordinator's stead. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { CoordinatorClient } from '../../coordinator/client.ts';
import type { RunEvent } from '../../shared/protocol/run-events.ts';

const RUNNING: RunEvent = { type: 'run-state', runId: 'r1', state: 'running' };
const COMPLETED: RunEvent = { type: 'run-state', runId: 'r1', state: 'completed' };

/** @param answers whether it answers pings, as a machine that is there does */
async function watched(
  t: TestContext,
  answers: boolean,
  pingMs: number,
): Promise<{ socket: WebSocket; over: Promise<void> }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: answers });
  t.after(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  await once(server, 'listening');
  const client = new CoordinatorClient(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    undefined,
  );
  const connected = once(server, 'connection');
  const over = client.watch('r1', () => {}, pingMs);
  const [socket] = (await connected) as [WebSocket];
  socket.send(JSON.stringify(RUNNING));
  return { socket, over };
}

test('a run that is watched: a coordinator that goes without a word is found to be away', async (t) => {
  const { over } = await watched(t, false, 20);
  await assert.rejects(over, { code: 'COORDINATOR_UNREACHABLE', message: /the connection was closed/ });
});

test('a run that is watched: one that has nothing to tell is not', async (t) => {
  const { socket, over } = await watched(t, true, 20);
  for (let pings = 0; pings < 10; pings++) await once(socket, 'ping');
  socket.send(JSON.stringify(COMPLETED));
  await over;
});
