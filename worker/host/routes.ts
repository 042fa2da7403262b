/** /proc/net/route and ipv6_route (proc_pid_net(5)): by which interface an address is reached. */
import { isIPv4 } from 'node:net';

/**
 * The interface of the most specific route to an address, the one with the lowest metric among equals; undefined where
 * there is none. The kernel's local routes are in neither table's IPv4 part: see `interfaceTo`.
 */
export function routeTo(address: string, route: string, ipv6Route: string): string | undefined {
  return isIPv4(address) ? route4(address, route) : route6(address, ipv6Route);
}

/** RTF_UP and RTF_REJECT of linux/route.h. */
const UP = 0x1;
const REJECT = 0x200;

interface Route {
  name: string;
  /** Bits of its prefix. */
  length: number;
  metric: number;
}

/** Addresses and masks are written as the machine keeps them: the first byte last, on little-endian ones. */
function route4(address: string, text: string): string | undefined {
  const wanted = littleEndian(address);
  const fitting = text.split('\n').flatMap((line): Route[] => {
    const [name = '', destination = '', , flags = '', , , metric = '', mask = ''] = line.trim().split(/\s+/);
    if (!/^[0-9A-F]{8}$/i.test(destination) || !isUsable(flags)) return [];
    const bits = Number.parseInt(mask, 16);
    if (((wanted ^ Number.parseInt(destination, 16)) & bits) !== 0) return [];
    return [{ name, length: ones(bits), metric: Number(metric) }];
  });
  return best(fitting);
}

function littleEndian(address: string): number {
  return address.split('.').reduceRight((value, byte) => value * 256 + Number(byte), 0);
}

function ones(bits: number): number {
  return (bits >>> 0).toString(2).replaceAll('0', '').length;
}

function route6(address: string, text: string): string | undefined {
  const wanted = bytesOf6(address);
  if (wanted === undefined) return undefined;
  const fitting = text.split('\n').flatMap((line): Route[] => {
    const fields = line.trim().split(/\s+/);
    const [destination = '', prefix = ''] = fields;
    const [metric = '', , , flags = '', name = ''] = fields.slice(5);
    if (destination.length !== 32 || !isUsable(flags)) return [];
    const length = Number.parseInt(prefix, 16);
    const own = BigInt(`0x${destination}`);
    if (length > 0 && (own ^ wanted) >> BigInt(128 - length) !== 0n) return [];
    return [{ name, length, metric: Number.parseInt(metric, 16) }];
  });
  return best(fitting);
}

/** Undefined for what is no IPv6 address; a zone (`%eth0`) is passed over. */
function bytesOf6(address: string): bigint | undefined {
  const [plain = ''] = address.split('%');
  const [head = '', tail] = plain.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':').flatMap(mapped));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all =
    tail === undefined
      ? left
      : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  if (all.length !== 8 || !all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return BigInt(`0x${all.map((group) => group.padStart(4, '0')).join('')}`);
}

/** The last four bytes may be written as an IPv4 address. */
function mapped(group: string): string[] {
  if (!isIPv4(group)) return [group];
  const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number];
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
}

function isUsable(flags: string): boolean {
  const bits = Number.parseInt(flags, 16);
  return (bits & UP) !== 0 && (bits & REJECT) === 0;
}

function best(routes: readonly Route[]): string | undefined {
  return [...routes].sort((a, b) => b.length - a.length || a.metric - b.metric)[0]?.name;
}

export interface OwnAddress {
  name: string;
  address: string;
  internal: boolean;
}

/**
 * The interface that packets to `address` leave by. What this machine has itself goes by its loopback.
 * @param own addresses of this machine
 */
export function interfaceTo(
  address: string,
  own: readonly OwnAddress[],
  route: string,
  ipv6Route: string,
): string | undefined {
  const loopback = own.find(({ internal }) => internal)?.name;
  const isOwn = own.some((one) => one.address === address) || /^127\.|^::1$/.test(address);
  return isOwn ? loopback : routeTo(address, route, ipv6Route);
}
