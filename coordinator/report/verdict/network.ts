/** Links that are full, and those that lose packets. */
import { formatDuration } from '../../../shared/domain/units.ts';
import type { ReportWire } from '../hosts/host-model.ts';
import { speedText } from '../hosts/host-text.ts';
import { BOUNDS } from './bounds.ts';
import type { Evidence, Found } from './evidence.ts';
import { OBSERVE, percent } from './words.ts';

export function fullLink({ wire }: Evidence): Found | undefined {
  const full = (wire?.links ?? []).filter(
    ({ loopback, share = 0 }) => loopback !== true && share >= BOUNDS.link,
  );
  if (full.length === 0) return undefined;
  return {
    evidence: full.map(({ host, interface: name, share, speedBitsPerSecond, receivedBits, sentBits }) => {
      const way = receivedBits > sentBits ? 'in' : 'out';
      const bits = Math.max(receivedBits, sentBits);
      return `${name} of ${host} carried ${(bits / 1e6).toFixed(1)} Mbit/s ${way}, with framing: ${percent(share!, 1)} of its ${speedText(speedBitsPerSecond!)}, bound ${percent(BOUNDS.link)}`;
    }),
    advice:
      'a faster link, smaller or compressed bodies, or more workers if the full links are theirs; the server can do no more here, whatever is changed on it',
  };
}

export function linksWithSpeed({ wire }: Evidence): ReportWire['links'] {
  return (wire?.links ?? []).filter(
    ({ loopback, speedBitsPerSecond }) => loopback !== true && speedBitsPerSecond !== undefined,
  );
}

function lossyHosts({ hosts, wire }: Evidence): string[] {
  if (wire?.links.every(({ loopback }) => loopback === true) !== false) return [];
  return hosts.flatMap(({ name, tcp, interfaces }) => {
    const lossy: string[] = [];
    if (tcp !== undefined && tcp.retransmits >= BOUNDS.fewestRetransmits) {
      const share = tcp.retransmits / Math.max(1, tcp.sentSegments);
      if (share >= BOUNDS.retransmits)
        lossy.push(
          `${name} had to send ${tcp.retransmits} of ${tcp.sentSegments} TCP segments again: ${percent(share, 1)}, bound ${percent(BOUNDS.retransmits)}`,
        );
    }
    return [
      ...lossy,
      ...interfaces.flatMap(({ name: link, onPath, loopback, drops, packets }) => {
        const dropped = drops.received + drops.sent;
        const share = dropped / Math.max(1, packets.received + packets.sent);
        if (!onPath || loopback === true || dropped < BOUNDS.fewestRetransmits) return [];
        if (share < BOUNDS.retransmits) return [];
        return [
          `${link} of ${name} dropped ${dropped} packets: ${percent(share, 1)}, bound ${percent(BOUNDS.retransmits)}`,
        ];
      }),
    ];
  });
}

/** A SYN that is sent again may have been lost, or refused by a full listen queue: only the target's host knows. */
export function lostOrRefused(trial: Evidence): Found | undefined {
  const { hosts, summary } = trial;
  const lossy = lossyHosts(trial);
  if (lossy.length === 0 || (summary.connect?.max ?? 0) < BOUNDS.triedAgainUs) return undefined;
  if (hosts.some(({ role, tcp }) => role === 'observer' && tcp !== undefined)) return undefined;
  return {
    evidence: [
      ...lossy,
      `a connect took ${formatDuration(summary.connect!.max)}: lost by the network, or by a full listen queue of the target`,
    ],
    advice: OBSERVE,
  };
}

export function lossyNetwork(trial: Evidence): Found | undefined {
  const evidence = lossyHosts(trial);
  return evidence.length === 0
    ? undefined
    : { evidence, advice: 'look for cables, switches, duplex and queues (`ethtool -S`, `tc -s qdisc`)' };
}
