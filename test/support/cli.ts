/** The two commands as a user runs them: real processes of the built code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinned } from './pinning.ts';

/** Compiled tests run from dist/test/support. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Wall time in ms. */
  tookMs: number;
}

export interface CliProcess {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  /** Resolves when the process has ended and all its output is in. */
  ended: Promise<CliResult>;
  /** Resolves when stdout or stderr matches; rejects when the process ends before, or after 20 s. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

const SAYS_WITHIN_MS = 20_000;

/**
 * Starts `coordinator …` or `worker …`. Logs are JSON lines; variables of the developer's own lab do not leak in.
 * @param core keep it on this core
 */
export function startCli(
  bin: 'coordinator' | 'worker',
  args: readonly string[],
  env: Record<string, string> = {},
  core?: number,
): CliProcess {
  const [command, words] = pinned(core, process.execPath, [mainOf(bin), ...args]);
  return followCli(
    spawn(command, words, { env: { ...cleanEnvironment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** The file that Node runs for `coordinator` or `worker`. */
export function mainOf(bin: 'coordinator' | 'worker'): string {
  return path.join(ROOT, 'dist', bin, 'main.js');
}

/** The environment without variables of the developer's own lab. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('BROADSIDE_') && name !== 'REDIS_URL'),
  );
}

/** Reads along with one of the commands that was started just now, with pipes for stdout and stderr. */
export function followCli(child: ChildProcess): CliProcess {
  const startedMs = performance.now();
  const ended = once(child, 'close').then(
    ([code]): CliResult => ({
      code,
      stdout: cli.stdout,
      stderr: cli.stderr,
      tookMs: performance.now() - startedMs,
    }),
  );
  const cli: CliProcess = { child, stdout: '', stderr: '', ended, says: (pattern) => says(cli, pattern) };
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    cli.stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    cli.stderr += text;
  });
  return cli;
}

export function runCli(
  bin: 'coordinator' | 'worker',
  args: readonly string[],
  env: Record<string, string> = {},
  core?: number,
): Promise<CliResult> {
  return startCli(bin, args, env, core).ended;
}

const END_WITHIN_MS = 10_000;

/** Ends the process as an operator would, and not so kindly when that takes too long. */
export async function endCli({ child }: CliProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    await exited;
    clearTimeout(timer);
  }
  // A process that it has left behind would keep them open.
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function says(cli: CliProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const { child } = cli;
    const look = (): void => {
      const match = pattern.exec(cli.stdout) ?? pattern.exec(cli.stderr);
      if (match === null) return;
      settle();
      resolve(match);
    };
    const fail = (why: string): void => {
      settle();
      reject(new Error(`${why} without saying ${pattern}\nstdout: ${cli.stdout}\nstderr: ${cli.stderr}`));
    };
    const onEnd = (): void => fail('the process ended');
    const timer = setTimeout(() => fail(`${SAYS_WITHIN_MS / 1_000} s passed`), SAYS_WITHIN_MS);
    const settle = (): void => {
      clearTimeout(timer);
      child.stdout!.off('data', look);
      child.stderr!.off('data', look);
      child.off('close', onEnd);
    };
    child.stdout!.on('data', look);
    child.stderr!.on('data', look);
    child.once('close', onEnd);
    look();
  });
}
