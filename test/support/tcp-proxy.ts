/** A TCP proxy that a test can cut and mend: a network that breaks, on loopback. */
import { once } from 'node:events';
import net from 'node:net';
import type { TestContext } from 'node:test';

export interface TcpProxy {
  /** `http://127.0.0.1:port`, or https as the target's. */
  url: string;
  /** Drops all connections and takes none until `mend`. */
  cut(): void;
  mend(): void;
  /** What it carried: to the target, and back until the client had closed its end. */
  carried: { there: number; back: number };
}

/** Ends with the test. */
export async function startTcpProxy(t: TestContext, target: URL): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  const carried = { there: 0, back: 0 };
  let broken = false;
  const server = net.createServer((inside) => {
    if (broken) {
      inside.destroy();
      return;
    }
    const outside = net.connect(Number(target.port), target.hostname);
    outside.on('data', (bytes) => {
      if (!inside.readableEnded && !inside.destroyed) carried.back += bytes.length;
    });
    inside.on('data', (bytes) => {
      carried.there += bytes.length;
    });
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    inside.pipe(outside).pipe(inside);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(() => {
    dropAll();
    server.close();
  });
  return {
    url: `${target.protocol}//127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    cut: () => {
      broken = true;
      dropAll();
    },
    mend: () => {
      broken = false;
    },
    carried,
  };
}
