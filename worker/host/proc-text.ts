/** Text of files below /proc and /sys, which tell something new at each reading. */
import { readFileSync } from 'node:fs';

/** Undefined where there is no such file: another system, a process that ended, another user's. */
export function procText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** `Name:  123 kB` and the like: the number of each name asked for; 0 for a name that is not there. */
export function numbersAfter<Name extends string>(
  text: string,
  names: readonly Name[],
): Record<Name, number> {
  const found = names.map((name): [Name, number] => {
    const at = text.startsWith(`${name}:`) ? 0 : text.indexOf(`\n${name}:`) + 1;
    const value =
      at === 0 && !text.startsWith(`${name}:`) ? 0 : Number.parseInt(text.slice(at + name.length + 1), 10);
    return [name, Number.isFinite(value) ? value : 0];
  });
  return Object.fromEntries(found) as Record<Name, number>;
}

/**
 * The tables of /proc/net/snmp and /proc/net/netstat: a line of names, then a line of values, both after `Tcp:`.
 * A kernel that has a counter not tells 0.
 */
export function pairedNumbers<Name extends string>(
  text: string,
  table: string,
  names: readonly Name[],
): Record<Name, number> {
  const [heads = [], values = []] = text
    .split('\n')
    .filter((line) => line.startsWith(`${table}:`))
    .map((line) => line.trimEnd().split(' '));
  return Object.fromEntries(
    names.map((name) => {
      const place = heads.indexOf(name);
      return [name, place < 0 ? 0 : Number(values[place] ?? 0)];
    }),
  ) as Record<Name, number>;
}
