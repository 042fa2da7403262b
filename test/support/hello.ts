/** A raw websocket client in the place of a worker. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import WebSocket from 'ws';
import type { CoordinatorMessage } from '../../shared/protocol/messages.ts';

/** What a coordinator answers to a hello that it refuses, before it closes. */
export async function answerTo(
  url: string,
  hello: unknown,
): Promise<Extract<CoordinatorMessage, { type: 'refused' }>> {
  const socket = new WebSocket(new URL('/api/worker', url.replace(/^http/, 'ws')));
  socket.on('open', () => socket.send(typeof hello === 'string' ? hello : JSON.stringify(hello)));
  const closed = once(socket, 'close');
  const [data] = await once(socket, 'message');
  await closed;
  const answer = JSON.parse(String(data)) as CoordinatorMessage;
  assert.equal(answer.type, 'refused');
  return answer as Extract<CoordinatorMessage, { type: 'refused' }>;
}
