/** A target in the test's own process that notes when each request came, and can stall. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface CountingTarget {
  url: string;
  /** When each request's head was read, µs on the process's monotonic clock. */
  arrivalsUs: number[];
  /** Connections by the address that they came from. */
  connectionsFrom: Record<string, number>;
  /** Replies answered in full. */
  answered: number;
  /** Resolves when this many requests have come. */
  reached(requests: number): Promise<void>;
  /** Resolves when no request has come for `quietMs`; rejects when they go on for `withinMs`. */
  quiet(quietMs: number, withinMs: number): Promise<void>;
  /** Requests that come are answered only after `release`. */
  hold(): void;
  release(): void;
}

const BODY = Buffer.alloc(25, 'x');

/** Ends with the test. */
export async function startCountingTarget(t: TestContext, host = '127.0.0.1'): Promise<CountingTarget> {
  const held: (() => void)[] = [];
  let holding = false;
  const waiting: { requests: number; resolve: () => void }[] = [];
  const server = http.createServer((request, response) => {
    target.arrivalsUs.push(Number(process.hrtime.bigint()) / 1_000);
    request.resume();
    response.on('finish', () => {
      target.answered++;
    });
    const answer = (): void => {
      response.writeHead(200, { 'content-length': BODY.length });
      response.end(BODY);
    };
    if (holding) held.push(answer);
    else answer();
    for (let i = waiting.length - 1; i >= 0; i--) {
      if (target.arrivalsUs.length < waiting[i]!.requests) continue;
      waiting[i]!.resolve();
      waiting.splice(i, 1);
    }
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', ({ remoteAddress = '' }) => {
    const { connectionsFrom } = target;
    connectionsFrom[remoteAddress] = (connectionsFrom[remoteAddress] ?? 0) + 1;
  });
  server.listen(0, host, 4096);
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const target: CountingTarget = {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}/`,
    arrivalsUs: [],
    connectionsFrom: {},
    answered: 0,
    reached: (requests) =>
      new Promise((resolve) => {
        if (target.arrivalsUs.length >= requests) resolve();
        else waiting.push({ requests, resolve });
      }),
    quiet: (quietMs, withinMs) =>
      new Promise((resolve, reject) => {
        let timer = setTimeout(done, quietMs);
        const tooLong = setTimeout(() => settle(() => reject(new Error('requests go on'))), withinMs);
        const onRequest = (): void => {
          clearTimeout(timer);
          timer = setTimeout(done, quietMs);
        };
        server.on('request', onRequest);
        function settle(then: () => void): void {
          clearTimeout(timer);
          clearTimeout(tooLong);
          server.off('request', onRequest);
          then();
        }
        function done(): void {
          settle(resolve);
        }
      }),
    hold: () => {
      holding = true;
    },
    release: () => {
      holding = false;
      for (const answer of held.splice(0)) answer();
    },
  };
  return target;
}
