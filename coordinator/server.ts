/** Wires a coordinator together: data directory, Redis, API, websockets, runs. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Logger } from '../shared/logger.ts';
import { queuePrefix } from '../shared/protocol/queues.ts';
import { redisConnection } from '../shared/protocol/redis-connection.ts';
import type { RunEvent } from '../shared/protocol/run-events.ts';
import { mayEnter } from './access.ts';
import { createApi } from './api.ts';
import { Collector } from './collector.ts';
import type { DataDirectory } from './data-directory.ts';
import { Dispatcher } from './dispatcher.ts';
import type { RedisInUse } from './redis-in-use.ts';
import { Registry } from './registry.ts';
import { RunStatusStore } from './run-status.ts';
import { Runs } from './runs.ts';
import { ScriptStore } from './scripts/store.ts';
import { DEFAULT_TIMING, type Timing } from './timing.ts';
import { stopStray } from './trial-controller.ts';
import { WorkerGateway } from './worker-gateway.ts';

export interface CoordinatorOptions {
  /** Listening already, see `openPort`. */
  server: Server;
  token: string | undefined;
  data: DataDirectory;
  /** Resolves when the queue's Redis is up; rejects when it cannot be had. */
  redis: Promise<RedisInUse>;
  /** Names its queues in Redis. Without one it is a lab for one run, which leaves nothing behind there. */
  labId?: string;
  waitMs: number;
  /** Whether commands of scenarios may run on this machine (false). */
  allowHooks?: boolean;
  timing?: Partial<Timing>;
  log: Logger;
}

export interface Coordinator {
  registry: Registry;
  /** Resolves when runs can be submitted; rejects when Redis cannot be had. */
  ready: Promise<void>;
  close(reason: string): Promise<void>;
}

/** Serves on an open port; what is wrong with Redis shows in `ready`. */
export async function startCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  const { server, redis, token, data, waitMs, log } = options;
  const prefix = queuePrefix(options.labId ?? randomUUID());
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const registry = new Registry();
  const collector = new Collector(data, (worker, shard) => stopStray(registry, worker, shard));
  // A worker that comes from a coordinator that is gone may still hold a shard of it.
  registry.on('available', ({ name, hello }) => {
    for (const { shard } of hello.shards) if (!collector.expects(shard)) stopStray(registry, name, shard);
  });

  const runs = heardElsewhere(
    redis.then(async ({ url }) => {
      const connection = redisConnection(url);
      const dispatcher = new Dispatcher(connection, prefix);
      registry.on('goodbye', ({ name }) => {
        dispatcher.forget(name).catch(() => {});
      });
      const statuses = await RunStatusStore.load(data);
      const opened = new Runs({
        data,
        statuses,
        connection,
        prefix,
        registry,
        dispatcher,
        collector,
        timing,
        stays: options.labId !== undefined,
        allowHooks: options.allowHooks ?? false,
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
    queuePrefix: prefix,
    redisUrl: heardElsewhere(runs.then(() => redis).then(({ workersUrl }) => workersUrl)),
    onReport: (session, report) => collector.take(session.name, session.hello.instance, report),
    log,
  });
  const scripts = new ScriptStore(data.root);
  await scripts.dropUnused();
  const api = createApi({
    server,
    token,
    data,
    registry,
    scripts,
    runs: heardElsewhere(runs.then(({ runs }) => runs)),
  });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 64 * 1024 * 1024,
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
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

  await api.ready();
  return {
    registry,
    ready: heardElsewhere(runs.then(() => {})),
    close: async (reason) => {
      const opened = await runs.catch(() => undefined);
      await opened?.runs.close(reason, { forget: options.labId === undefined });
      gateway.close();
      for (const client of sockets.clients) client.terminate();
      await api.close();
      await opened?.dispatcher.close();
    },
  };
}

/** Marks a rejection as handled: whoever awaits `ready` hears of it, whether or not anybody awaits this one. */
function heardElsewhere<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Sends a run's events from now on, its state first, so that nobody waits for a run that has ended. */
async function sendEvents(socket: WebSocket, runs: Runs, runId: string): Promise<void> {
  const send = (event: RunEvent): void => {
    if (event.runId === runId && socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
  };
  const { state, reason } = runs.get(runId);
  // It may have gone while it waited for the coordinator to be ready.
  if (socket.readyState !== socket.OPEN) return;
  runs.on('event', send);
  try {
    send({ type: 'run-state', runId, state, ...(reason === undefined ? {} : { reason }) });
    await once(socket, 'close');
  } finally {
    runs.off('event', send);
  }
}
