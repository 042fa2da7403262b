/** What this machine has been measured to reach, kept for the worker's next start. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Capacity } from '../../shared/protocol/worker-facts.ts';
import { BROADSIDE_VERSION } from '../../shared/version.ts';
import { cachePath } from '../cache-folder.ts';

const FILE = 'capacity.json';

/** With another version, or on other cores, it is to be measured again. */
function key(): string {
  const [first] = os.cpus();
  return `${BROADSIDE_VERSION}, Node ${process.versions.node}, ${os.availableParallelism()} × ${first?.model ?? os.arch()}`;
}

/** Undefined when it was not measured yet. */
export function keptCapacity(file = cachePath(FILE)): Capacity | undefined {
  const kept = readAll(file)[key()];
  return kept !== undefined && kept.threadRate > 0 ? kept : undefined;
}

/** Best effort: a worker that cannot keep it knows it until it ends. */
export function keepCapacity(capacity: Capacity, file = cachePath(FILE)): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const partial = `${file}.${process.pid}`;
    writeFileSync(partial, `${JSON.stringify({ [key()]: capacity })}\n`);
    renameSync(partial, file);
  } catch {
    // It is measured again when somebody asks.
  }
}

function readAll(file: string): Record<string, Capacity | undefined> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Capacity>;
  } catch {
    return {};
  }
}
