/** What the threads of processes did with their time: /proc/PID/task/TID/schedstat (proc(5)), ns on a CPU and ns of waiting for one. */
import { readdirSync } from 'node:fs';
import { procText } from './proc-text.ts';

/** Each is a file to read every second; of more threads than this nothing is told. */
const MOST_THREADS = 256;

/** By thread; since its beginning, µs. */
export type ThreadTimesById = ReadonlyMap<string, { cpuUs: number; waitUs: number }>;

/** @returns undefined where there are too many, or the system does not tell */
export function readThreadTimes(pids: readonly number[], threads: number): ThreadTimesById | undefined {
  if (threads > MOST_THREADS) return undefined;
  const times = new Map<string, { cpuUs: number; waitUs: number }>();
  for (const pid of pids) {
    for (const thread of threadsOf(pid)) {
      const text = procText(`/proc/${pid}/task/${thread}/schedstat`);
      if (text === undefined) continue;
      const [cpuNs = Number.NaN, waitNs = Number.NaN] = text.split(' ').map(Number);
      if (Number.isNaN(cpuNs + waitNs)) return undefined;
      times.set(`${pid} ${thread}`, { cpuUs: cpuNs / 1_000, waitUs: waitNs / 1_000 });
    }
  }
  return times.size === 0 ? undefined : times;
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** From one look to the next, of threads that were there both times: what all of them waited, and the one that was busiest. */
export function threadsBetween(
  before: ThreadTimesById | undefined,
  now: ThreadTimesById | undefined,
): { waitUs: number; busiestThreadUs: number } | undefined {
  if (before === undefined || now === undefined) return undefined;
  let waitUs = 0;
  let busiestThreadUs = 0;
  for (const [thread, times] of now) {
    const known = before.get(thread);
    if (known === undefined) continue;
    const waited = Math.max(0, times.waitUs - known.waitUs);
    waitUs += waited;
    busiestThreadUs = Math.max(busiestThreadUs, waited + times.cpuUs - known.cpuUs);
  }
  return { waitUs: Math.round(waitUs), busiestThreadUs: Math.round(busiestThreadUs) };
}
