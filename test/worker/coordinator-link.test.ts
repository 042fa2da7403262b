/** The worker's connection to its coordinator, against a websocket server in its stead. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { CoordinatorMessage } from '../../shared/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { readCapabilities } from '../../worker/capabilities.ts';
import { CoordinatorLink } from '../../worker/coordinator-link.ts';
import { HostSampler } from '../../worker/host-sample.ts';

const WELCOME: CoordinatorMessage = { type: 'welcome', redisUrl: '', queuePrefix: 'q', leaseMs: 60_000 };
const SILENCE_MS = 300;

async function open(t: TestContext): Promise<{ server: WebSocketServer; link: CoordinatorLink }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const link = new CoordinatorLink({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    token: undefined,
    hello: () => ({
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      role: 'worker',
      name: 'w1',
      pool: 'p',
      instance: 'i',
      capabilities: readCapabilities(1, []),
      shards: [],
    }),
    host: new HostSampler(),
    log: pino({ level: 'silent' }),
    silenceMs: SILENCE_MS,
  });
  t.after(async () => {
    for (const socket of server.clients) socket.terminate();
    await link.close();
    server.close();
  });
  return { server, link };
}

const SILENT: [sentence: string, says: readonly CoordinatorMessage[]][] = [
  ['before it welcomed', []],
  ['after its welcome', [WELCOME]],
];
for (const [sentence, says] of SILENT) {
  test(`a coordinator that falls silent ${sentence}, with the connection still open, is dialled anew`, async (t) => {
    const { server, link } = await open(t);
    link.dial();
    const [first] = (await once(server, 'connection')) as [WebSocket];
    await once(first, 'message');
    for (const message of says) first.send(JSON.stringify(message));
    const [second] = (await once(server, 'connection')) as [WebSocket];
    const [hello] = await once(second, 'message');
    assert.match(String(hello), /"hello"/);
  });
}

test('one that says anything at all is not', async (t) => {
  const { server, link } = await open(t);
  link.dial();
  const [only] = (await once(server, 'connection')) as [WebSocket];
  server.once('connection', () => assert.fail('it was dialled anew'));
  await once(only, 'message');
  for (let probe = 1; probe <= 10; probe++) {
    only.send(JSON.stringify({ type: 'clock-probe', probe } satisfies CoordinatorMessage));
    await once(only, 'message');
    await new Promise((resolve) => setTimeout(resolve, SILENCE_MS / 5));
  }
});
