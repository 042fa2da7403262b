#!/usr/bin/env node
/** The `worker` command: reads flags, builds the worker, and maps how it ended to an exit code. */
import { Command, InvalidArgumentError } from 'commander';
import { tellError } from '../shared/command-error.ts';
import { setUpCommands } from '../shared/command-setup.ts';
import { checkAuthority } from '../shared/coordinator-tls.ts';
import { createAllowList } from '../shared/domain/allow-list.ts';
import { ExitCode } from '../shared/exit-codes.ts';
import { findK6 } from '../shared/k6-binary.ts';
import { addLocalAddresses, checkLocalAddresses } from '../shared/local-addresses.ts';
import { createLogger } from '../shared/logger.ts';
import { BROADSIDE_VERSION } from '../shared/version.ts';
import { defaultThreads } from './capabilities.ts';
import { checkInterfaces } from './host/host-options.ts';
import type { LinkSpeed } from './host/link-speed.ts';
import {
  addJoinOptions,
  addLinkSpeedOption,
  type JoinFlags,
  leaveOnSignals,
  parseName,
  tokenOf,
} from './join-options.ts';
import { readMaxRate } from './max-rate.ts';
import { observeCommand } from './observe-command.ts';

interface StartFlags extends JoinFlags {
  pool: string;
  allow: string[];
  localAddress: string[];
  threads: number;
  weight: number;
  maxRate?: number;
  linkSpeed: LinkSpeed[];
  k6?: string;
}

/** As many as a scenario may ask for. */
const MOST_THREADS = 1024;

function parseThreads(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MOST_THREADS)
    throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST_THREADS}`);
  return count;
}

function parseWeight(text: string): number {
  const weight = Number(text);
  if (!Number.isInteger(weight) || weight < 1 || weight > 100)
    throw new InvalidArgumentError('expected a whole number from 1 to 100');
  return weight;
}

function parseMaxRate(text: string): number {
  const rate = readMaxRate(text);
  if (rate === undefined)
    throw new InvalidArgumentError('expected requests a second, such as 5000 or 5000/s');
  return rate;
}

async function start(flags: StartFlags): Promise<void> {
  const { coordinator, name, pool, threads, weight, maxRate, localAddress } = flags;
  checkAuthority(coordinator, flags.ca);
  const allowList = createAllowList(flags.allow);
  await checkLocalAddresses(localAddress);
  checkInterfaces([], flags.linkSpeed);
  const log = await createLogger('worker');
  const k6 = await findK6({ given: flags.k6, warn: (message) => log.warn(`without k6: ${message}`) });
  if (k6 !== undefined) log.info(`k6 ${k6.version} at ${k6.path}`);
  const { WorkerProcess } = await import('./life-cycle.ts');
  const worker = new WorkerProcess({
    coordinator,
    token: tokenOf(flags),
    ca: flags.ca,
    name,
    pool,
    threads,
    weight,
    maxRate,
    k6,
    allowList,
    localAddresses: localAddress,
    host: {
      // With the programs that it starts for its load.
      processes: [{ name: 'worker', pid: process.pid }],
      interfaces: [],
      linkSpeeds: flags.linkSpeed,
    },
    log,
  });
  leaveOnSignals(process, (signal) => worker.leave(signal));
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
  .version(BROADSIDE_VERSION);

const startCommand = program
  .command('start')
  .description('join a coordinator and carry out the shards that it hands out');
addJoinOptions(startCommand, 'worker')
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
  .option(
    '--threads <n>',
    'load threads of a shard, unless its scenario says',
    parseThreads,
    defaultThreads(),
  )
  .option(
    '--weight <n>',
    'its share of a load: a worker of weight 2 carries twice as much as one of 1',
    parseWeight,
    1,
  )
  .option(
    '--max-rate <rate>',
    'the most requests a second that it sends, whatever it is asked: 5000 or 5000/s (default: no cap)',
    parseMaxRate,
  )
  .option('--k6 <path>', 'a k6 binary, for scripts (default: $K6_BIN, else k6 in the PATH)')
  .action(start);
addLinkSpeedOption(startCommand);
program.addCommand(observeCommand());
setUpCommands(program);

try {
  await program.parseAsync();
  process.exit(ExitCode.good);
} catch (error) {
  process.exit(tellError('worker', error));
}
