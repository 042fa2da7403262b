/** What processes take, by Linux's /proc. Everything here is undefined where there is no /proc. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Jiffies a second in /proc/PID/stat: USER_HZ, 100 on every architecture that Node runs on. */
const USER_HZ = 100;

interface ProcessTimes {
  parent: number;
  /** User and system time in s of all its threads, the ended ones included. */
  own: number;
  /** Of the children that it has waited for, and theirs. */
  children: number;
}

function timesOf(pid: number | 'self'): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may hold anything; field 3 of proc(5) follows it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const seconds = (field: number): number => Number(fields[field - 3]) / USER_HZ;
    return { parent: Number(fields[1]), own: seconds(14) + seconds(15), children: seconds(16) + seconds(17) };
  } catch {
    return undefined;
  }
}

/** CPU seconds of a live process and all below it. */
export function treeCpuSeconds(root: number): number | undefined {
  const times = new Map<number, ProcessTimes>();
  for (const pid of processIds()) {
    const found = timesOf(pid);
    if (found !== undefined) times.set(pid, found);
  }
  if (!times.has(root)) return undefined;
  const sum = (pid: number): number => {
    const { own, children } = times.get(pid)!;
    const below = [...times].filter(([, { parent }]) => parent === pid);
    return below.reduce((total, [child]) => total + sum(child), own + children);
  };
  return sum(root);
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** CPU seconds that this machine's cores have been busy since it came up. */
export function machineCpuSeconds(): number | undefined {
  try {
    const [, ...jiffies] = readFileSync('/proc/stat', 'latin1')
      .split('\n')[0]!
      .trim()
      .split(/\s+/)
      .map(Number);
    const [user, nice, system, , , irq, softirq] = jiffies;
    return (user! + nice! + system! + irq! + softirq!) / USER_HZ;
  } catch {
    return undefined;
  }
}

/** CPU seconds of this process's children that have ended, and of all below them. */
export function endedChildrenCpuSeconds(): number | undefined {
  return timesOf('self')?.children;
}

/** The most memory that the process has had resident since it began, or since `forgetPeak`. */
export function peakResidentBytes(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Lets the peak start again from what is resident now. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Then the peak is that of the process's whole life, which is never too small.
  }
}
