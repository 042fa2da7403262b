/**
 * A server that listens and never accepts: its thread is blocked. Once its backlog is full, the system answers no
 * further connection.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

export interface BlockedServer {
  port: number;
  close(): Promise<void>;
}

export async function startBlockedServer(): Promise<BlockedServer> {
  const worker = new Worker(fileURLToPath(import.meta.url));
  const [port] = (await once(worker, 'message')) as [number];
  return {
    port,
    close: async () => {
      await worker.terminate();
    },
  };
}

if (!isMainThread && parentPort !== null) {
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 });
  await once(server, 'listening');
  parentPort.postMessage((server.address() as AddressInfo).port);
  // The message leaves at once; after this the thread's loop stands still.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
