/** A target whose replies take known times, so that what a client says of its latencies can be held against them. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanups } from './scope.ts';

/** Far above what a busy machine adds to a reply. */
const SHORTEST_MS = 40;
const LONGEST_MS = 400;
/** This share of the replies takes the longest time: a pause of the machine moves no high percentile out of it. */
const LONGEST_SHARE = 0.05;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * How long the reply to a client's request number `index` (from 0) takes, whole ms. Any run of them is spread evenly
 * between the shortest and the longest time (the fractional parts of multiples of the golden ratio are).
 */
export function delayMs(index: number): number {
  const place = (index * GOLDEN) % 1;
  const below = 1 - LONGEST_SHARE;
  const within = Math.min(1, place / below);
  return place >= below ? LONGEST_MS : Math.round(SHORTEST_MS + within * (LONGEST_MS - SHORTEST_MS));
}

export interface DelayServer {
  /** Without a slash at the end. Each path is a client of its own: its requests are numbered from 0. */
  url: string;
  /** How long each reply to that path took in the end, from the request's head to the reply's last write, µs. */
  tookUs(path: string): number[];
}

/** Ends with the test. */
export async function startDelayServer(t: Cleanups): Promise<DelayServer> {
  const clients = new Map<string, number[]>();
  const requests = new Map<string, number>();
  const server = http.createServer(({ url = '' }, response) => {
    const beganMs = performance.now();
    const index = requests.get(url) ?? 0;
    requests.set(url, index + 1);
    setTimeout(() => {
      response.end('late\n');
      clients.set(url, [...(clients.get(url) ?? []), (performance.now() - beganMs) * 1_000]);
    }, delayMs(index));
  });
  server.listen(0, '127.0.0.1', 4096);
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tookUs: (path) => clients.get(path) ?? [],
  };
}
