/** Wires a coordinator together: data directory, Redis, API, websockets, runs. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { BroadsideError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { RunEvent } from '../shared/protocol/messages.ts';
import { redisConnection } from '../shared/protocol/redis-connection.ts';
import { mayEnter } from './access.ts';
import { createApi } from './api.ts';
import { Collector } from './collector.ts';
import type { DataDirectory } from './data-directory.ts';
import { Dispatcher } from './dispatcher.ts';
import { checkRedis } from './redis-check.ts';
import { startRedisServer } from './redis-server.ts';
import { Registry } from './registry.ts';
import { RunStatusStore } from './run-status.ts';
import { Runs } from './runs.ts';
import { DEFAULT_TIMING, type Timing } from './timing.ts';
import { stopStray } from './trial-controller.ts';
import { WorkerGateway } from './worker-gateway.ts';

export interface CoordinatorOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  token: string | undefined;
  data: DataDirectory;
  /** Of a running Redis; without it, an own redis-server is started. */
  redisUrl: string | undefined;
  /** Whether the own redis-server keeps its queue on disk. */
  keepQueue: boolean;
  waitMs: number;
  timing?: Partial<Timing>;
  log: Logger;
}

export interface Coordinator {
  /** For this machine: `http://127.0.0.1:7070`. */
  url: string;
  port: number;
  registry: Registry;
  /** Resolves when runs can be submitted; rejects when Redis cannot be had. */
  ready: Promise<void>;
  close(reason: string): Promise<void>;
}

/** @throws BroadsideError PORT_IN_USE; what is wrong with Redis shows in `ready` */
export async function startCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { host, port, token, data, waitMs, log } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const registry = new Registry();
  const collector = new Collector(data, (worker, shard) => stopStray(registry, worker, shard));

  // The port is opened before Redis is up: workers can dial and measure their clocks meanwhile.
  const redis = openRedis(options);
  const runs = heardElsewhere(
    redis.then(async ({ url }) => {
      const connection = redisConnection(url);
      const dispatcher = new Dispatcher(connection);
      registry.on('goodbye', ({ name }) => {
        dispatcher.forget(name).catch(() => {});
      });
      const statuses = await RunStatusStore.load(data);
      const opened = new Runs({
        data,
        statuses,
        connection,
        registry,
        dispatcher,
        collector,
        timing,
        waitMs,
        log,
      });
      await opened.begin();
      return { runs: opened, dispatcher };
    }),
  );

  const gateway = new WorkerGateway({
    registry,
    silenceMs: timing.silenceMs,
    leaseMs: timing.leaseMs,
    redisUrl: heardElsewhere(runs.then(() => redis).then(({ workersUrl }) => workersUrl)),
    onReport: (session, report) => collector.take(session.name, report),
    log,
  });
  const api = createApi({ token, data, registry, runs: heardElsewhere(runs.then(({ runs }) => runs)) });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 64 * 1024 * 1024,
  });
  api.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!mayEnter(request.headers, token)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const runId = /^\/api\/runs\/([^/]+)\/events$/.exec(path)?.[1];
    if (path !== '/api/worker' && runId === undefined) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (runId === undefined) gateway.accept(webSocket);
      else runs.then(({ runs }) => sendEvents(webSocket, runs, runId)).catch(() => webSocket.terminate());
    });
  });

  await listen(api, host, port);
  const address = api.server.address() as AddressInfo;
  const shownHost =
    host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${address.port}`,
    port: address.port,
    registry,
    ready: heardElsewhere(runs.then(() => {})),
    close: async (reason) => {
      const opened = await runs.catch(() => undefined);
      await opened?.runs.close(reason);
      gateway.close();
      for (const client of sockets.clients) client.terminate();
      await api.close();
      await opened?.dispatcher.close();
      await redis.then(({ close }) => close()).catch(() => {});
    },
  };
}

/** Marks a rejection as handled: whoever awaits `ready` hears of it, whether or not anybody awaits this one. */
function heardElsewhere<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

interface RedisInUse {
  url: string;
  /** What workers are told; `{host}` stands for the host by which they reach the coordinator. */
  workersUrl: string;
  close(): Promise<void>;
}

async function openRedis({ redisUrl, host, keepQueue, data, log }: CoordinatorOptions): Promise<RedisInUse> {
  if (redisUrl !== undefined) {
    await checkRedis(redisUrl, log);
    return { url: redisUrl, workersUrl: redisUrl, close: async () => {} };
  }
  const server = await startRedisServer({ host, log, ...(keepQueue ? { directory: data.redis } : {}) });
  return {
    url: server.url,
    workersUrl: `redis://:${server.password}@{host}:${server.port}`,
    close: server.close,
  };
}

async function listen(api: ReturnType<typeof createApi>, host: string, port: number): Promise<void> {
  try {
    await api.listen({ host, port });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new BroadsideError('PORT_IN_USE', `port ${port} on ${host} is in use`, {
        hint: 'is a coordinator running already? Choose another port with --port N, or --port 0 for any free one',
        cause,
      });
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new BroadsideError('USAGE', `--host ${host}: this machine does not have that address`, { cause });
    }
    throw cause;
  }
}

/** Sends a run's events from now on, its state first, so that nobody waits for a run that has ended. */
async function sendEvents(socket: WebSocket, runs: Runs, runId: string): Promise<void> {
  const send = (event: RunEvent): void => {
    if (event.runId === runId && socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
  };
  runs.on('event', send);
  const { state, reason } = runs.get(runId);
  send({ type: 'run-state', runId, state, ...(reason === undefined ? {} : { reason }) });
  await once(socket, 'close');
  runs.off('event', send);
}
