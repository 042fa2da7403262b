/** Where to run it: on a running coordinator, or in a lab of its own on this machine. */
import type { Command } from 'commander';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { fromEnvironment, tokenFrom } from '../../shared/environment.ts';
import { BroadsideError } from '../../shared/errors.ts';
import { addLocalAddresses, checkLocalAddresses } from '../../shared/local-addresses.ts';
import type { CoordinatorClient } from '../client.ts';
import type { EmbeddedLab } from '../embedded-lab.ts';
import type { Resumed } from '../resume.ts';
import { caOption, collect, dataOption, parseUrl, tokenOption } from './options.ts';

export interface LabFlags {
  coordinator?: URL;
  token?: string;
  /** PEM of the authority of its certificate. */
  ca?: string;
  data?: string;
  redis?: string;
  allow: string[];
  localAddress: string[];
  allowHooks?: boolean;
  /** A k6 binary for its workers. */
  k6?: string;
}

export interface OpenLab {
  client: CoordinatorClient;
  close(): Promise<void>;
}

export function withLabOptions(command: Command): Command {
  return command
    .option('--coordinator <url>', 'run there, rather than in a lab of its own on this machine', parseUrl)
    .addOption(tokenOption())
    .addOption(caOption())
    .addOption(dataOption())
    .option('--redis <url>', 'for the lab of its own: a running Redis (default: an own redis-server)')
    .option(
      '--allow <cidr|host>',
      'for the lab of its own: a target outside of private addresses; repeatable',
      collect,
      [],
    )
    .option(
      '--local-address <list>',
      'for the lab of its own: addresses of this machine that connections come from, in turn; repeatable',
      addLocalAddresses,
      [],
    )
    .option(
      '--allow-hooks',
      'for the lab of its own: run the commands (hooks) of the scenario, as this user',
    );
}

/** @throws BroadsideError USAGE */
export async function checkLabFlags(flags: LabFlags): Promise<void> {
  if (flags.coordinator !== undefined) refuseLabFlags(flags);
  if (flags.localAddress.length > 0) await checkLocalAddresses(flags.localAddress);
  if (flags.allow.length === 0) return;
  const { createAllowList } = await import('../../shared/domain/allow-list.ts');
  createAllowList(flags.allow);
}

/**
 * Looks, before a lab is started, whether it can go on with that run; a running coordinator does so itself.
 * @returns what is taken over from it; undefined where another coordinator has it
 * @throws BroadsideError RUN_NOT_FOUND, USAGE
 */
export async function checkResume(
  scenario: Scenario,
  run: string,
  flags: LabFlags,
): Promise<Resumed | undefined> {
  if (flags.coordinator !== undefined) return undefined;
  const { DataDirectory } = await import('../data-directory.ts');
  const { readResumed } = await import('../resume.ts');
  return readResumed(DataDirectory.at(flags.data ?? DataDirectory.defaultRoot()), run, scenario);
}

function refuseLabFlags({ data, redis, allow, localAddress, allowHooks }: LabFlags): void {
  const given = {
    '--data': data,
    '--redis': redis,
    '--allow': allow[0],
    '--local-address': localAddress[0],
    '--allow-hooks': allowHooks,
  };
  for (const [flag, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw new BroadsideError('USAGE', `${flag}: is for a lab of its own, and --coordinator names another`, {
      hint: `give ${flag} to that coordinator or its workers, and leave it out here`,
    });
  }
}

/**
 * The lab that the flags name, or one that lasts until it is closed.
 * @throws BroadsideError HOOKS_NOT_ALLOWED
 */
export async function openLab(scenario: Scenario, flags: LabFlags): Promise<OpenLab> {
  if (flags.coordinator === undefined && scenario.hooks !== undefined && flags.allowHooks !== true) {
    const what = 'hooks: the scenario has commands to run on this machine, and --allow-hooks is not given';
    throw new BroadsideError('HOOKS_NOT_ALLOWED', what, { hint: 'read them, then give --allow-hooks' });
  }
  // The client loads while the lab starts, not once its workers have something to do.
  const [lab, { CoordinatorClient }] = await Promise.all([
    flags.coordinator === undefined ? startOwnLab(scenario, flags) : undefined,
    import('../client.ts'),
  ]);
  const client = new CoordinatorClient(
    lab?.url ?? flags.coordinator!,
    lab?.token ?? tokenFrom(flags.token),
    flags.ca,
  );
  return { client, close: async () => lab?.close() };
}

async function startOwnLab(scenario: Scenario, flags: LabFlags): Promise<EmbeddedLab> {
  const { DataDirectory } = await import('../data-directory.ts');
  const { createLogger } = await import('../../shared/logger.ts');
  const { startEmbeddedLab } = await import('../embedded-lab.ts');
  return startEmbeddedLab({
    data: await DataDirectory.open(flags.data ?? DataDirectory.defaultRoot()),
    pools: scenario.workers.pools.flatMap(({ pool, count = 1 }) => Array<string>(count).fill(pool)),
    redisUrl: flags.redis ?? fromEnvironment('REDIS_URL'),
    allow: flags.allow,
    localAddresses: flags.localAddress,
    allowHooks: flags.allowHooks === true,
    k6: flags.k6,
    log: await createLogger('lab', 'warn'),
  });
}
