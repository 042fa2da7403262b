/** What BullMQ and ioredis take as a connection; a part of both of their option types. */
export interface RedisConnection {
  host: string;
  port: number;
  username?: string;
  password?: string;
  db: number;
  tls?: Record<string, never>;
  /** Blocking commands must never give up by themselves. */
  maxRetriesPerRequest: null;
  connectTimeout: number;
}

/** From a Redis URL: `redis[s]://[user[:password]@]host[:port][/db]`. */
export function redisConnection(url: string): RedisConnection {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
    maxRetriesPerRequest: null,
    connectTimeout: 5_000,
  };
}
