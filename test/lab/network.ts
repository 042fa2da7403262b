/** Hosts on a switch: namespaces, each with one link of a given rate to a bridge in a namespace of its own. */
import type { Cleanups } from '../support/scope.ts';
import { Host } from './host.ts';
import { hostShaping, linkCommands, portShaping } from './link.ts';
import { portLoss, portLossOver } from './loss.ts';
import { makeNamespaces, run, set } from './namespaces.ts';

/** On no other network of this machine, for nothing leads out of the lab's. */
const addressOf = (number: number): string => `10.77.0.${number}`;

export interface HostPlan {
  name: string;
  /** The last part of its address, 10.77.0.N. */
  number: number;
  /** Of its link, both ways at a time. */
  bitsPerSecond: number;
}

export interface Network {
  /** For files; goes with the network. */
  directory: string;
  /** @throws Error for one that there is not */
  host(name: string): Host;
  /**
   * From here on the host's link loses this share of the frames, each way, until what is returned is called.
   * @throws Error where the kernel cannot
   */
  lose(name: string, share: number): () => void;
}

/** Up, and gone with the test. Needs root on Linux, iproute2, and a kernel with bridge, veth and sch_tbf. */
export function makeNetwork(t: Cleanups, plans: readonly HostPlan[]): Network {
  const namespaces = makeNamespaces(t);
  const switchNamespace = namespaces.add('switch');
  set(switchNamespace, SWITCH_SETTINGS);
  run(
    'ip',
    ['-n', switchNamespace, '-batch', '-'],
    ['link add sw0 type bridge mcast_snooping 0', 'link set dev sw0 up'],
  );
  const shape = (...commands: string[]): void => run('tc', ['-n', switchNamespace, '-batch', '-'], commands);
  const hosts = new Map<string, Host>();
  for (const { name, number, bitsPerSecond } of plans) {
    const namespace = namespaces.add(name);
    const address = addressOf(number);
    set(namespace, HOST_SETTINGS);
    run('ip', ['-n', namespace, '-batch', '-'], linkCommands(name, switchNamespace, address));
    run('tc', ['-n', namespace, '-batch', '-'], [hostShaping(bitsPerSecond)]);
    shape(portShaping(name, bitsPerSecond));
    hosts.set(name, new Host(name, namespace, address));
  }
  // Links come up last, when their queues are there.
  const ports = plans.map(({ name }) => `link set dev ${name} master sw0 up`);
  run('ip', ['-n', switchNamespace, '-batch', '-'], ports);
  return {
    directory: namespaces.directory,
    host: (name) => {
      const host = hosts.get(name);
      if (host === undefined)
        throw new Error(`there is no host ${name}, but ${[...hosts.keys()].join(', ')}`);
      return host;
    },
    lose: (name, share) => {
      shape(...portLoss(name, share));
      return () => shape(portLossOver(name));
    },
  };
}

const SWITCH_SETTINGS = {
  // An interface that comes up would speak IPv6 at once, and its neighbours would count it.
  'net.ipv6.conf.all.disable_ipv6': '1',
  'net.ipv6.conf.default.disable_ipv6': '1',
};

const HOST_SETTINGS = {
  ...SWITCH_SETTINGS,
  // The same on every machine: of all congestion controls only this one may be chosen in any namespace. On a short link
  // cubic, Linux's usual one, behaves like it; BBR takes longer than a trial to share a link evenly.
  'net.ipv4.tcp_congestion_control': 'reno',
  // Two segments of a connection wait for the link at a time, so that all connections have the same share of it. By
  // default those with a larger window keep more in the queue and get more, unless an fq_codel shares it out.
  'net.ipv4.tcp_limit_output_bytes': '4608',
};

/** What an interface has counted since it came up. */
export interface LinkCounters {
  receivedBytes: number;
  sentBytes: number;
  receivedPackets: number;
  sentPackets: number;
}

/** Of a host's eth0, by ip(8). */
export async function countersOf(host: Host): Promise<LinkCounters> {
  const { stdout } = await host.run('ip', ['-json', '-statistics', 'link', 'show', 'eth0']);
  const [{ stats64 }] = JSON.parse(stdout) as [
    { stats64: Record<'rx' | 'tx', { bytes: number; packets: number }> },
  ];
  const { rx, tx } = stats64;
  return {
    receivedBytes: rx.bytes,
    sentBytes: tx.bytes,
    receivedPackets: rx.packets,
    sentPackets: tx.packets,
  };
}
