/**
 * Broadside's own engine: HTTP/1.1 on plain and TLS sockets. One request goes this way:
 *
 *   executor → `fire` → Connection.send → Transport → Connection.read → ReplyParser → sink → `onFree` → executor
 */
import type { RequestPlan } from '../../../shared/domain/run.ts';
import type { Engine, EngineFactory, EngineOptions } from '../engine.ts';
import { ClosingSockets } from './closing-sockets.ts';
import { Connection, type Surroundings } from './connection.ts';
import { Dialer } from './dialer.ts';
import { endpointOf } from './endpoint.ts';
import { HeadCache } from './head-cache.ts';
import { createRequestMix } from './request-mix.ts';

const READ_BUFFER = 64 * 1024;

/** @throws BroadsideError USAGE for a request that this engine cannot send */
export const createHttpEngine: EngineFactory = async (options) => new HttpEngine(options);

class HttpEngine implements Engine {
  inFlight = 0;
  private readonly connections: Connection[] = [];
  private readonly surroundings: Surroundings;
  private readonly sweeper: NodeJS.Timeout;
  private closed = false;

  constructor(options: EngineOptions) {
    const { requests, slots, clock, sink, onFree } = options;
    const endpoint = endpointOf(requests[0]!.url);
    this.surroundings = {
      endpoint,
      dialer: new Dialer(endpoint, options, new Uint8Array(READ_BUFFER)),
      requests: createRequestMix(options),
      clock,
      sink,
      heads: new HeadCache(),
      closing: new ClosingSockets(Math.max(16, slots)),
      deadlines: new Float64Array(slots).fill(Number.POSITIVE_INFINITY),
      over: (slot) => {
        this.inFlight--;
        onFree(slot);
      },
    };
    for (let slot = 0; slot < slots; slot++) this.connections.push(new Connection(this.surroundings, slot));
    this.sweeper = setInterval(() => this.sweep(), sweepPeriodMs(requests));
    this.sweeper.unref();
  }

  get server(): string | undefined {
    return this.surroundings.heads.server || undefined;
  }

  fire(slot: number, intendedUs: number): void {
    if (this.closed) return;
    this.inFlight++;
    this.connections[slot]!.send(intendedUs);
  }

  release(slot: number): void {
    this.connections[slot]!.drop();
  }

  close(): void {
    this.closed = true;
    clearInterval(this.sweeper);
    for (const connection of this.connections) connection.drop();
    this.surroundings.closing.destroy();
  }

  /** One timer for all slots: a timer for each request would cost more than the request. */
  private sweep(): void {
    const { clock, deadlines, closing } = this.surroundings;
    const now = clock.now();
    for (let slot = 0; slot < deadlines.length; slot++) {
      if (deadlines[slot]! <= now) this.connections[slot]!.timeOut(now);
    }
    closing.sweep(now);
  }
}

/** Timeouts are late by at most this: a twentieth of the shortest one, between 5 and 50 ms. */
function sweepPeriodMs(requests: readonly RequestPlan[]): number {
  const shortestUs = Math.min(...requests.flatMap((plan) => [plan.timeoutUs, plan.connectTimeoutUs]));
  return Math.min(50, Math.max(5, shortestUs / 20_000));
}
