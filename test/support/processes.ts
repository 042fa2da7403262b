/**
 * Whether processes have ended; and those with a mark in their environment, which children inherit: what a command has left
 * behind. The latter on Linux only.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

export interface MarkedProcesses {
  /** Give it to the command. */
  env: Record<string, string>;
  /** Command lines of those that live. */
  alive(): string[];
  /** Resolves when none is left; rejects with those that are after `withinMs`. */
  gone(withinMs: number): Promise<void>;
}

const MARK = 'BROADSIDE_TEST_MARK';
const LOOK_EVERY_MS = 50;

export function markProcesses(): MarkedProcesses {
  const mark = randomUUID();
  const alive = (): string[] => commandsWith(`${MARK}=${mark}`);
  return {
    env: { [MARK]: mark },
    alive,
    gone: async (withinMs) => {
      for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
        const left = alive();
        if (left.length === 0) return;
        if (waitedMs >= withinMs) throw new Error(`still there after ${withinMs} ms:\n${left.join('\n')}`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
  };
}

function commandsWith(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        // It ended meanwhile, or is somebody else's.
        return [];
      }
    });
}

/** A zombie has ended: it only waits for its parent to ask, and when init does that is its own affair. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    // Without /proc nothing more is known than that it took the signal.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}
