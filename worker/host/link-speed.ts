/** `--link-speed 100mbit` and `--link-speed eth0=1gbit`: how fast a link is where the kernel does not know, or is wrong. */

export interface LinkSpeed {
  /** Undefined: of the interfaces that are named with --interface, or of all but loopback. */
  interface?: string;
  bitsPerSecond: number;
}

/** As tc(8) writes rates: decimal, of bits. */
const UNITS: Record<string, number> = { bit: 1, kbit: 1e3, mbit: 1e6, gbit: 1e9, tbit: 1e12 };

export const LINK_SPEED_FORM = 'a speed such as 100mbit, 1gbit or 2.5gbit, or eth0=100mbit for one interface';

/** Undefined for what is not of the form. */
export function parseLinkSpeed(text: string): LinkSpeed | undefined {
  const match = /^(?:([^=\s]+)=)?(\d+(?:\.\d+)?)\s*(bit|kbit|mbit|gbit|tbit)(?:\/s)?$/i.exec(text);
  if (match === null) return undefined;
  const bitsPerSecond = Number(match[2]) * UNITS[match[3]!.toLowerCase()]!;
  if (bitsPerSecond <= 0) return undefined;
  return { ...(match[1] !== undefined && { interface: match[1] }), bitsPerSecond };
}

/** The last setting that is for this interface; one that names it counts before those that do not. */
export function speedOf(
  name: string,
  { internal, chosen, chosenAny }: { internal: boolean; chosen: boolean; chosenAny: boolean },
  settings: readonly LinkSpeed[],
): number | undefined {
  const own = settings.findLast((setting) => setting.interface === name);
  const general = settings.findLast((setting) => setting.interface === undefined);
  const covered = chosenAny ? chosen : !internal;
  return own?.bitsPerSecond ?? (covered ? general?.bitsPerSecond : undefined);
}
