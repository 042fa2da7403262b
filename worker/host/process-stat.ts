/** /proc/PID/stat, limits and the auxiliary vector (proc_pid_stat(5), getauxval(3)). */
import { readFileSync } from 'node:fs';
import type { DescriptorsNow } from '../../shared/metrics/host-second.ts';

export interface ProcessStat {
  pid: number;
  parent: number;
  /** The program's name, at most 15 characters. */
  name: string;
  /** Z and X have ended. */
  state: string;
  /** In jiffies, of 1/USER_HZ s: its own, and those of children that it has waited for. */
  userJiffies: number;
  systemJiffies: number;
  childUserJiffies: number;
  childSystemJiffies: number;
  threads: number;
  /** In jiffies since the start of the system; with the pid it names a process for good. */
  startJiffies: number;
  residentPages: number;
}

/** A name may have spaces and parentheses in it: it ends with the last one. */
export function readProcessStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ');
  // From the third field on.
  const at = (number: number): number => Number(fields[number - 3]);
  return {
    pid: Number(text.slice(0, open)),
    parent: at(4),
    name: text.slice(open + 1, close),
    state: fields[0]!,
    userJiffies: at(14),
    systemJiffies: at(15),
    childUserJiffies: at(16),
    childSystemJiffies: at(17),
    threads: at(20),
    startJiffies: at(22),
    residentPages: at(24),
  };
}

/** Soft limit of open files, from /proc/PID/limits. */
export function readFileLimit(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(text)?.[1];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}

/** /proc/sys/fs/file-nr: open files of the whole system, and how many there may be. */
export function readSystemFiles(text: string): DescriptorsNow | undefined {
  const match = /^(\d+)\s+\d+\s+(\d+)/.exec(text);
  return match === null ? undefined : { open: Number(match[1]), limit: Number(match[2]) };
}

export interface SystemUnits {
  pageBytes: number;
  jiffiesPerSecond: number;
}

/** AT_PAGESZ and AT_CLKTCK of linux/auxvec.h; pairs of 64-bit numbers. */
const PAGE_SIZE = 6n;
const CLOCK = 17n;

/** /proc/self/auxv; what nearly every Linux has where it is not to be read. */
export function readSystemUnits(auxv: Buffer | undefined): SystemUnits {
  const units = { pageBytes: 4096, jiffiesPerSecond: 100 };
  for (let at = 0; auxv !== undefined && at + 16 <= auxv.length; at += 16) {
    const [key, value] = [auxv.readBigUInt64LE(at), Number(auxv.readBigUInt64LE(at + 8))];
    if (key === PAGE_SIZE) units.pageBytes = value;
    if (key === CLOCK) units.jiffiesPerSecond = value;
  }
  return units;
}

/** Of this system. */
export function systemUnits(): SystemUnits {
  try {
    return readSystemUnits(readFileSync('/proc/self/auxv'));
  } catch {
    return readSystemUnits(undefined);
  }
}
