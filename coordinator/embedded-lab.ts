/**
 * A lab for one run on this machine: a coordinator in this process, an own redis-server, and worker processes, all
 * the same code as on many machines (DESIGN rule 1), all gone when the run is over.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Logger } from '../shared/logger.ts';
import { newToken } from './access.ts';
import type { DataDirectory } from './data-directory.ts';
import { localUrl, openPort } from './port.ts';
import { openRedis } from './redis-in-use.ts';
import type { Coordinator } from './server.ts';

const WORKER_MAIN = new URL('../worker/main.js', import.meta.url);
/** The workers are children: they are there in a moment or not at all. */
const WAIT_MS = 15_000;

export interface EmbeddedLab {
  url: string;
  token: string;
  close(): Promise<void>;
}

export interface EmbeddedLabOptions {
  data: DataDirectory;
  /** Of its workers, one each. */
  pools: readonly string[];
  redisUrl: string | undefined;
  /** Targets that the workers may load besides loopback and private addresses. */
  allow: readonly string[];
  /** Addresses of this machine that the workers' connections come from. */
  localAddresses: readonly string[];
  /** Whether commands of the scenario may run. */
  allowHooks: boolean;
  /** For its workers; they look for one themselves where it is not given. */
  k6?: string | undefined;
  log: Logger;
}

export async function startEmbeddedLab(options: EmbeddedLabOptions): Promise<EmbeddedLab> {
  const { data, pools, redisUrl, log } = options;
  const host = '127.0.0.1';
  const token = newToken();
  const server = await openPort(host, 0);
  const url = localUrl(host, server);
  // Processes first: they load while this one does.
  const children = pools.map((pool, i) => startWorker(options, url, token, pool, i + 1));
  const redis = openRedis({ redisUrl, host, log });
  redis.catch(() => {});
  let coordinator: Coordinator | undefined;
  const close = async (): Promise<void> => {
    await Promise.all(children.map(endChild));
    await coordinator?.close('the run is over');
    server.close();
    await redis.then(({ close }) => close()).catch(() => {});
  };
  try {
    const { startCoordinator } = await import('./server.ts');
    coordinator = await startCoordinator({
      server,
      token,
      data,
      redis,
      allowHooks: options.allowHooks,
      waitMs: WAIT_MS,
      log,
    });
    await coordinator.ready;
  } catch (error) {
    await close();
    throw error;
  }
  return { url, token, close };
}

function startWorker(
  { allow, localAddresses, k6 }: EmbeddedLabOptions,
  coordinatorUrl: string,
  token: string,
  pool: string,
  number: number,
): ChildProcess {
  const allowed = allow.flatMap((entry) => ['--allow', entry]);
  const local = localAddresses.flatMap((address) => ['--local-address', address]);
  const child = fork(
    WORKER_MAIN,
    [
      'start',
      '--coordinator',
      coordinatorUrl,
      '--name',
      `local-${number}`,
      '--pool',
      pool,
      ...allowed,
      ...local,
      ...(k6 === undefined ? [] : ['--k6', k6]),
    ],
    {
      // The token is not for the process list; what the worker logs as a matter of course is not for the user.
      env: { ...process.env, BROADSIDE_TOKEN: token, BROADSIDE_LOG: process.env.BROADSIDE_LOG ?? 'error' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // Ctrl-C is for this process: it stops the load in order.
      detached: true,
    },
  );
  child.on('error', () => {});
  return child;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 7_000);
  await exited;
  clearTimeout(timer);
}
