/** A target with a fixed number of slots and a fixed service time, so that its knee is known. */
import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanups } from './scope.ts';

/** A path: requests to it wait for its slots, first come, first served; those whose client has gone do not. */
class Slots {
  private readonly serviceMs: number;
  private readonly waiting: ServerResponse[] = [];
  private free: number;

  constructor(count: number, serviceMs: number) {
    this.free = count;
    this.serviceMs = serviceMs;
  }

  take(response: ServerResponse): void {
    if (this.free > 0) {
      this.free--;
      this.serve(response);
    } else {
      this.waiting.push(response);
    }
  }

  private serve(response: ServerResponse): void {
    setTimeout(() => {
      response.end('served\n');
      let next = this.waiting.shift();
      while (next?.destroyed === true) next = this.waiting.shift();
      if (next === undefined) this.free++;
      else this.serve(next);
    }, this.serviceMs);
  }
}

/**
 * Every path has slots of its own. Ends with the test.
 * @returns its URL, without a slash at the end
 */
export async function startSlotServer(t: Cleanups, slots: number, serviceMs: number): Promise<string> {
  const paths = new Map<string, Slots>();
  const server = http.createServer(({ url = '' }, response) => {
    const own = paths.get(url) ?? new Slots(slots, serviceMs);
    paths.set(url, own);
    own.take(response);
  });
  server.listen(0, '127.0.0.1', 4096);
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
