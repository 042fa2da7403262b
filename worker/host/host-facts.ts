/** What this host says of itself before it is sampled: its interfaces, how fast they are, and which leads to the target. */

import { lookup } from 'node:dns/promises';
import { readlinkSync } from 'node:fs';
import { isIP } from 'node:net';
import os from 'node:os';
import type { HostFacts, InterfaceFacts } from '../../shared/metrics/host-second.ts';
import { whyUnavailable } from './host-reader.ts';
import { kernelFacts, readInterfaces } from './interfaces.ts';
import { type LinkSpeed, speedOf } from './link-speed.ts';
import { procText } from './proc-text.ts';
import type { ProcessChoice } from './process-tree.ts';
import { interfaceTo, type OwnAddress } from './routes.ts';

/** What the operator chose on the command line. */
export interface HostChoices {
  processes: readonly ProcessChoice[];
  interfaces: readonly string[];
  linkSpeeds: readonly LinkSpeed[];
}

/** @param targetUrl of the trial; what its name leads to is looked up here, as this host's connections would */
export async function hostFacts(choices: HostChoices, targetUrl: string): Promise<HostFacts> {
  const unavailable = whyUnavailable();
  const machine = machineId();
  const timestamps = procText('/proc/sys/net/ipv4/tcp_timestamps')?.trim();
  return {
    hostname: os.hostname(),
    ...(machine !== undefined && { machine }),
    // All of the machine's, whose shares are told, also where this process may use some of them only.
    cores: os.cpus().length,
    ...(timestamps !== undefined && { tcpTimestamps: timestamps !== '0' }),
    interfaces: interfaceFacts(choices, await waysTo(targetUrl)),
    processes: choices.processes.map(({ name }) => name),
    ...(unavailable !== undefined && { unavailable }),
  };
}

/** Interfaces that this host has, also without an address; empty where the system does not tell. */
export function interfaceNames(): string[] {
  const counted = readInterfaces(procText('/proc/net/dev') ?? '');
  return [...new Set([...counted.keys(), ...Object.keys(os.networkInterfaces())])];
}

/** Of those that have an address or were chosen: a host of containers has hundreds of others. */
function interfaceFacts(
  { interfaces, linkSpeeds }: HostChoices,
  toTarget: ReadonlySet<string>,
): InterfaceFacts[] {
  const own = ownAddresses();
  const names = new Set([...own.map(({ name }) => name), ...interfaces]);
  return [...names].map((name): InterfaceFacts => {
    const mine = own.filter((one) => one.name === name);
    const chosen = interfaces.includes(name);
    const internal = mine.some((one) => one.internal);
    const kinds = { internal, chosen, chosenAny: interfaces.length > 0 };
    const told = speedOf(name, kinds, linkSpeeds);
    return {
      name,
      addresses: mine.map(({ address }) => address),
      ...(internal && { loopback: true }),
      ...kernelFacts(name),
      ...(told !== undefined && { speedBitsPerSecond: told, speedFrom: 'operator' as const }),
      ...(chosen && { chosen }),
      ...(toTarget.has(name) && { toTarget: true }),
    };
  });
}

/** None where the name does not resolve, nothing leads there, or a script alone knows where it goes. */
async function waysTo(targetUrl: string): Promise<Set<string>> {
  if (targetUrl === '') return new Set();
  const host = new URL(targetUrl).hostname.replace(/^\[|\]$/g, '');
  const found =
    isIP(host) > 0
      ? [{ address: host, family: isIP(host) }]
      : await lookup(host, { all: true }).catch(() => []);
  // As the load does: IPv6 only where there is nothing else.
  const preferred = found.filter(({ family }) => family === 4);
  const route = procText('/proc/net/route') ?? '';
  const ipv6Route = procText('/proc/net/ipv6_route') ?? '';
  const own = ownAddresses();
  const ways = (preferred.length > 0 ? preferred : found).map(({ address }) =>
    interfaceTo(address, own, route, ipv6Route),
  );
  return new Set(ways.filter((name) => name !== undefined));
}

function ownAddresses(): OwnAddress[] {
  return Object.entries(os.networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.map(({ address, internal }) => ({ name, address, internal })),
  );
}

/** One start of one system, and one network namespace of it: what its processes see of interfaces is the same. */
function machineId(): string | undefined {
  const boot = procText('/proc/sys/kernel/random/boot_id')?.trim();
  try {
    return boot === undefined ? undefined : `${boot} ${readlinkSync('/proc/self/ns/net')}`;
  } catch {
    return boot;
  }
}
