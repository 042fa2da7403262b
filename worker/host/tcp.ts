/** /proc/net/snmp, netstat and sockstat (proc_pid_net(5)): what TCP had to do again, gave up or refused; its sockets. */
import type { SocketsNow, TcpSecond } from '../../shared/metrics/host-second.ts';
import { pairedNumbers } from './proc-text.ts';

/** Counters; `established` is a count of now. */
export type TcpReading = TcpSecond & { established: number };

/** The counters of `snmp` and `netstat` are over IPv4 and IPv6 both. */
export function readTcp(snmp: string, netstat: string): TcpReading {
  const tcp = pairedNumbers(snmp, 'Tcp', ['OutSegs', 'RetransSegs', 'EstabResets', 'CurrEstab'] as const);
  const { ListenOverflows, ListenDrops } = pairedNumbers(netstat, 'TcpExt', [
    'ListenOverflows',
    'ListenDrops',
  ] as const);
  return {
    sentSegments: tcp.OutSegs,
    retransmits: tcp.RetransSegs,
    resets: tcp.EstabResets,
    listenOverflows: ListenOverflows,
    listenDrops: ListenDrops,
    established: tcp.CurrEstab,
  };
}

/**
 * From the kernel's own counts: /proc/net/tcp would list every socket, which takes milliseconds for thousands of them.
 * `TCP: inuse 5 orphan 0 tw 12 alloc 7 mem 1` has no IPv6 sockets in `inuse`, and both kinds in the others.
 */
export function readSockets(
  sockstat: string,
  sockstat6: string | undefined,
  established: number,
): SocketsNow | undefined {
  const match = /^TCP: inuse (\d+) orphan (\d+) tw (\d+)/m.exec(sockstat);
  if (match === null) return undefined;
  const inuse6 = Number(/^TCP6: inuse (\d+)/m.exec(sockstat6 ?? '')?.[1] ?? 0);
  return {
    inUse: Number(match[1]) + inuse6,
    established,
    timeWait: Number(match[3]),
    orphaned: Number(match[2]),
  };
}
