/** A port of loopback for a program that cannot choose one by itself. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Free now; whoever listens on it has to live with another having been faster. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
