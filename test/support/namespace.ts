/** A network namespace of the test's own: a machine with its own loopback, ports and limits, on this one. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanups } from './scope.ts';

/** Why namespaces cannot be made here, or false when they can. */
export const NAMESPACES_MISSING: string | false = whyNot();

function whyNot(): string | false {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const name = `bs-probe-${process.pid}`;
  const { status, error, stderr } = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' });
  if (error !== undefined) return 'ip (iproute2) is not installed';
  if (status !== 0) return `network namespaces cannot be made here: ${stderr.trim()}`;
  execFileSync('ip', ['netns', 'delete', name]);
  return false;
}

export interface Namespace {
  /** Starts a program inside. */
  spawn(command: string, args: readonly string[]): ChildProcess;
  /** Runs a program inside to its end. */
  run(
    command: string,
    args: readonly string[],
  ): Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Made with its loopback up; gone with the test. */
export function makeNamespace(t: Cleanups, settings: Record<string, string> = {}): Namespace {
  const name = `bs-${process.pid}-${made++}`;
  execFileSync('ip', ['netns', 'add', name]);
  t.after(async () => {
    execFileSync('ip', ['netns', 'delete', name]);
  });
  const inside = (command: string, args: readonly string[]): string[] => [
    'netns',
    'exec',
    name,
    command,
    ...args,
  ];
  execFileSync('ip', inside('ip', ['link', 'set', 'lo', 'up']));
  for (const [key, value] of Object.entries(settings)) {
    execFileSync('ip', inside('sysctl', ['-qw', `${key}=${value}`]));
  }
  const start = (command: string, args: readonly string[]): ChildProcess => {
    const child = spawn('ip', inside(command, args), { stdio: ['ignore', 'pipe', 'pipe'] });
    t.after(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    });
    return child;
  };
  return {
    spawn: start,
    run: async (command, args) => {
      const child = start(command, args);
      let stdout = '';
      let stderr = '';
      child.stdout!.setEncoding('utf8').on('data', (text) => {
        stdout += text;
      });
      child.stderr!.setEncoding('utf8').on('data', (text) => {
        stderr += text;
      });
      const [code] = await once(child, 'close');
      return { code, stdout, stderr };
    },
  };
}

let made = 0;
