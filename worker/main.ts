#!/usr/bin/env node
/** The `worker` command: reads flags, builds the worker, and maps how it ended to an exit code. */
import os from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { readCoordinatorUrl } from '../shared/coordinator-url.ts';
import { createAllowList } from '../shared/domain/allow-list.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import { ExitCode, exitCodeOf } from '../shared/exit-codes.ts';
import { addLocalAddresses, checkLocalAddresses } from '../shared/local-addresses.ts';
import { createLogger } from '../shared/logger.ts';
import { WORKER_NAME, WORKER_NAME_FORM } from '../shared/protocol/worker-name.ts';
import { BROADSIDE_VERSION } from '../shared/version.ts';
import { defaultThreads } from './capabilities.ts';
import { WorkerProcess } from './life-cycle.ts';

interface StartFlags {
  coordinator: URL;
  token?: string;
  name: string;
  pool: string;
  allow: string[];
  localAddress: string[];
  threads: number;
}

function parseCoordinatorUrl(text: string): URL {
  const url = readCoordinatorUrl(text);
  if (url === undefined) throw new InvalidArgumentError('expected a URL such as http://10.0.0.2:7070');
  return url;
}

function parseName(text: string): string {
  if (!WORKER_NAME.test(text)) throw new InvalidArgumentError(`expected ${WORKER_NAME_FORM}`);
  return text;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new InvalidArgumentError('expected a whole number from 1 up');
  return count;
}

function defaultName(): string {
  return `${os
    .hostname()
    .split('.')[0]!
    .replace(/[^A-Za-z0-9._-]/g, '-')}-${process.pid}`;
}

async function start(flags: StartFlags): Promise<void> {
  const { coordinator, name, pool, threads, localAddress } = flags;
  const allowList = createAllowList(flags.allow);
  await checkLocalAddresses(localAddress);
  const log = await createLogger('worker');
  const token = flags.token ?? process.env.BROADSIDE_TOKEN;
  const worker = new WorkerProcess({
    coordinator,
    token,
    name,
    pool,
    threads,
    allowList,
    localAddresses: localAddress,
    log,
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // A second signal means it: the default action ends the process.
    process.once(signal, () => worker.leave(signal));
  }
  // A worker that another process started (an embedded lab) ends with it.
  if (process.send !== undefined) {
    process.once('disconnect', () => worker.leave('its parent ended'));
    // It may have ended while this process was loading.
    if (!process.connected) worker.leave('its parent ended');
  }
  worker.join();
  await worker.left;
}

const program = new Command('worker')
  .description('Broadside worker: drives load on this machine for a coordinator')
  .version(BROADSIDE_VERSION)
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'worker:')) })
  .exitOverride();

program
  .command('start')
  .description('join a coordinator and carry out the shards that it hands out')
  .requiredOption('--coordinator <url>', 'where `coordinator start` listens', parseCoordinatorUrl)
  .option('--token <token>', 'the token that `coordinator start` printed (default: $BROADSIDE_TOKEN)')
  .option('--name <name>', 'name of this worker, unique at its coordinator', parseName, defaultName())
  .option('--pool <pool>', 'pool to join; scenarios choose workers by pool', parseName, 'default')
  .option(
    '--allow <cidr|host>',
    'a target that this worker may load; repeatable (default: loopback and private addresses)',
    (entry: string, entries: string[]) => [...entries, entry],
    [],
  )
  .option(
    '--local-address <list>',
    'addresses of this machine that connections come from, in turn: 10.0.0.7,10.0.0.8; repeatable',
    addLocalAddresses,
    [],
  )
  .option('--threads <n>', 'load threads of a shard, unless its scenario says', parseCount, defaultThreads())
  .action(start);

try {
  await program.parseAsync();
  process.exit(ExitCode.good);
} catch (error) {
  process.exit(exitCodeFor(error));
}

function exitCodeFor(error: unknown): number {
  // commander has written its own message; `--help` and `--version` end with 0.
  if (
    error instanceof Error &&
    'exitCode' in error &&
    'code' in error &&
    String(error.code).startsWith('commander.')
  ) {
    return error.exitCode === 0 ? ExitCode.good : ExitCode.usage;
  }
  process.stderr.write(`worker: ${messageOf(error)}\n`);
  if (error instanceof BroadsideError && error.hint !== undefined) process.stderr.write(`  ${error.hint}\n`);
  return exitCodeOf(error);
}
