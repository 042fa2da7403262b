/**
 * A thread that answers every request with the same few bytes, and does as little for it as can be: what a load thread
 * reaches against it is the load thread's own limit. Its client sends one request at a time, in one piece.
 */
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { parentPort } from 'node:worker_threads';

const REPLY = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'latin1');

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', () => socket.write(REPLY));
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 128 }, () => {
  parentPort!.postMessage((server.address() as AddressInfo).port);
});
