/** `coordinator start`: a coordinator for a lab, until it is told to end. */
import { once } from 'node:events';
import os from 'node:os';
import { Command } from 'commander';
import { parseDuration } from '../../shared/domain/units.ts';
import { fromEnvironment, tokenFrom } from '../../shared/environment.ts';
import { isLoopback, newToken } from '../access.ts';
import { dataOption, parseHost, parsePort, parseWait, tokenOption } from './options.ts';

interface StartFlags {
  host: string;
  port: number;
  redis?: string;
  data?: string;
  token?: string;
  tlsCert?: string;
  tlsKey?: string;
  wait: string;
  allowHooks?: boolean;
}

export function startCommand(): Command {
  return new Command('start')
    .description('start a coordinator: API, queue and websocket for workers on one port')
    .option(
      '--host <address>',
      'address to listen on; beyond loopback a token is asked for',
      parseHost,
      '127.0.0.1',
    )
    .option('--port <port>', 'port to listen on; 0: any free one', parsePort, 7070)
    .option('--redis <url>', 'a running Redis (default: $REDIS_URL, else an own redis-server)')
    .option(
      '--tls-cert <file>',
      'listen with TLS: PEM file of the certificate, with its chain; with --tls-key',
    )
    .option('--tls-key <file>', 'PEM file of its key')
    .option('--wait <duration>', 'how long a run waits for its workers', parseWait, '30s')
    .option('--allow-hooks', 'run the commands (hooks) of whatever scenario is submitted, as this user')
    .addOption(dataOption())
    .addOption(tokenOption())
    .action(start);
}

async function start(flags: StartFlags): Promise<void> {
  const { host, port, wait } = flags;
  const { createLogger } = await import('../../shared/logger.ts');
  const { DataDirectory } = await import('../data-directory.ts');
  const { openPort, portOf } = await import('../port.ts');
  const { openRedis } = await import('../redis-in-use.ts');
  const { startCoordinator } = await import('../server.ts');
  const { isFor, namesOf, readTlsPair } = await import('../tls-pair.ts');
  const tls = readTlsPair(flags.tlsCert, flags.tlsKey);
  const log = await createLogger('coordinator');
  const given = tokenFrom(flags.token);
  const data = await DataDirectory.open(flags.data ?? DataDirectory.defaultRoot());
  const onEnd: (() => Promise<unknown>)[] = [await data.lock()];
  try {
    const token = given ?? (isLoopback(host) ? undefined : await data.keptToken(newToken));
    const labId = await data.labId();
    const server = await openPort(host, port, tls);
    const redis = openRedis({
      redisUrl: flags.redis ?? fromEnvironment('REDIS_URL'),
      host,
      directory: data.redis,
      log,
    });
    // Whoever awaits `ready` hears of it.
    redis.catch(() => {});
    onEnd.push(() => redis.then(({ close }) => close()).catch(() => {}));
    const coordinator = await startCoordinator({
      server,
      token,
      data,
      redis,
      labId,
      waitMs: parseDuration(wait)! / 1_000,
      allowHooks: flags.allowHooks === true,
      log,
    });
    onEnd.push(() => coordinator.close('its coordinator was stopped'));
    await coordinator.ready;
    const at = addressOf(host, (name) => tls === undefined || isFor(tls, name));
    if (tls !== undefined && !isFor(tls, at)) {
      const names = namesOf(tls);
      log.warn(
        `the certificate is not for ${at}, but for ${names}: name the coordinator so in --coordinator`,
      );
    }
    const url = `${tls === undefined ? 'http' : 'https'}://${at.includes(':') ? `[${at}]` : at}:${portOf(server)}`;
    announce(url, given === undefined ? token : undefined, token !== undefined);
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    log.info('stopping what runs, then ending');
  } finally {
    for (const end of onEnd.reverse()) await end();
  }
}

/** The first line is for programs, the rest for the person who starts the workers. */
function announce(url: string, madeToken: string | undefined, needsToken: boolean): void {
  const token = madeToken !== undefined ? ` --token ${madeToken}` : needsToken ? ' --token TOKEN' : '';
  process.stdout.write(`Broadside coordinator on ${url}\n`);
  process.stdout.write(`  on each load machine:  worker start --coordinator ${url}${token}\n`);
  process.stdout.write(
    `  then:                  coordinator run SCENARIO.yaml --coordinator ${url}${token}\n`,
  );
  if (url.startsWith('https:'))
    process.stdout.write('  where its certificate is of an authority of your own, each with --ca FILE\n');
}

/** Where others reach it: by an address, or by a name where its certificate is only for that. */
function addressOf(host: string, fits: (name: string) => boolean): string {
  const anywhere = host === '0.0.0.0' || host === '::';
  const address = anywhere ? ownAddress() : host === 'localhost' ? '127.0.0.1' : host;
  return [address, anywhere ? os.hostname() : host].find(fits) ?? address;
}

function ownAddress(): string {
  const addresses = Object.values(os.networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? os.hostname();
}
