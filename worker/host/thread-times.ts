/** What the threads of processes did with their time: /proc/PID/task/TID/schedstat (proc(5)), ns on a CPU and ns of waiting for one. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

interface ThreadTimes {
  cpuUs: number;
  waitUs: number;
}

/** By thread; since its beginning, µs. */
export type ThreadTimesById = ReadonlyMap<string, ThreadTimes>;

/** How many threads take the places of others at one reading, at most half of them: their files have to be opened. */
const TURN = 32;

/**
 * Reads the threads of one program, again and again. Their files stay open: to open one costs seven times what reading it
 * does. Of more threads than it may read, those that did least since the last reading give way to others, in turn: so
 * the busiest are found, and stay.
 */
export class ThreadReader {
  private readonly most: number;
  /** Of the threads that are read. */
  private readonly files = new Map<string, number>();
  /** Of all the others, the next one first. */
  private readonly unread = new Set<string>();
  private last: ThreadTimesById = new Map();
  /** How many there were when they were listed. */
  private listed = 0;

  /** @param most how many threads it may read */
  constructor(most: number) {
    this.most = most;
  }

  /** There are threads that were not read. */
  get readsPart(): boolean {
    return this.unread.size > 0;
  }

  /**
   * @param threads how many these processes have together
   * @returns undefined where the system does not tell
   */
  read(pids: readonly number[], threads: number): ThreadTimesById | undefined {
    const times = new Map<string, ThreadTimes>();
    for (const [thread, file] of this.files) {
      const now = timesIn(file);
      if (now === undefined) this.close(thread);
      else times.set(thread, now);
    }
    if (threads !== this.listed || times.size < Math.min(threads, this.most)) this.list(pids, threads);
    this.takeTurns(times);
    for (const thread of this.unread) {
      if (this.files.size >= this.most) break;
      this.unread.delete(thread);
      const first = this.open(thread);
      if (first !== undefined) times.set(thread, first);
    }
    this.last = times;
    return times.size === 0 ? undefined : times;
  }

  end(): void {
    for (const thread of this.files.keys()) this.close(thread);
  }

  private list(pids: readonly number[], threads: number): void {
    const there = new Set(pids.flatMap((pid) => threadsOf(pid).map((thread) => `${pid}/task/${thread}`)));
    for (const thread of this.unread) if (!there.has(thread)) this.unread.delete(thread);
    for (const thread of this.files.keys()) if (!there.has(thread)) this.close(thread);
    for (const thread of there) if (!this.files.has(thread)) this.unread.add(thread);
    this.listed = threads;
  }

  private takeTurns(times: ThreadTimesById): void {
    const turns = Math.min(TURN, this.unread.size, this.most >> 1);
    if (turns === 0) return;
    const did = [...times].flatMap(([thread, { cpuUs, waitUs }]) => {
      const before = this.last.get(thread);
      return before === undefined ? [] : [{ thread, us: cpuUs - before.cpuUs + waitUs - before.waitUs }];
    });
    for (const { thread } of did.sort((a, b) => a.us - b.us).slice(0, turns)) {
      this.close(thread);
      this.unread.add(thread);
    }
  }

  private open(thread: string): ThreadTimes | undefined {
    try {
      const file = openSync(`/proc/${thread}/schedstat`, 'r');
      this.files.set(thread, file);
      const times = timesIn(file);
      if (times === undefined) this.close(thread);
      return times;
    } catch {
      // It has ended, or there are no more descriptors.
      return undefined;
    }
  }

  private close(thread: string): void {
    closeSync(this.files.get(thread)!);
    this.files.delete(thread);
  }
}

const room = Buffer.alloc(128);

/** Undefined where the thread has ended. */
function timesIn(file: number): ThreadTimes | undefined {
  try {
    const text = room.toString('latin1', 0, readSync(file, room, 0, room.length, 0));
    const [cpuNs = Number.NaN, waitNs = Number.NaN] = text.split(' ').map(Number);
    return Number.isNaN(cpuNs + waitNs) ? undefined : { cpuUs: cpuNs / 1_000, waitUs: waitNs / 1_000 };
  } catch {
    return undefined;
  }
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
): { waitUs: number; busiestThreadUs: number; threadsRead: number } | undefined {
  if (before === undefined || now === undefined) return undefined;
  let waitUs = 0;
  let busiestThreadUs = 0;
  let threadsRead = 0;
  for (const [thread, times] of now) {
    const known = before.get(thread);
    if (known === undefined) continue;
    const waited = Math.max(0, times.waitUs - known.waitUs);
    waitUs += waited;
    busiestThreadUs = Math.max(busiestThreadUs, waited + times.cpuUs - known.cpuUs);
    threadsRead++;
  }
  return { waitUs: Math.round(waitUs), busiestThreadUs: Math.round(busiestThreadUs), threadsRead };
}
