/** Redis: the one at REDIS_URL, or a redis-server on this machine, which the coordinator starts for itself. */
import { connect } from 'node:net';
import { findProgram, SetupError } from './console.mjs';
import { installProgram } from './system-packages.mjs';

const ANSWER_WITHIN_MS = 3_000;

/**
 * Sees to a Redis. The program is enough: nothing here starts a server, and a service that the system's package
 * brought along is neither used nor touched.
 * @returns {Promise<{url: string} | {program: string}>}
 */
export async function ensureRedis(env = process.env) {
  const url = env.REDIS_URL;
  if (url !== undefined && url !== '') {
    await checkReachable(url);
    return { url };
  }
  const program =
    findProgram('redis-server') ?? (await installProgram('redis-server', 'it carries the queue'));
  return { program };
}

async function checkReachable(url) {
  const hint = 'Start that Redis, correct REDIS_URL, or unset it to use a redis-server of this machine.';
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['redis:', 'rediss:'].includes(parsed.protocol)) {
    throw new SetupError('REDIS_URL is not of the form redis://[:password@]host[:port][/database]', hint);
  }
  // The host only: the URL may hold a password.
  const place = {
    host: parsed.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(parsed.port) || 6379,
  };
  const socket = connect(place);
  const reason = await new Promise((resolve) => {
    socket.setTimeout(ANSWER_WITHIN_MS, () => resolve(`did not answer within ${ANSWER_WITHIN_MS / 1000} s`));
    socket.once('error', (error) => resolve(`cannot be reached: ${error.message || error.code}`));
    socket.once('connect', () => resolve(undefined));
  }).finally(() => socket.destroy());
  if (reason !== undefined) {
    throw new SetupError(`REDIS_URL names ${place.host}:${place.port}, which ${reason}`, hint);
  }
}
