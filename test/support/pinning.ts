/** Keeps a process on one core, so that what is measured does not depend on where the system moves it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One core for the load, another for its target. */
export interface Cores {
  client: number;
  server: number;
}

/** @returns the first two cores that this process may use, or why processes cannot be pinned to one each. */
export function readCores(): Cores | string {
  if (spawnSync('taskset', ['--version']).error !== undefined) return 'taskset is not installed';
  let status: string;
  try {
    status = readFileSync('/proc/self/status', 'latin1');
  } catch {
    return 'this system has no /proc';
  }
  const [client, server] = coresOf(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '');
  if (client === undefined || server === undefined) return 'this process may use one core only';
  return { client, server };
}

/** The cores of a list as Linux writes it, such as `0-3,8`. */
export function coresOf(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return first === undefined || Number.isNaN(first)
      ? []
      : Array.from({ length: last! - first + 1 }, (_, i) => first + i);
  });
}

/** The command line that keeps a program on a core. taskset becomes the program, so its process id is the program's. */
export function pinned(
  core: number | undefined,
  command: string,
  args: readonly string[],
): [string, string[]] {
  return core === undefined ? [command, [...args]] : ['taskset', ['-c', String(core), command, ...args]];
}
