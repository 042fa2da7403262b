/** Names of labs. They tell whose a lab is, so that what a dead owner has left is told from what is in use. */
import { readdirSync, readFileSync } from 'node:fs';

const NETNS = '/run/netns';
const NAME = /^bslab-(?<pid>\d+)-(?<started>\d+)-\d+(?=-)/;

let made = 0;

/** Unique on this machine as long as it is up. */
export function newLabName(): string {
  return `bslab-${process.pid}-${startedAt(process.pid)}-${made++}`;
}

/** Labs whose owners have gone, by the namespaces that there are. */
export function abandonedLabs(namespaces: readonly string[] = namesOfNamespaces()): string[] {
  const labs = new Set<string>();
  for (const namespace of namespaces) {
    const match = NAME.exec(namespace);
    if (match === null) continue;
    const { pid, started } = match.groups!;
    if (startedAt(Number(pid)) !== started) labs.add(match[0]);
  }
  return [...labs];
}

function namesOfNamespaces(): string[] {
  try {
    return readdirSync(NETNS);
  } catch {
    return [];
  }
}

/** When a process began, in clock ticks since the machine came up: with it a number that was given anew is no match. */
function startedAt(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Field 22 of proc(5); the name, field 2, is in brackets and may hold anything.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[22 - 3];
  } catch {
    return undefined;
  }
}
