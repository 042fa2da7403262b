/** `coordinator start`: a coordinator for a lab, until it is told to end. */
import { once } from 'node:events';
import os from 'node:os';
import { Command } from 'commander';
import { createLogger } from '../../shared/logger.ts';
import { isLoopback, newToken } from '../access.ts';
import { dataOption, parsePort, parseSeconds, tokenFrom, tokenOption } from './options.ts';

interface StartFlags {
  host: string;
  port: number;
  redis?: string;
  data?: string;
  token?: string;
  wait: number;
}

export function startCommand(): Command {
  return new Command('start')
    .description('start a coordinator: API, queue and websocket for workers on one port')
    .option('--host <address>', 'address to listen on; beyond loopback a token is asked for', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0: any free one', parsePort, 7070)
    .option('--redis <url>', 'a running Redis (default: $REDIS_URL, else an own redis-server)')
    .option('--wait <seconds>', 'how long a run waits for its workers', parseSeconds, 30)
    .addOption(dataOption())
    .addOption(tokenOption())
    .action(start);
}

async function start(flags: StartFlags): Promise<void> {
  const { host, port, wait } = flags;
  const { DataDirectory } = await import('../data-directory.ts');
  const { startCoordinator } = await import('../server.ts');
  const log = createLogger('coordinator');
  const given = tokenFrom(flags.token);
  const token = given ?? (isLoopback(host) ? undefined : newToken());

  const data = await DataDirectory.open(flags.data ?? DataDirectory.defaultRoot());
  const unlock = await data.lock();
  try {
    const coordinator = await startCoordinator({
      host,
      port,
      token,
      data,
      redisUrl: flags.redis ?? process.env.REDIS_URL,
      keepQueue: true,
      waitMs: wait * 1_000,
      log,
    });
    try {
      await coordinator.ready;
      announce(host, coordinator.port, given === undefined ? token : undefined, token !== undefined);
      const [signal] = await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
      log.info(`${signal ?? 'signal'}: stopping what runs, then ending`);
    } finally {
      await coordinator.close('its coordinator was stopped');
    }
  } finally {
    await unlock();
  }
}

/** The first line is for programs, the rest for the person who starts the workers. */
function announce(host: string, port: number, madeToken: string | undefined, needsToken: boolean): void {
  const local = isLoopback(host);
  const reachableAt = local ? '127.0.0.1' : host === '0.0.0.0' || host === '::' ? ownAddress() : host;
  const url = `http://${reachableAt.includes(':') ? `[${reachableAt}]` : reachableAt}:${port}`;
  const token = madeToken !== undefined ? ` --token ${madeToken}` : needsToken ? ' --token TOKEN' : '';
  process.stdout.write(`Broadside coordinator on ${url}\n`);
  process.stdout.write(`  on each load machine:  worker start --coordinator ${url}${token}\n`);
  process.stdout.write(
    `  then:                  coordinator run SCENARIO.yaml --coordinator ${url}${token}\n`,
  );
}

function ownAddress(): string {
  const addresses = Object.values(os.networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? os.hostname();
}
