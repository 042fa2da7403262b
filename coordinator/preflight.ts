/**
 * Preflight: what stands between a run and an honest measurement, found before it starts, with what mends it. Pure:
 * facts and shares in, findings out.
 */

import { isOpenLoop } from '../shared/domain/load-plan.ts';
import type { ShardPlan } from '../shared/domain/run.ts';
import { connectionsOf, rateOf } from '../shared/domain/shard.ts';
import { formatDuration } from '../shared/domain/units.ts';
import type { PreflightFacts } from '../shared/protocol/worker-facts.ts';
import type { ClockOffset } from './clock-offset.ts';
import { noWayText } from './no-way-text.ts';

export const PREFLIGHT_CHECKS = [
  'answer',
  'file-descriptors',
  'ports',
  'target',
  'addresses',
  'clock',
  'cores',
  'k6',
  'rate-cap',
  'capacity',
] as const;
export type PreflightCheck = (typeof PREFLIGHT_CHECKS)[number];

export interface Finding {
  worker: string;
  check: PreflightCheck;
  /** error: the load cannot be carried out as asked; warning: it can, but may not be believed; good: nothing found. */
  level: 'good' | 'warning' | 'error';
  message: string;
  /** What mends it: a command, or what to change in the scenario. */
  remedy?: string;
  /** Of the check `target`: the shortest connect to it, µs. */
  connect?: { url: string; us: number };
}

export interface WorkerPreflight {
  worker: string;
  /** Absent when the worker did not answer. */
  facts: PreflightFacts | undefined;
  clock: ClockOffset;
  threads: number;
  /** Its shares of the run's trials. */
  shards: readonly ShardPlan[];
}

/** Descriptors of a worker besides its connections: the runtime, the websocket, Redis, threads. */
const OWN_DESCRIPTORS = 64;
/** How long a closed connection holds its port (Linux: TCP_TIMEWAIT_LEN). */
const TIME_WAIT_S = 60;
/** A start that is known less well than this may be seen in the first second. */
const CLOCK_UNCERTAIN_US = 5_000;
/** Load average a core, over the last minute: above it others wait for the cores, and so will the load. */
const BUSY_SHARE = 1.5;

export function judgePreflight(preflight: WorkerPreflight): Finding[] {
  const { worker, facts } = preflight;
  if (facts === undefined) {
    return [{ worker, check: 'answer', level: 'warning', message: 'did not answer the preflight in time' }];
  }
  return [
    fileDescriptors(preflight, facts),
    ports(preflight, facts),
    ...targets(preflight, facts),
    clock(preflight),
    cores(preflight, facts),
    ...capacity(preflight, facts),
  ];
}

function fileDescriptors({ worker, shards }: WorkerPreflight, { fileDescriptors }: PreflightFacts): Finding {
  const check = 'file-descriptors';
  const needed = OWN_DESCRIPTORS + Math.max(0, ...shards.map(descriptorsOf));
  if (fileDescriptors === undefined) {
    return { worker, check, level: 'good', message: `needs ${needed}; this system does not tell its limit` };
  }
  const { soft, hard } = fileDescriptors;
  if (needed <= soft) return { worker, check, level: 'good', message: `needs ${needed} of ${soft}` };
  const remedy =
    needed <= hard
      ? `ulimit -n ${needed}, in the shell that starts the worker`
      : `raise the hard limit to ${needed}: \`* hard nofile ${needed}\` in /etc/security/limits.conf, or LimitNOFILE= of its service`;
  return {
    worker,
    check,
    level: 'error',
    message: `needs ${needed} file descriptors, may open ${soft}`,
    remedy,
  };
}

/** A connection that its server has yet to close still has its descriptor while the next one is opened. */
function descriptorsOf({ load }: ShardPlan): number {
  if (load.executor === 'script') return 0;
  const connections = connectionsOf(load);
  return load.keepAlive ? connections : 2 * connections;
}

function ports({ worker, shards }: WorkerPreflight, facts: PreflightFacts): Finding {
  const check = 'ports';
  const { ephemeralPorts, localAddresses = [], timeWait = 0 } = facts;
  if (ephemeralPorts === undefined) {
    return { worker, check, level: 'good', message: 'this system does not tell its ephemeral ports' };
  }
  const { low, high } = ephemeralPorts;
  const available = (high - low + 1) * Math.max(1, localAddresses.length);
  const wider = 'sysctl -w net.ipv4.ip_local_port_range="1024 65535"';
  const connections = Math.max(0, ...shards.map(({ load }) => connectionsOf(load) ?? 0));
  if (connections > available) {
    const message = `${connections} connections at once, and ${available} ports for them to one target`;
    return {
      worker,
      check,
      level: 'error',
      message,
      remedy: `${wider}, or more workers, or --local-address`,
    };
  }
  const newRate = Math.max(0, ...shards.map(({ load }) => newConnectionRate(load)));
  if (newRate * TIME_WAIT_S > available) {
    const message =
      `${Math.round(newRate)} new connections a second: if the target lets this side close first, each port rests ` +
      `${TIME_WAIT_S} s, and ${available} ports last for ${Math.floor(available / TIME_WAIT_S)} a second`;
    return {
      worker,
      check,
      level: 'warning',
      message,
      remedy: `keepAlive: true, or ${wider}, or --local-address`,
    };
  }
  if (timeWait > available / 2) {
    const message = `${timeWait} of ${available} ports rest in TIME_WAIT from earlier connections`;
    return { worker, check, level: 'warning', message, remedy: `wait a minute, or ${wider}` };
  }
  return { worker, check, level: 'good', message: `${available} ports, ${timeWait} in TIME_WAIT` };
}

/** Known beforehand only where arrivals have a rate. */
function newConnectionRate(load: ShardPlan['load']): number {
  return !isOpenLoop(load) || load.keepAlive ? 0 : rateOf(load);
}

function targets({ worker }: WorkerPreflight, facts: PreflightFacts): Finding[] {
  return facts.targets.map((reach): Finding => {
    const { url, addresses, connectUs, problem, noFamily } = reach;
    const where = new URL(url).host;
    if (noFamily !== undefined)
      return { worker, check: 'addresses', level: 'error', ...noWayText(where, reach, noFamily, facts) };
    if (problem !== undefined) {
      return {
        worker,
        check: 'target',
        level: 'error',
        message: `${where} is not reached: ${problem}`,
        remedy: `is the target up, and does it listen beyond loopback? From this machine: curl -v ${new URL(url).origin}/`,
      };
    }
    const at = addresses === undefined ? '' : ` at ${addresses.join(', ')}`;
    return {
      worker,
      check: 'target',
      level: 'good',
      message: `${where}${at}, connect ${formatDuration(connectUs ?? 0)}`,
      ...(connectUs !== undefined && { connect: { url, us: connectUs } }),
    };
  });
}

function clock({ worker, clock: { offsetUs, uncertaintyUs } }: WorkerPreflight): Finding {
  const known = `offset ${signed(offsetUs)} ± ${formatDuration(uncertaintyUs)}`;
  if (uncertaintyUs <= CLOCK_UNCERTAIN_US) return { worker, check: 'clock', level: 'good', message: known };
  return {
    worker,
    check: 'clock',
    level: 'warning',
    message: `${known}: its start is known no better than that`,
    remedy: 'a quieter network between worker and coordinator; for long runs it does not matter',
  };
}

function signed(us: number): string {
  return `${us < 0 ? '-' : '+'}${formatDuration(Math.abs(us))}`;
}

function cores({ worker, threads }: WorkerPreflight, { cores, load }: PreflightFacts): Finding {
  const check = 'cores';
  if (threads > cores) {
    const message = `${threads} load threads on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
    return {
      worker,
      check,
      level: 'warning',
      message,
      remedy: `worker start --threads ${Math.max(1, cores - 1)}`,
    };
  }
  if (load > cores * BUSY_SHARE) {
    const message = `the machine is busy already: load average ${load.toFixed(2)} on ${cores} cores`;
    return {
      worker,
      check,
      level: 'warning',
      message,
      remedy: 'stop what else runs there, or take another machine',
    };
  }
  return {
    worker,
    check,
    level: 'good',
    message: `${threads} of ${cores} for load threads, load average ${load.toFixed(2)}`,
  };
}

/** Nothing where it was never calibrated: `doctor --calibrate` is for who wants to know. */
function capacity({ worker, threads }: WorkerPreflight, { capacity }: PreflightFacts): Finding[] {
  if (capacity === undefined) return [];
  const { threadRate, measuredUs } = capacity;
  const at = new Date(measuredUs / 1_000).toISOString().slice(0, 10);
  const all = threads === 1 ? '' : `, ${threadRate * threads}/s its ${threads}`;
  const message = `one load thread reaches ${threadRate}/s on a core of its own${all}, as measured on ${at}`;
  return [{ worker, check: 'capacity', level: 'good', message }];
}
