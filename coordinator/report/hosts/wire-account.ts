/** The way of the load: what its links carried, what of that was framing, and how much the narrowest could carry. */
import type { Summary } from '../../../shared/metrics/summary.ts';
import type { ReportHost, ReportLink, ReportWire, WireParts } from './host-model.ts';
import {
  bytesOn,
  ceilingOf,
  ETHERNET,
  replyCost,
  requestCost,
  type WireCost,
  type WireLoad,
  type WireTerms,
} from './wire.ts';

/** Undefined where no host told of a way, or nothing completed. */
export function wireAccount(
  summary: Pick<Summary, 'requests' | 'requestRate' | 'bytes' | 'connections'>,
  hosts: readonly ReportHost[],
): ReportWire | undefined {
  const links = linksOf(hosts);
  const { requests, requestRate, bytes, connections } = summary;
  if (links.length === 0 || requests === 0) return undefined;
  // Frames carry heads and bodies alike: where nobody tells them apart, all is body.
  const { body = bytes.received } = bytes;
  const load: WireLoad = {
    bodyBytes: body / requests,
    headBytes: Math.max(0, bytes.received - body) / requests,
    requestBytes: bytes.sent / requests,
    connections: Math.min(1, connections.opened / requests),
  };
  const terms = termsOf(summary, hosts);
  const narrowest = narrowestOf(hosts);
  const ceiling = narrowest === undefined ? undefined : ceilingOf(load, terms, narrowest.bitsPerSecond);
  return {
    perRequest: {
      body: load.bodyBytes,
      head: load.headBytes,
      sent: load.requestBytes,
      connections: load.connections,
    },
    replies: partsOf(replyCost(load, terms), requestRate),
    requests: partsOf(requestCost(load, terms), requestRate),
    links,
    ...(narrowest !== undefined &&
      ceiling !== undefined && {
        ceiling: {
          ...narrowest,
          ...ceiling,
          received: ceiling.requestRate * (load.bodyBytes + load.headBytes),
          body: ceiling.requestRate * load.bodyBytes,
          reached: requestRate / ceiling.requestRate,
        },
      }),
  };
}

function partsOf(cost: WireCost, requestRate: number): WireParts {
  const bits = (bytes: number) => 8 * bytes * requestRate;
  return {
    body: bits(cost.body),
    head: bits(cost.head),
    tcpIp: bits(cost.tcpIp),
    ethernet: bits(cost.ethernet),
    total: bits(bytesOn(cost)),
  };
}

/** The smallest frames on the way count for all of it. Loopback's have no size worth the name. */
function termsOf({ connections }: Pick<Summary, 'connections'>, hosts: readonly ReportHost[]): WireTerms {
  const onPath = hosts.flatMap(({ interfaces }) => interfaces.filter((one) => one.onPath));
  const mtu = Math.min(ETHERNET.mtu, ...onPath.flatMap(({ mtu }) => mtu ?? []));
  const ipv6 = Object.keys(connections.byAddress).some((address) => address.includes(':'));
  return { ...ETHERNET, mtu, ipv6 };
}

/**
 * One a machine and interface: several workers on one machine have the same. An observer's before a worker's: who started
 * it may have told it the speed.
 */
function linksOf(hosts: readonly ReportHost[]): ReportLink[] {
  const links = new Map<string, ReportLink>();
  const observersFirst = [...hosts].sort((a, b) => Number(a.role === 'worker') - Number(b.role === 'worker'));
  for (const { name, role, machine = name, interfaces } of observersFirst) {
    for (const one of interfaces.filter(({ onPath }) => onPath)) {
      const key = `${machine} ${one.name}`;
      if (links.has(key)) continue;
      const speed = one.speedBitsPerSecond;
      links.set(key, {
        host: name,
        role,
        interface: one.name,
        ...(one.loopback === true && { loopback: true }),
        receivedBits: one.receivedBits.mean,
        sentBits: one.sentBits.mean,
        ...(speed !== undefined && {
          speedBitsPerSecond: speed,
          share: Math.max(one.receivedBits.mean, one.sentBits.mean) / speed,
        }),
      });
    }
  }
  return [...links.values()];
}

interface Narrowest {
  link: string;
  bitsPerSecond: number;
}

/** An observer's link carries all of the load; each worker's its share, so theirs count together, if all are known. */
function narrowestOf(hosts: readonly ReportHost[]): Narrowest | undefined {
  const links = linksOf(hosts);
  const theirs = links.filter(({ role }) => role === 'worker');
  const candidates: Narrowest[] = links.flatMap((link) =>
    link.role === 'observer' && link.speedBitsPerSecond !== undefined
      ? [{ link: `${link.interface} of ${link.host}`, bitsPerSecond: link.speedBitsPerSecond }]
      : [],
  );
  const speeds = theirs.flatMap(({ speedBitsPerSecond }) => speedBitsPerSecond ?? []);
  if (theirs.length > 0 && speeds.length === theirs.length) {
    const [one] = theirs;
    candidates.push({
      link:
        theirs.length === 1 ? `${one!.interface} of ${one!.host}` : `the links of ${theirs.length} workers`,
      bitsPerSecond: speeds.reduce((sum, speed) => sum + speed, 0),
    });
  }
  return candidates.sort((a, b) => a.bitsPerSecond - b.bitsPerSecond)[0];
}
