/** Text of files below /proc and /sys, which tell something new at each reading. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** Undefined where there is no such file: another system, a process that ended, another user's. */
export function procText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** Files that are read every second, once opened: what is left of a reading is one or two system calls. */
const kept = new Map<string, number>();
let room = Buffer.alloc(64 * 1024);

/** As `procText`, for one of the few files that are read again and again. */
export function keptText(path: string): string | undefined {
  try {
    const file = kept.get(path) ?? openSync(path, 'r');
    kept.set(path, file);
    let length = 0;
    for (;;) {
      // A file of several parts is handed out part by part; its end is a reading of nothing.
      const read = readSync(file, room, length, room.length - length, length);
      if (read === 0) return room.toString('latin1', 0, length);
      length += read;
      if (length === room.length) room = Buffer.concat([room, Buffer.alloc(room.length)]);
    }
  } catch {
    const file = kept.get(path);
    if (file !== undefined) closeSync(file);
    kept.delete(path);
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
