/**
 * A small HTTP target for demos and tests. It is no yardstick for servers, but it counts exactly what it served, so
 * that a report can be compared with the other end of the wire.
 *
 *     GET  /                  25 bytes
 *     GET  /bytes/N           N bytes (65536, 64KiB, 1MiB)
 *     POST /echo              the request's body
 *     POST /stall?for=1s      no reply begins until the time is over
 *     GET  /requests          what was served, as JSON (`TargetCounts`)
 *
 * The first two take `?delay=100ms`, `jitter=20ms`, `status=503`, `errorRate=0.01`, `chunked=1`, `close=1`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import { TargetCounter, type TargetCounts } from './target-counts.ts';
import { PLAIN_REPLY, parseBytes, parseReply, parseWaitMs, type ReplyPlan } from './target-reply.ts';

export interface RunningTarget {
  /** `http://127.0.0.1:8080`, with the port that was bound. */
  url: string;
  counts(): TargetCounts;
  /** Stops listening, lets replies that are on their way leave for up to a second, and drops the rest. */
  close(): Promise<void>;
}

const GREETING = Buffer.from('Broadside target says hi\n');
/** All other bodies are slices of this one, over and over, so that a reply of 1 GiB costs no memory. */
const FILLER = Buffer.alloc(64 * 1024, 'broadside ');
const CLOSE_WITHIN_MS = 1_000;
/** Thousands of connections arrive at the start instant; the system's default backlog would make some wait a second. */
const BACKLOG = 4096;

/** @throws BroadsideError PORT_IN_USE, or USAGE when the address is not this machine's or not allowed */
export async function startTarget(options: { host: string; port: number }): Promise<RunningTarget> {
  const target = new Target();
  await listen(target.server, options);
  const { address, family, port } = target.server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    counts: () => target.counter.totals(),
    close: () => target.close(),
  };
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') {
        reject(
          new BroadsideError('USAGE', `cannot listen on ${host}:${port}: ${messageOf(error)}`, {
            cause: error,
          }),
        );
        return;
      }
      const hint = 'Choose another one with --port; --port 0 takes any free one.';
      reject(new BroadsideError('PORT_IN_USE', `port ${port} on ${host} is in use`, { hint, cause: error }));
    });
    server.listen({ host, port, backlog: BACKLOG }, resolve);
  });
}

class Target {
  readonly counter = new TargetCounter();
  readonly server: Server;
  private errorRateCalls = 0;
  private stalledUntilMs = 0;

  constructor() {
    // When a connection ends is up to the client: limits of time would be noise in a measurement.
    const limits = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 };
    this.server = createServer(limits, (request, response) => this.answer(request, response));
    this.server.on('connection', (socket) => this.counter.track(socket));
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    const timer = setTimeout(() => this.server.closeAllConnections(), CLOSE_WITHIN_MS);
    await closed;
    clearTimeout(timer);
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url!;
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const query = mark === -1 ? '' : url.slice(mark + 1);
    if (path === '/requests') this.control(request, response, 200, () => this.describe());
    else if (path === '/stall') this.stall(request, response, query);
    else this.load(request, response, path, query);
  }

  private load(request: IncomingMessage, response: ServerResponse, path: string, query: string): void {
    this.counter.requests++;
    const bytes = path.startsWith('/bytes/') ? parseBytes(path.slice('/bytes/'.length)) : undefined;
    if (path === '/') this.serve(request, response, query, GREETING, GREETING.length);
    else if (bytes !== undefined) this.serve(request, response, query, FILLER, bytes);
    else if (path === '/echo') this.echo(request, response);
    else if (path.startsWith('/bytes/')) {
      this.refuse(response, 400, `${path}: expected a size, as /bytes/65536 or /bytes/64KiB`);
    } else this.refuse(response, 404, `${path}: known are /, /bytes/N, /echo, /requests, /stall`);
  }

  private serve(
    request: IncomingMessage,
    response: ServerResponse,
    query: string,
    content: Buffer,
    bytes: number,
  ): void {
    const plan = query === '' ? PLAIN_REPLY : parseReply(query);
    if (typeof plan === 'string') {
      this.refuse(response, 400, plan);
      return;
    }
    this.whenDue(response, plan.delayMs + plan.jitterMs * Math.random(), () => {
      const status = plan.errorRate > 0 && this.isErrorDue(plan.errorRate) ? 500 : plan.status;
      const isBodiless = status === 204 || status === 304;
      response.writeHead(status, headersOf(plan, isBodiless ? undefined : bytes));
      this.sendBody(response, content, isBodiless || request.method === 'HEAD' ? 0 : bytes);
    });
  }

  /** Spread evenly rather than drawn: of n calls, n × rate rounded down are errors. */
  private isErrorDue(rate: number): boolean {
    const before = Math.floor(this.errorRateCalls * rate);
    this.errorRateCalls++;
    return Math.floor(this.errorRateCalls * rate) > before;
  }

  /** Sends `bytes` bytes of `content`, over and over, no faster than the client reads. */
  private sendBody(response: ServerResponse, content: Buffer, bytes: number): void {
    if (bytes <= content.length) {
      this.end(response, bytes === content.length ? content : content.subarray(0, bytes));
      return;
    }
    let left = bytes;
    const pump = () => {
      while (left > content.length && !response.destroyed) {
        left -= content.length;
        this.counter.body += content.length;
        if (!response.write(content)) {
          response.once('drain', pump);
          return;
        }
      }
      if (!response.destroyed) this.end(response, content.subarray(0, left));
    };
    pump();
  }

  private end(response: ServerResponse, last: Buffer): void {
    this.counter.body += last.length;
    this.counter.replies++;
    response.end(last);
  }

  private echo(request: IncomingMessage, response: ServerResponse): void {
    this.whenDue(response, 0, () => {
      const headers = ['Content-Type', request.headers['content-type'] ?? 'application/octet-stream'];
      const isChunked = request.headers['transfer-encoding'] !== undefined;
      if (!isChunked) headers.push('Content-Length', request.headers['content-length'] ?? '0');
      response.writeHead(200, headers);
      request.on('data', (piece: Buffer) => {
        this.counter.body += piece.length;
      });
      request.once('end', () => this.counter.replies++);
      request.pipe(response);
    });
  }

  private stall(request: IncomingMessage, response: ServerResponse, query: string): void {
    const waitMs = parseWaitMs(new URLSearchParams(query).get('for') ?? '');
    if (request.method !== 'POST' || waitMs === undefined) {
      this.control(request, response, 400, () => 'expected POST /stall?for=1s, at most 10m');
      return;
    }
    this.stalledUntilMs = Math.max(this.stalledUntilMs, performance.now() + waitMs);
    this.control(request, response, 200, () => `no reply begins for ${waitMs} ms`);
  }

  /** Carries out `reply` when its delay is over, the target is not stalled, and the client is still there. */
  private whenDue(response: ServerResponse, delayMs: number, reply: () => void): void {
    const waitMs =
      this.stalledUntilMs === 0 ? delayMs : Math.max(delayMs, this.stalledUntilMs - performance.now());
    if (waitMs > 0) setTimeout(() => this.whenDue(response, 0, reply), waitMs);
    else if (!response.destroyed) reply();
  }

  private refuse(response: ServerResponse, status: number, text: string): void {
    this.whenDue(response, 0, () => {
      const body = Buffer.from(`${text}\n`);
      response.writeHead(status, headersOf(PLAIN_REPLY, body.length));
      this.end(response, body);
    });
  }

  /** A call that is not load: it is not counted, and its connection ends with it. */
  private control(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    text: () => string,
  ): void {
    this.counter.leaveOut(request);
    const body = Buffer.from(`${text()}\n`);
    response.writeHead(status, headersOf({ ...PLAIN_REPLY, close: true }, body.length));
    response.end(body);
  }

  private describe(): string {
    return JSON.stringify(this.counter.totals());
  }
}

/** Raw headers, name and value in turn: the form that node:http copies as it is. */
function headersOf(plan: Readonly<ReplyPlan>, bytes: number | undefined): string[] {
  const headers = ['Content-Type', 'text/plain'];
  if (bytes !== undefined && plan.chunked) headers.push('Transfer-Encoding', 'chunked');
  else if (bytes !== undefined) headers.push('Content-Length', String(bytes));
  if (plan.close) headers.push('Connection', 'close');
  return headers;
}
