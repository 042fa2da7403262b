/** What another process takes of its machine, from /proc; nothing where the system has none. */
import { procText } from '../../host/proc-text.ts';
import { readProcessStat, systemUnits } from '../../host/process-stat.ts';

const { pageBytes, jiffiesPerSecond } = systemUnits();

/** CPU time so far, µs, in steps of 10 ms; undefined when it has ended, or cannot be told. */
export function cpuUsOf(pid: number): number | undefined {
  const stat = statOf(pid);
  return stat === undefined ? undefined : ((stat.userJiffies + stat.systemJiffies) * 1e6) / jiffiesPerSecond;
}

export function residentBytesOf(pid: number): number | undefined {
  const stat = statOf(pid);
  return stat === undefined ? undefined : stat.residentPages * pageBytes;
}

function statOf(pid: number): ReturnType<typeof readProcessStat> {
  const text = procText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : readProcessStat(text);
}

/** CPU time of a process from one moment on; once it has ended, what was seen last. */
export class CpuSince {
  private readonly pid: number | undefined;
  private readonly beforeUs: number;
  private seenUs = 0;

  constructor(pid: number | undefined) {
    this.pid = pid;
    this.beforeUs = this.sofarUs() ?? 0;
  }

  /** µs */
  used(): number {
    this.seenUs = Math.max(this.seenUs, (this.sofarUs() ?? 0) - this.beforeUs);
    return this.seenUs;
  }

  private sofarUs(): number | undefined {
    return this.pid === undefined ? undefined : cpuUsOf(this.pid);
  }
}
