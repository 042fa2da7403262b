/** /proc/net/dev (proc_pid_net(5)) and /sys/class/net: what the network interfaces carry, and how fast they are. */
import { existsSync } from 'node:fs';
import type { InterfaceFacts, InterfaceSecond } from '../../shared/metrics/host-second.ts';
import { countedEach } from './counter.ts';
import { procText } from './proc-text.ts';

export type InterfaceCounters = Omit<InterfaceSecond, 'name'>;

export function readInterfaces(text: string): Map<string, InterfaceCounters> {
  const found = new Map<string, InterfaceCounters>();
  for (const line of text.split('\n')) {
    // The counters may follow the colon without a space; a name may have a colon in it (eth0:1).
    const match = /^\s*(\S+):\s*(\d[\d\s]*)$/.exec(line);
    if (match === null) continue;
    const [receivedBytes, receivedPackets, , receivedDrops, , , , , sentBytes, sentPackets, , sentDrops] =
      match[2]!.trim().split(/\s+/).map(Number);
    if (sentDrops === undefined) continue;
    found.set(match[1]!, {
      receivedBytes: receivedBytes!,
      sentBytes: sentBytes!,
      receivedPackets: receivedPackets!,
      sentPackets: sentPackets!,
      receivedDrops: receivedDrops!,
      sentDrops,
    });
  }
  return found;
}

/** Of those that were there both times; an interface that has come or gone meanwhile has nothing to compare with. */
export function carriedBetween(
  before: ReadonlyMap<string, InterfaceCounters>,
  now: ReadonlyMap<string, InterfaceCounters>,
): InterfaceSecond[] {
  return [...now].flatMap(([name, counters]) => {
    const earlier = before.get(name);
    if (earlier === undefined) return [];
    const carried = countedEach(earlier, counters);
    return Object.values(carried).some((count) => count > 0) ? [{ name, ...carried }] : [];
  });
}

/**
 * /sys/class/net/NAME/speed in Mbit/s: -1 or unreadable where the driver does not know it.
 * @param behind what is below it: a device, or for `vlan` and `bond` the kind in its uevent; a veth pair, whose 10000
 *   means nothing, has neither
 */
export function readSpeed(
  text: string | undefined,
  behind: { device: boolean; uevent: string | undefined },
): number | undefined {
  const megabits = Number(text?.trim() || Number.NaN);
  const real = behind.device || /^DEVTYPE=(vlan|bond)$/m.test(behind.uevent ?? '');
  return megabits > 0 && real ? megabits * 1e6 : undefined;
}

/** What the kernel knows of an interface besides its addresses. */
export function kernelFacts(name: string): Pick<InterfaceFacts, 'mtu' | 'speedBitsPerSecond' | 'speedFrom'> {
  const at = `/sys/class/net/${name}`;
  const mtu = Number(procText(`${at}/mtu`) || Number.NaN);
  const speed = readSpeed(procText(`${at}/speed`), {
    device: existsSync(`${at}/device`),
    uevent: procText(`${at}/uevent`),
  });
  return {
    ...(mtu > 0 && { mtu }),
    ...(speed !== undefined && { speedBitsPerSecond: speed, speedFrom: 'kernel' as const }),
  };
}
