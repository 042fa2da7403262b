/**
 * A lab of several machines on one: coordinator, workers, target and proxy are hosts on a switch, and the real commands
 * run in them. The tests use it, and `npm run lab`.
 */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  type CliProcess,
  type CliResult,
  cleanEnvironment,
  endCli,
  followCli,
  mainOf,
  ROOT,
} from '../support/cli.ts';
import type { Cleanups } from '../support/scope.ts';
import type { Host } from './host.ts';
import { type HostPlan, makeNetwork, type Network } from './network.ts';

export interface LabPlan {
  workers: number;
  /** Of every link, both ways at a time. */
  bitsPerSecond: number;
}

export interface NetworkLab {
  /** Of the coordinator, seen from any host. */
  url: string;
  token: string;
  /** For files; goes with the lab. */
  directory: string;
  /** Where its journals are. */
  data: string;
  /** `worker-1` and so on. */
  workers: readonly string[];
  /** `coordinator`, `target`, `proxy`, or one of the workers. */
  host(name: string): Host;
  lose: Network['lose'];
  /** Starts one of the two commands on a host. */
  start(host: string, bin: 'coordinator' | 'worker', args: readonly string[]): CliProcess;
  /** `worker observe` on a host, once it has joined. */
  observe(host: string, processes?: readonly string[]): Promise<CliProcess>;
  /** `coordinator run … --coordinator <this lab>`, on the coordinator's host. */
  run(args: readonly string[]): Promise<CliResult>;
  /** The same on this terminal. */
  show(args: readonly string[]): ChildProcess;
}

const PORT = 7070;
const NUMBERS = { coordinator: 1, target: 2, proxy: 3, firstWorker: 11 };
/** Their addresses are 10.77.0.11 to 10.77.0.254. */
export const MOST_WORKERS = 244;

/** Coordinator and workers, joined; the target's host is still idle. It ends with the test. */
export async function startNetworkLab(t: Cleanups, plan: LabPlan): Promise<NetworkLab> {
  const workers = Array.from({ length: plan.workers }, (_, i) => `worker-${i + 1}`);
  const network = makeNetwork(t, hostsOf(workers, plan.bitsPerSecond));
  const token = randomBytes(16).toString('hex');
  const url = `http://${network.host('coordinator').address}:${PORT}`;
  const env = { ...cleanEnvironment(), BROADSIDE_TOKEN: token };
  const data = path.join(network.directory, 'data');
  mkdirSync(data);
  const spawn = (host: string, bin: 'coordinator' | 'worker', args: readonly string[], stdio: StdioOptions) =>
    network.host(host).spawn(process.execPath, [mainOf(bin), ...args], { env, stdio, cwd: ROOT });
  const start: NetworkLab['start'] = (host, bin, args) =>
    followCli(spawn(host, bin, args, ['ignore', 'pipe', 'pipe']));
  const service = async (...[host, bin, args]: Parameters<NetworkLab['start']>): Promise<CliProcess> => {
    const cli = start(host, bin, args);
    t.after(() => endCli(cli));
    await cli.says(bin === 'worker' ? /joined/ : /^Broadside coordinator on http/m);
    return cli;
  };
  const join = (host: string, subcommand: string, more: readonly string[] = []): Promise<CliProcess> => {
    const args = ['--coordinator', url, '--name', host, '--link-speed', `${plan.bitsPerSecond}bit`];
    return service(host, 'worker', [subcommand, ...args, ...more]);
  };
  const runWords = (args: readonly string[]): string[] => ['run', ...args, '--coordinator', url];
  const { address } = network.host('coordinator');
  await service('coordinator', 'coordinator', [
    'start',
    ...['--host', address!, '--port', String(PORT), '--data', data],
    // The scenario is the lab's owner's own, and so is all that it can reach.
    '--allow-hooks',
  ]);
  await Promise.all(workers.map((name) => join(name, 'start')));
  return {
    ...{ url, token, directory: network.directory, data, workers },
    ...{ host: network.host, lose: network.lose, start },
    observe: (host, processes = []) =>
      join(
        host,
        'observe',
        processes.flatMap((one) => ['--process', one]),
      ),
    run: (args) => start('coordinator', 'coordinator', runWords(args)).ended,
    show: (args) => spawn('coordinator', 'coordinator', runWords(args), 'inherit'),
  };
}

function hostsOf(workers: readonly string[], bitsPerSecond: number): HostPlan[] {
  const others = ['coordinator', 'target', 'proxy'] as const;
  return [
    ...others.map((name) => ({ name, number: NUMBERS[name], bitsPerSecond })),
    ...workers.map((name, i) => ({ name, number: NUMBERS.firstWorker + i, bitsPerSecond })),
  ];
}
