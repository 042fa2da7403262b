/** /proc/stat (proc_stat(5)): what the cores were doing, context switches, run queue. */
import type { CpuShares } from '../../shared/metrics/host-second.ts';

/** In jiffies since the start of the system. */
type CpuTimes = Record<keyof CpuShares, number>;

export interface CpuReading {
  total: CpuTimes;
  /** By number; a core that is off is missing. */
  cores: Map<number, CpuTimes>;
  contextSwitches: number;
  runQueue: number;
  blocked: number;
}

export function readCpu(text: string): CpuReading | undefined {
  let total: CpuTimes | undefined;
  const cores = new Map<number, CpuTimes>();
  const single = { ctxt: 0, procs_running: 0, procs_blocked: 0 };
  for (const line of text.split('\n')) {
    const [name = '', ...fields] = line.split(/\s+/, 10);
    if (name === 'cpu') total = timesOf(fields);
    else if (/^cpu\d/.test(name)) cores.set(Number(name.slice(3)), timesOf(fields));
    else if (name in single) single[name as keyof typeof single] = Number(fields[0]);
  }
  if (total === undefined) return undefined;
  const { ctxt: contextSwitches, procs_running: runQueue, procs_blocked: blocked } = single;
  return { total, cores, contextSwitches, runQueue, blocked };
}

/** Time of guests is in `user` already; old kernels have fewer fields. */
function timesOf(fields: readonly string[]): CpuTimes {
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] =
    fields.map(Number);
  return { user: user + nice, system: system + irq + softirq, iowait, steal, idle };
}

const KINDS = ['user', 'system', 'iowait', 'steal', 'idle'] as const;

/** Undefined where no time has passed between the two: a core that was off, or a moment too short for the clock. */
export function sharesBetween(before: CpuTimes, now: CpuTimes): CpuShares | undefined {
  // iowait and idle of a core may go back a little (proc_stat(5)).
  const passed = KINDS.map((kind) => Math.max(0, now[kind] - before[kind]));
  const all = passed.reduce((sum, jiffies) => sum + jiffies, 0);
  if (all === 0) return undefined;
  const shares = passed.map((jiffies, i) => [KINDS[i], Math.round((jiffies / all) * 1e4) / 1e4]);
  return Object.fromEntries(shares) as CpuShares;
}
