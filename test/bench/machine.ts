/** What was measured on: results mean nothing without it. */
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { machineCpuSeconds, treeCpuSeconds } from './processes.ts';

export interface Machine {
  cpu: string;
  cores: number;
  memoryBytes: number;
  kernel: string;
  node: string;
  nginx: string;
}

/**
 * Starts watching what else this machine does.
 * @returns tells how many cores were busy with work that is not the bench's, on average so far
 */
export function watchOthers(): () => number | undefined {
  const sinceMs = performance.now();
  const begin = othersCpuSeconds();
  return () => {
    const now = othersCpuSeconds();
    if (begin === undefined || now === undefined) return undefined;
    return Math.max(0, (now - begin) / ((performance.now() - sinceMs) / 1_000));
  };
}

function othersCpuSeconds(): number | undefined {
  const all = machineCpuSeconds();
  const own = treeCpuSeconds(process.pid);
  return all === undefined || own === undefined ? undefined : all - own;
}

export function readMachine(): Machine {
  const cpus = os.cpus();
  const { stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryBytes: os.totalmem(),
    kernel: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.versions.node,
    nginx: /nginx\/(\S+)/.exec(stderr)?.[1] ?? 'unknown',
  };
}
