/** The Redis that holds the queues: one that the operator named, or one of the coordinator's own. */
import type { Logger } from '../shared/logger.ts';
import { startRedisServer } from './redis-server.ts';

export interface RedisInUse {
  /** For this machine. */
  url: string;
  /** What workers are told; `{host}` stands for the host by which they reach the coordinator. */
  workersUrl: string;
  /** Ends it, if it is the coordinator's own. */
  close(): Promise<void>;
}

export interface RedisOptions {
  redisUrl: string | undefined;
  /** The coordinator's host: an own redis-server listens there too. */
  host: string;
  /** Where an own redis-server keeps its append-only file; without it, nothing is kept. */
  directory?: string;
  log: Logger;
}

/** @throws BroadsideError USAGE, REDIS_UNREACHABLE, REDIS_MISSING */
export async function openRedis({ redisUrl, ...own }: RedisOptions): Promise<RedisInUse> {
  if (redisUrl !== undefined) {
    const { checkRedis } = await import('./redis-check.ts');
    await checkRedis(redisUrl, own.log);
    return { url: redisUrl, workersUrl: redisUrl, close: async () => {} };
  }
  const { url, port, password, close } = await startRedisServer(own);
  return { url, workersUrl: `redis://:${password}@{host}:${port}`, close };
}
