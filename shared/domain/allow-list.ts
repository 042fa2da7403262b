/** The targets that a worker may load (DESIGN rule 10): checked on addresses, after DNS. */
import ipaddr from 'ipaddr.js';
import { BroadsideError } from '../errors.ts';

/** Loopback and private ranges (RFC 1918, RFC 4193), where a lab is. Not link-local: clouds keep their secrets there. */
const DEFAULT_RANGES = new Set(['loopback', 'private', 'uniqueLocal']);

export interface AllowList {
  /** What it was made of: `createAllowList` makes the same of it again. */
  readonly entries: readonly string[];
  allows(host: string, address: string): boolean;
  describe(): string;
}

/**
 * @param entries CIDR ranges, single addresses, or host names, which allow whatever they resolve to; empty: the default
 * @throws BroadsideError USAGE for an entry that is none of these
 */
export function createAllowList(entries: readonly string[]): AllowList {
  if (entries.length === 0) {
    return {
      entries,
      allows: (_host, address) => DEFAULT_RANGES.has(ipaddr.process(address).range()),
      describe: () => 'loopback and private addresses',
    };
  }
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  const hosts = new Set<string>();
  for (const entry of entries) {
    // ipaddr.js takes `10` and `10.1` for addresses, which nobody means.
    if (/^[\d.]+(\/|$)/.test(entry) && !/^(\d+\.){3}\d+(\/|$)/.test(entry)) throw notTaken(entry);
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry)) ranges.push([ipaddr.parse(entry), entry.includes(':') ? 128 : 32]);
    else if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(entry)) hosts.add(entry.toLowerCase());
    else throw notTaken(entry);
  }
  return {
    entries,
    allows: (host, address) => {
      if (hosts.has(host.toLowerCase())) return true;
      const parsed = ipaddr.process(address);
      return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range));
    },
    describe: () => entries.join(', '),
  };
}

function notTaken(entry: string): BroadsideError {
  return new BroadsideError('USAGE', `--allow ${entry}: not a CIDR range, an address or a host name`);
}
