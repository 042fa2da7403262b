/** What a coordinator should know of this machine before it loads a target from here. */

import { lookup } from 'node:dns/promises';
import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import type { AllowList } from '../shared/domain/allow-list.ts';
import { messageOf } from '../shared/errors.ts';
import type { PreflightFacts, TargetReach } from '../shared/protocol/worker-facts.ts';
import { hostOf, resolveTarget } from './target-addresses.ts';

/** @param urls one of each target */
export async function preflightFacts(
  urls: readonly string[],
  allowList: AllowList,
  localAddresses: string[],
  connectTimeoutMs: number,
): Promise<PreflightFacts> {
  const limits = fileLimits();
  const ports = ephemeralPorts();
  const timeWait = numberIn('/proc/net/sockstat', /^TCP:.* tw (\d+)/m);
  const timeWaitReuse = numberIn('/proc/sys/net/ipv4/tcp_tw_reuse', /^(\d+)/);
  return {
    cores: os.availableParallelism(),
    load: os.loadavg()[0]!,
    ...(limits === undefined ? {} : { fileDescriptors: limits }),
    ...(ports === undefined ? {} : { ephemeralPorts: ports }),
    ...(timeWait === undefined ? {} : { timeWait }),
    ...(timeWaitReuse === undefined ? {} : { timeWaitReuse }),
    ...(localAddresses.length > 0 && { localAddresses }),
    targets: await Promise.all(urls.map((url) => reach(url, allowList, localAddresses, connectTimeoutMs))),
  };
}

/** Soft and hard limit of this process, and how many it has open. Linux only: Node has no other way to ask. */
function fileLimits(): PreflightFacts['fileDescriptors'] | undefined {
  const match = matchIn('/proc/self/limits', /^Max open files\s+(\d+)\s+(\d+|unlimited)/m);
  if (match === undefined) return undefined;
  const hard = match[2] === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(match[2]);
  return { soft: Number(match[1]), hard, open: readdirSync('/proc/self/fd').length };
}

function ephemeralPorts(): PreflightFacts['ephemeralPorts'] | undefined {
  const match = matchIn('/proc/sys/net/ipv4/ip_local_port_range', /^(\d+)\s+(\d+)/);
  return match === undefined ? undefined : { low: Number(match[1]), high: Number(match[2]) };
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  const match = matchIn(file, pattern);
  return match === undefined ? undefined : Number(match[1]);
}

function matchIn(file: string, pattern: RegExp): RegExpExecArray | undefined {
  try {
    return pattern.exec(readFileSync(file, 'utf8')) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Connects once to each of the target's addresses, and closes; nothing is sent. */
async function reach(
  url: string,
  allowList: AllowList,
  localAddresses: readonly string[],
  timeoutMs: number,
): Promise<TargetReach> {
  let addresses: string[] | undefined;
  try {
    const { protocol, port } = new URL(url);
    addresses = await resolveTarget(url, allowList);
    if (localAddresses.length > 0 && !localAddresses.some((local) => sameFamily(local, addresses![0]!)))
      return { url, addresses, noFamily: await noFamily(url, addresses[0]!, 'local-address') };
    const times: number[] = [];
    for (const address of addresses) {
      const localAddress = localAddresses.find((local) => sameFamily(local, address));
      const to = { host: address, port: Number(port || (protocol === 'https:' ? 443 : 80)), localAddress };
      times.push(await connectTime(to, timeoutMs));
    }
    return { url, addresses, connectUs: Math.round(Math.min(...times)) };
  } catch (error) {
    const unreached = { url, problem: messageOf(error) };
    if (addresses === undefined) return unreached;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (localAddresses.length > 0 || !NO_ROUTE.includes(code)) return { ...unreached, addresses };
    return { ...unreached, addresses, noFamily: await noFamily(url, addresses[0]!, 'route') };
  }
}

/** What a connect says at once where the system has no route, no address or no support for a family. */
const NO_ROUTE = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

function sameFamily(one: string, other: string): boolean {
  return net.isIP(one) === net.isIP(other);
}

async function noFamily(
  url: string,
  address: string,
  missing: 'route' | 'local-address',
): Promise<TargetReach['noFamily']> {
  const host = hostOf(url);
  const all = net.isIP(host) === 0 ? await lookup(host, { all: true }).catch(() => []) : [];
  const others = all.flatMap((found) => (sameFamily(found.address, address) ? [] : found.address));
  return { family: net.isIPv6(address) ? 'IPv6' : 'IPv4', missing, others };
}

function connectTime(
  to: { host: string; port: number; localAddress: string | undefined },
  timeoutMs: number,
): Promise<number> {
  const { host, port, localAddress } = to;
  return new Promise((resolve, reject) => {
    const begunMs = performance.now();
    const socket = net.connect({
      host,
      port,
      ...(localAddress !== undefined && { localAddress }),
      autoSelectFamily: false,
    });
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      then();
    };
    const timer = setTimeout(
      () => settle(() => reject(new Error(`no connection to ${host}:${port} within ${timeoutMs / 1_000} s`))),
      timeoutMs,
    );
    socket.once('connect', () => settle(() => resolve((performance.now() - begunMs) * 1_000)));
    socket.once('error', (error) => settle(() => reject(error)));
  });
}
