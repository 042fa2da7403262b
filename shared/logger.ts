import pino, { type Logger } from 'pino';
import { fromEnvironment } from './environment.ts';
import { BroadsideError } from './errors.ts';

export type { Logger };

/** Anything under these keys is replaced before a line is written: secrets never reach logs. */
const SECRETS = [
  'token',
  '*.token',
  'password',
  '*.password',
  'redisUrl',
  '*.redisUrl',
  'authorization',
  '*.authorization',
];

/**
 * A logger that writes to stderr; stdout belongs to reports. Lines are readable on a terminal and JSON elsewhere.
 * The level is `BROADSIDE_LOG` (trace, debug, info, warn, error, silent) when it is set.
 * @throws BroadsideError USAGE when that is no level
 */
export async function createLogger(name: string, level = 'info'): Promise<Logger> {
  const options = {
    name,
    level: levelFrom(fromEnvironment('BROADSIDE_LOG')) ?? level,
    base: undefined,
    redact: { paths: SECRETS, censor: '[redacted]' },
  };
  if (process.stderr.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    return pino(options, pretty({ destination: 2, sync: true, colorize: true, translateTime: 'HH:MM:ss.l' }));
  }
  return pino(
    { ...options, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  );
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

function levelFrom(text: string | undefined): string | undefined {
  if (text === undefined || LEVELS.includes(text)) return text;
  throw new BroadsideError('USAGE', `$BROADSIDE_LOG: ${text} is no level`, {
    hint: `expected one of ${LEVELS.join(', ')}`,
  });
}
