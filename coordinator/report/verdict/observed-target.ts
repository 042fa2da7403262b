/** What an observer on the target's host saw at a limit. */
import type { ReportHost, ReportProcess } from '../hosts/host-model.ts';
import { BOUNDS } from './bounds.ts';
import type { Evidence, Found } from './evidence.ts';
import { leisureOf } from './generator-room.ts';
import { percent } from './words.ts';

export function observedTarget(trial: Evidence): Found | undefined {
  const observed = trial.hosts.filter(({ role }) => role === 'observer');
  const evidence = [
    ...overflows(trial),
    ...observed.flatMap((host) => [...fullProcesses(host), ...fullTargetHost(host, trial)]),
  ];
  if (evidence.length === 0) return undefined;
  const leisure = leisureOf(trial);
  return {
    evidence: [...evidence, ...(leisure === undefined ? [] : [leisure])],
    advice: 'this is the target’s own limit: profile it, or compare its settings',
  };
}

/** Counted for all of a host's sockets: it is this load's queue when connections of this load were tried again. */
function overflows({ hosts, wire, summary }: Evidence): string[] {
  const { connect, latency, errors, connections } = summary;
  const slowest = Math.max(connect?.max ?? 0, latency.max);
  const refused = ['connect-timeout', 'timeout', 'reset', 'connect-refused'] as const;
  const turnedAway = refused.some((name) => (errors.byClass[name] ?? 0) > 0);
  if (slowest < BOUNDS.triedAgainUs && !turnedAway) return [];
  const own = wire?.links.every(({ loopback }) => loopback === true) === true;
  const bound = Math.max(BOUNDS.fewestOverflows, BOUNDS.overflows * connections.opened);
  // What a machine loads on itself goes through its own queues.
  const seen = hosts.filter(({ role }) => role === 'observer' || own);
  const host = seen.reduce<ReportHost | undefined>(
    (most, one) => ((one.tcp?.listenOverflows ?? 0) > (most?.tcp?.listenOverflows ?? 0) ? one : most),
    undefined,
  );
  if (host?.tcp === undefined || host.tcp.listenOverflows < bound) return [];
  return [
    `${host.name}: new connections found a listen queue full ${host.tcp.listenOverflows} times, bound ${Math.ceil(bound)}, and are tried again after a second: raise its backlog (and net.core.somaxconn), or accept faster`,
  ];
}

function fullTargetHost({ name, machine, cpu, cores, processes }: ReportHost, { hosts }: Evidence): string[] {
  if (cpu === undefined) return [];
  // Something else fills it, and the server gets its cores all the same.
  const served = processes.length > 0 && processes.every(getsItsCores);
  const shared = hosts.some((one) => one.role === 'worker' && (one.machine ?? one.name) === machine);
  return [
    ...(cpu.busy.mean >= BOUNDS.cpu && !shared && !served
      ? [
          `${name}: all ${cores ?? ''} cores together were busy ${percent(cpu.busy.mean)} of the time, bound ${percent(BOUNDS.cpu)}`,
        ]
      : []),
    ...(cpu.iowait.mean >= BOUNDS.iowait && !shared
      ? [
          `${name}: its cores waited for disks ${percent(cpu.iowait.mean)} of the time, bound ${percent(BOUNDS.iowait)}`,
        ]
      : []),
  ];
}

function getsItsCores({ user, system, waited, busiestThread, threadsRead }: ReportProcess): boolean {
  // Those that were not read may have waited too.
  if (threadsRead !== undefined) return false;
  if (waited === undefined || busiestThread === undefined || busiestThread.mean >= BOUNDS.process)
    return false;
  const wanted = (user?.mean ?? 0) + (system?.mean ?? 0) + waited.mean;
  return waited.mean < wanted * BOUNDS.waited || waited.mean < 0.05;
}

function fullProcesses({ name: host, processes }: ReportHost): string[] {
  return processes.flatMap(({ name, user, system, waited, busiestThread, threads, descriptors }) => {
    const evidence: string[] = [];
    const cpu = (user?.mean ?? 0) + (system?.mean ?? 0);
    const wanted = cpu + (waited?.mean ?? 0);
    const held =
      waited !== undefined && waited.mean >= wanted * BOUNDS.waited
        ? `, and waited for ${waited.mean.toFixed(2)} more that others had`
        : '';
    if (busiestThread !== undefined && busiestThread.mean >= BOUNDS.process) {
      evidence.push(
        `${host}: the busiest of the threads of ${name} had no time left: busy ${percent(busiestThread.mean)} of the time, bound ${percent(BOUNDS.process)}; it used ${cpu.toFixed(2)} cores${held}`,
      );
    } else if (waited !== undefined && wanted >= BOUNDS.cpu && waited.mean >= wanted * 0.5) {
      evidence.push(
        `${host}: ${name} wanted ${wanted.toFixed(2)} cores and got ${cpu.toFixed(2)}: its threads wait for each other, or for something else`,
      );
    } else if (busiestThread === undefined && threads === 1 && cpu >= BOUNDS.cpu) {
      evidence.push(
        `${host}: the one thread of ${name} was busy ${percent(cpu)} of the time, bound ${percent(BOUNDS.cpu)}`,
      );
    }
    if (descriptors !== undefined && descriptors.open >= descriptors.limit * BOUNDS.descriptors) {
      evidence.push(
        `${host}: ${name} had ${descriptors.open} of ${descriptors.limit} file descriptors open, bound ${percent(BOUNDS.descriptors)}`,
      );
    }
    return evidence;
  });
}
