/** A look at a Redis that the operator named, before anything is built on it. */
import { Redis } from 'ioredis';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { redisConnection } from '../shared/protocol/redis-connection.ts';

/** `redis://user:secret@host:6379` without the secret, for messages. */
export function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  return shown.toString();
}

/** @throws BroadsideError USAGE for a URL of another form, REDIS_UNREACHABLE */
export async function checkRedis(url: string, log: Logger): Promise<void> {
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol) || new URL(url).hostname === '') {
    throw new BroadsideError('USAGE', '--redis: expected a URL such as redis://10.0.0.2:6379');
  }
  const redis = new Redis({ ...redisConnection(url), lazyConnect: true, retryStrategy: () => null });
  let problem: unknown;
  redis.on('error', (error) => {
    problem = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    const policy = /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1];
    if (policy !== undefined && policy !== 'noeviction') {
      log.warn(
        `the Redis at ${withoutPassword(url)} evicts keys when memory is short (maxmemory-policy ${policy}): queued runs ` +
          'could vanish; set it to noeviction',
      );
    }
  } catch (cause) {
    throw new BroadsideError(
      'REDIS_UNREACHABLE',
      `no Redis answers at ${withoutPassword(url)}: ${messageOf(problem ?? cause)}`,
      {
        hint: 'check --redis, or leave it out: the coordinator then starts a redis-server of its own',
        cause,
      },
    );
  } finally {
    redis.disconnect();
  }
}
