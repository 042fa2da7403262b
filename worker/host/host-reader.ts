/** Everything there is to read of this host at one moment, and what happened between two of them. */
import type { HostSecond, SocketsNow } from '../../shared/metrics/host-second.ts';
import { counted, countedEach } from './counter.ts';
import { type CpuReading, readCpu, sharesBetween } from './cpu.ts';
import { carriedBetween, type InterfaceCounters, readInterfaces } from './interfaces.ts';
import { readMemory } from './memory.ts';
import { keptText, procText } from './proc-text.ts';
import { readSystemFiles } from './process-stat.ts';
import { readSockets, readTcp, type TcpReading } from './tcp.ts';

/** What is absent this system does not tell. */
export interface HostReading {
  cpu?: CpuReading;
  memory?: NonNullable<HostSecond['memory']>;
  interfaces?: Map<string, InterfaceCounters>;
  tcp?: TcpReading;
  sockets?: SocketsNow;
  descriptors?: NonNullable<HostSecond['descriptors']>;
}

/** Why this host cannot be sampled, or undefined when it can. */
export function whyUnavailable(): string | undefined {
  return procText('/proc/stat') === undefined
    ? `not available on ${process.platform}: only Linux tells what its hosts do, in /proc`
    : undefined;
}

/** Texts of the files it names, undefined where there is none. */
export function readHost(textOf: (path: string) => string | undefined = keptText): HostReading {
  const read = <T>(path: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = textOf(path);
    return text === undefined ? undefined : parse(text);
  };
  const cpu = read('/proc/stat', readCpu);
  const memory = read('/proc/meminfo', readMemory);
  const interfaces = read('/proc/net/dev', readInterfaces);
  const tcp = read('/proc/net/snmp', (snmp) => readTcp(snmp, textOf('/proc/net/netstat') ?? ''));
  const sockets = read('/proc/net/sockstat', (sockstat) =>
    readSockets(sockstat, textOf('/proc/net/sockstat6'), tcp?.established ?? 0),
  );
  const descriptors = read('/proc/sys/fs/file-nr', readSystemFiles);
  return {
    ...(cpu !== undefined && { cpu }),
    ...(memory !== undefined && { memory }),
    ...(interfaces !== undefined && { interfaces }),
    ...(tcp !== undefined && { tcp }),
    ...(sockets !== undefined && { sockets }),
    ...(descriptors !== undefined && { descriptors }),
  };
}

type Between = Omit<HostSecond, 'second' | 'fromUs' | 'lengthUs' | 'processes'>;

/** Counters as differences, everything else as it is now. */
export function between(before: HostReading, now: HostReading): Between {
  const { memory, sockets, descriptors } = now;
  return {
    ...(before.cpu !== undefined && now.cpu !== undefined && cpuBetween(before.cpu, now.cpu)),
    ...(memory !== undefined && { memory }),
    ...(before.interfaces !== undefined &&
      now.interfaces !== undefined && { interfaces: carriedBetween(before.interfaces, now.interfaces) }),
    ...(before.tcp !== undefined && now.tcp !== undefined && { tcp: tcpBetween(before.tcp, now.tcp) }),
    ...(sockets !== undefined && { sockets }),
    ...(descriptors !== undefined && { descriptors }),
  };
}

function cpuBetween(before: CpuReading, now: CpuReading): Between {
  const cpu = sharesBetween(before.total, now.total);
  const cores = [...now.cores].flatMap(([number, times]) => {
    const earlier = before.cores.get(number);
    return earlier === undefined ? [] : (sharesBetween(earlier, times) ?? []);
  });
  return {
    ...(cpu !== undefined && { cpu }),
    ...(cores.length > 0 && { cores }),
    contextSwitches: counted(before.contextSwitches, now.contextSwitches),
    // The reader itself is running.
    runQueue: Math.max(0, now.runQueue - 1),
    blocked: now.blocked,
  };
}

function tcpBetween(before: TcpReading, now: TcpReading): NonNullable<HostSecond['tcp']> {
  const { established: _before, ...earlier } = before;
  const { established: _now, ...later } = now;
  return countedEach(earlier, later);
}
