/** Looks at chosen processes and their children, and takes care that the looking stays cheap. */
import { readdirSync, statSync } from 'node:fs';
import type { DescriptorsNow, ProcessSecond } from '../../shared/metrics/host-second.ts';
import { procText } from './proc-text.ts';
import {
  type ProcessStat,
  readFileLimit,
  readProcessStat,
  type SystemUnits,
  systemUnits,
} from './process-stat.ts';
import { isChosen, jiffiesBetween, type ProcessChoice, treeOf } from './process-tree.ts';
import { ThreadReader, type ThreadTimesById, threadsBetween } from './thread-times.ts';

/** Of the time, at most; what takes longer is done less often, but this often at least. */
const SHARE_OF_A_CORE = 0.003;
const LONGEST_PAUSE_US = 10_000_000;
/** A program may take another name after it was first seen: all processes are read anew this often at most. */
const READ_ANEW_US = 30_000_000;
/** New children are looked for this often; what they have used until then is counted. */
const SCAN_US = 5_000_000;

/** Over all chosen programs; of more, some are read in turn. Each costs 7 µs and an open file. */
const MOST_THREADS = 256;

/** Pids of this machine that this user can see. */
function allPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Whether anything is running that was chosen. */
export function isRunning(choice: ProcessChoice): boolean {
  return allPids().some((pid) => {
    const stat = statOf(pid);
    return stat !== undefined && isChosen(choice, stat);
  });
}

function statOf(pid: number): ProcessStat | undefined {
  const text = procText(`/proc/${pid}/stat`);
  const stat = text === undefined ? undefined : readProcessStat(text);
  return stat === undefined || stat.state === 'X' ? undefined : stat;
}

interface Look {
  atUs: number;
  trees: ProcessStat[][];
  threads: (ThreadTimesById | undefined)[];
}

export class ProcessWatch {
  private readonly choices: readonly ProcessChoice[];
  private readonly units: SystemUnits = systemUnits();
  /** By choice. */
  private readonly threads: ThreadReader[];
  private last: Look | undefined;
  /** All processes, as they were when they were first seen, or read anew. */
  private seen = new Map<number, ProcessStat>();
  private readonly limits = new Map<number, number | undefined>();
  private readAnewUs = 0;
  private scanUs = 0;
  private nextLookUs = 0;

  constructor(choices: readonly ProcessChoice[]) {
    this.choices = choices;
    const most = Math.floor(MOST_THREADS / Math.max(1, choices.length));
    this.threads = choices.map(() => new ThreadReader(most));
  }

  /**
   * What the chosen processes did since the last look; nothing at the first one, and where the last one was so dear that
   * this one is left out. Those that are not there are missing.
   * @param nowUs of any monotonic clock
   */
  look(nowUs: number): ProcessSecond[] {
    if (this.choices.length === 0 || nowUs < this.nextLookUs) return [];
    const begunUs = cpuUs();
    const trees = this.trees(nowUs);
    const threads = trees.map((tree, i) =>
      this.threads[i]!.read(
        tree.map(({ pid }) => pid),
        sum(tree, (stat) => stat.threads),
      ),
    );
    const now = { atUs: nowUs, trees, threads };
    const { last } = this;
    this.last = now;
    const seconds = last === undefined ? [] : this.between(last, now);
    // The first one is dear because all of it is new. Half a second early: seconds are never exactly a second apart.
    if (last !== undefined) {
      const pauseUs = Math.min(LONGEST_PAUSE_US, (cpuUs() - begunUs) / SHARE_OF_A_CORE);
      this.nextLookUs = nowUs + pauseUs - 500_000;
    }
    return seconds;
  }

  /** No look comes after it. */
  end(): void {
    for (const reader of this.threads) reader.end();
  }

  private trees(nowUs: number): ProcessStat[][] {
    const trees = this.last?.trees;
    const scan = trees === undefined || nowUs >= this.scanUs || trees.some(({ length }) => length === 0);
    const found = scan ? this.scan(nowUs) : trees;
    return found.map((tree) =>
      tree.flatMap(({ pid, startJiffies }) => {
        const stat = statOf(pid);
        if (stat !== undefined && stat.startJiffies === startJiffies) return [stat];
        // Another one has its pid by now: it is looked at as a new one the next time.
        this.seen.delete(pid);
        return [];
      }),
    );
  }

  /** Only processes that are new are read: that is what makes it cheap. */
  private scan(nowUs: number): ProcessStat[][] {
    const begunUs = cpuUs();
    const anew = nowUs >= this.readAnewUs;
    const before = anew ? new Map<number, ProcessStat>() : this.seen;
    this.seen = new Map(
      allPids().flatMap((pid): [number, ProcessStat][] => {
        const stat = before.get(pid) ?? statOf(pid);
        return stat === undefined ? [] : [[pid, stat]];
      }),
    );
    this.scanUs = nowUs + SCAN_US - 500_000;
    if (anew) {
      this.limits.clear();
      this.readAnewUs = nowUs + Math.max(READ_ANEW_US, (cpuUs() - begunUs) / SHARE_OF_A_CORE);
    }
    const all = [...this.seen.values()];
    return this.choices.map((choice) => treeOf(choice, all));
  }

  private between(before: Look, now: Look): ProcessSecond[] {
    const { pageBytes, jiffiesPerSecond } = this.units;
    const jiffyUs = 1e6 / jiffiesPerSecond;
    return this.choices.flatMap(({ name }, i): ProcessSecond[] => {
      const tree = now.trees[i]!;
      if (tree.length === 0) return [];
      const jiffies = jiffiesBetween(before.trees[i]!, tree);
      const descriptors = this.tightest(tree);
      return [
        {
          name,
          lengthUs: Math.round(now.atUs - before.atUs),
          userUs: Math.round(jiffies.user * jiffyUs),
          systemUs: Math.round(jiffies.system * jiffyUs),
          residentBytes: sum(tree, ({ residentPages }) => residentPages) * pageBytes,
          processes: tree.length,
          threads: sum(tree, ({ threads }) => threads),
          ...this.threadsOf(i, before, now),
          ...(descriptors !== undefined && { descriptors }),
        },
      ];
    });
  }

  private threadsOf(i: number, before: Look, now: Look): Partial<ProcessSecond> {
    const { threadsRead, ...times } = threadsBetween(before.threads[i], now.threads[i]) ?? {};
    return { ...times, ...(this.threads[i]!.readsPart && { threadsRead }) };
  }

  /** Of the process that has the largest share of its limit open. */
  private tightest(tree: readonly ProcessStat[]): DescriptorsNow | undefined {
    const known = tree.flatMap(({ pid }) => {
      if (!this.limits.has(pid)) this.limits.set(pid, readFileLimit(procText(`/proc/${pid}/limits`) ?? ''));
      const limit = this.limits.get(pid);
      const open = openFiles(pid);
      return limit === undefined || open === undefined ? [] : [{ open, limit }];
    });
    return known.sort((a, b) => b.open / b.limit - a.open / a.limit)[0];
  }
}

function sum(tree: readonly ProcessStat[], of: (stat: ProcessStat) => number): number {
  return tree.reduce((total, stat) => total + of(stat), 0);
}

/** Of this process: on a busy host more time passes than is used. In a worker its load threads are in it too. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Linux 6.2 and later tell their number as the size of the directory; before, they have to be listed. */
function openFiles(pid: number): number | undefined {
  const directory = `/proc/${pid}/fd`;
  try {
    return statSync(directory).size || readdirSync(directory).length;
  } catch {
    return undefined;
  }
}
