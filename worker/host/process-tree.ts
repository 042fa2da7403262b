/** Chosen processes with all their descendants, and the CPU time of a tree from one look to the next. Pure. */
import type { ProcessStat } from './process-stat.ts';

/** What was chosen: one process, or all of a program. */
export interface ProcessChoice {
  /** The program's name; with a pid, only what it is called. */
  name: string;
  pid?: number;
}

/** `nginx` or `4711`, as the command line has them. */
export function readProcessChoice(text: string): ProcessChoice {
  return /^\d+$/.test(text) ? { name: text, pid: Number(text) } : { name: text };
}

/** Kept by the kernel of a program's name (TASK_COMM_LEN - 1). */
const NAME_LENGTH = 15;

export function isChosen(choice: ProcessChoice, { pid, name }: ProcessStat): boolean {
  return choice.pid === undefined ? name === choice.name.slice(0, NAME_LENGTH) : pid === choice.pid;
}

/** Those that are chosen and all their descendants, each once. */
export function treeOf(choice: ProcessChoice, all: readonly ProcessStat[]): ProcessStat[] {
  const children = new Map<number, ProcessStat[]>();
  for (const stat of all) children.set(stat.parent, [...(children.get(stat.parent) ?? []), stat]);
  const found = new Map<number, ProcessStat>();
  const waiting = all.filter((stat) => isChosen(choice, stat));
  for (let stat = waiting.pop(); stat !== undefined; stat = waiting.pop()) {
    if (found.has(stat.pid)) continue;
    found.set(stat.pid, stat);
    waiting.push(...(children.get(stat.pid) ?? []));
  }
  return [...found.values()];
}

/**
 * Jiffies of CPU that a tree used between two looks. A process that came meanwhile counts from its start. One that ended is
 * in its parent's `childUserJiffies` once that has waited for it, and what was counted of it before is taken off there;
 * so short-lived children that no look has seen are counted too.
 */
export function jiffiesBetween(
  before: readonly ProcessStat[],
  now: readonly ProcessStat[],
): { user: number; system: number } {
  const earlier = new Map(before.map((stat) => [identityOf(stat), stat]));
  const jiffies = { user: 0, system: 0, childUser: 0, childSystem: 0 };
  for (const stat of now) {
    const known = earlier.get(identityOf(stat));
    earlier.delete(identityOf(stat));
    jiffies.user += stat.userJiffies - (known?.userJiffies ?? 0);
    jiffies.system += stat.systemJiffies - (known?.systemJiffies ?? 0);
    jiffies.childUser += stat.childUserJiffies - (known?.childUserJiffies ?? 0);
    jiffies.childSystem += stat.childSystemJiffies - (known?.childSystemJiffies ?? 0);
  }
  for (const gone of earlier.values()) {
    jiffies.childUser -= gone.userJiffies + gone.childUserJiffies;
    jiffies.childSystem -= gone.systemJiffies + gone.childSystemJiffies;
  }
  return {
    user: jiffies.user + Math.max(0, jiffies.childUser),
    system: jiffies.system + Math.max(0, jiffies.childSystem),
  };
}

/** Pids are used again; a pid and its start are not. */
function identityOf({ pid, startJiffies }: ProcessStat): string {
  return `${pid} ${startJiffies}`;
}
