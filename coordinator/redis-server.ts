/**
 * The coordinator's own redis-server, as a child process, for when no `--redis` is given. It listens on the
 * coordinator's host with a random password, never evicts, and keeps an append-only file when it has a directory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { redisConnection } from '../shared/protocol/redis-connection.ts';

const READY_WITHIN_MS = 10_000;
const TRIES = 3;

/**
 * redis-server takes the shell's place, and with it its process id; a watcher beside it reads from a pipe that only
 * the coordinator holds, and ends the server when that closes: however the coordinator ends, also by SIGKILL.
 */
const DIES_WITH_PARENT = '{ cat >/dev/null; kill -TERM $$; } <&3 2>/dev/null & exec redis-server "$@" 3<&-';

export interface RedisServerOptions {
  /** Address to bind besides loopback: the coordinator's. */
  host: string;
  /** For the append-only file; without one, nothing is kept. */
  directory?: string;
  log: Logger;
}

export interface RedisServer {
  /** For this machine. */
  url: string;
  port: number;
  password: string;
  close(): Promise<void>;
}

/** @throws BroadsideError REDIS_MISSING, REDIS_UNREACHABLE */
export async function startRedisServer(options: RedisServerOptions): Promise<RedisServer> {
  if (options.directory !== undefined) {
    await mkdir(options.directory, { recursive: true, mode: 0o700 });
    await endLeftOver(options.directory, options.log);
  }
  for (let attempt = 1; ; attempt++) {
    // Between asking for a free port and taking it somebody else may have taken it.
    try {
      return await tryStart(options, await freePort());
    } catch (error) {
      if (attempt === TRIES || (error instanceof BroadsideError && error.code === 'REDIS_MISSING'))
        throw error;
      options.log.debug(`redis-server did not start (${messageOf(error)}); trying another port`);
    }
  }
}

async function tryStart({ host, directory }: RedisServerOptions, port: number): Promise<RedisServer> {
  const password = randomBytes(24).toString('hex');
  // Settings go through stdin: a password on the command line is everybody's to read.
  const settings = [
    `port ${port}`,
    `bind ${bindAddresses(host)}`,
    `requirepass ${password}`,
    'maxmemory-policy noeviction',
    'save ""',
    'daemonize no',
    ...(directory === undefined ? ['appendonly no'] : ['appendonly yes', `dir "${directory}"`]),
  ];
  const child = spawn('sh', ['-c', DIES_WITH_PARENT, 'sh', '-'], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // Ctrl-C is for the coordinator; it still needs the queue to end in order.
    detached: true,
  });
  // A shell without redis-server is gone before it has read anything; `ready` says so.
  child.stdin!.on('error', () => {});
  child.stdin!.end(`${settings.join('\n')}\n`);
  await ready(child, port);
  const url = `redis://:${password}@127.0.0.1:${port}`;
  if (directory !== undefined) {
    const leftOver: LeftOver = { pid: child.pid!, url };
    await writeFile(leftOverFile(directory), JSON.stringify(leftOver), { mode: 0o600 });
  }
  return {
    url,
    port,
    password,
    close: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      for (const pipe of child.stdio) pipe?.destroy();
      if (directory !== undefined) await rm(leftOverFile(directory), { force: true });
    },
  };
}

function bindAddresses(host: string): string {
  if (host === '0.0.0.0') return '0.0.0.0';
  if (host === '::') return '0.0.0.0 ::';
  return host === '127.0.0.1' || host === 'localhost' ? '127.0.0.1' : `127.0.0.1 ${host}`;
}

/** Resolves when the server says that it accepts connections; rejects with what it said before it ended. */
async function ready(child: ChildProcess, port: number): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      for (const pipe of child.stdio) pipe?.destroy();
      const missing = /redis-server: .*not found/.test(output);
      reject(
        missing
          ? new BroadsideError('REDIS_MISSING', 'there is no redis-server on the PATH', {
              hint: 'install it (apt-get install redis-server), or name a running one with --redis URL',
            })
          : new BroadsideError('REDIS_UNREACHABLE', `redis-server on port ${port} did not start: ${why}`),
      );
    };
    const timer = setTimeout(() => fail(`not ready within ${READY_WITHIN_MS / 1000} s`), READY_WITHIN_MS);
    const onOutput = (data: Buffer): void => {
      output = `${output}${data}`.slice(-4_000);
      if (!/Ready to accept connections/.test(output)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout!.on('data', onOutput);
    child.stderr!.on('data', onOutput);
    child.once('error', (error) => fail(messageOf(error)));
    child.once('exit', (code) => fail(lastLine(output) || `exit code ${code}`));
  });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

interface LeftOver {
  pid: number;
  url: string;
}

function leftOverFile(directory: string): string {
  return path.join(directory, 'server.json');
}

/** A server that an earlier coordinator left on this directory is ended first: two would write to one file. */
async function endLeftOver(directory: string, log: Logger): Promise<void> {
  const url = leftOverUrl(await readFile(leftOverFile(directory), 'utf8').catch(() => ''));
  if (url === undefined) return;
  const { Redis } = await import('ioredis');
  const redis = new Redis({ ...redisConnection(url), lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    log.warn('a redis-server that an earlier coordinator left behind is still running; ending it');
    const ended = once(redis, 'end');
    await redis.shutdown().catch(() => {});
    await ended;
  } catch {
    // Nobody answers to that password: it is gone.
  } finally {
    redis.disconnect();
    await rm(leftOverFile(directory), { force: true });
  }
}

function leftOverUrl(text: string): string | undefined {
  try {
    return (JSON.parse(text) as LeftOver).url;
  } catch {
    return undefined;
  }
}
