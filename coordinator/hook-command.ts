/** One command of a hook, on this machine: `sh -c`, bounded in time and in what is kept of its output. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { messageOf } from '../shared/errors.ts';

/** The end of what a command says is what tells why it failed. */
const MOST_OUTPUT_BYTES = 16 * 1024;
/** From SIGTERM to SIGKILL. */
const KILL_AFTER_MS = 1_000;
/** How long its last words may be on their way when it has ended. */
const LAST_WORDS_MS = 200;

export interface HookCommandResult {
  command: string;
  /** Absent when a signal ended it, or it could not be started. */
  exitCode?: number;
  signal?: string;
  /** Why it was ended before it ended by itself, or could not be started. */
  stopped?: string;
  durationUs: number;
  /** Of stdout and stderr together, as they came: the last 16 KiB. */
  output: string;
  /** What came before that, in bytes. */
  outputDropped: number;
}

/**
 * Runs a command to its end. Never rejects: what went wrong is in the result.
 * What it leaves behind in the background lives on, unless time is up: then its whole process group is killed.
 * @param signal stops it early
 */
export async function runHookCommand(
  command: string,
  { env, timeoutMs, signal }: { env: NodeJS.ProcessEnv; timeoutMs: number; signal?: AbortSignal },
): Promise<HookCommandResult> {
  const startedMs = performance.now();
  const tail = new Tail();
  // Through one pipe, what is said on stderr stays where it was said.
  const child = spawn('sh', ['-c', 'exec sh -c "$0" 2>&1', command], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.on('data', (piece: Buffer) => tail.add(piece));

  let stopped: string | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (why: string): void => {
    if (stopped !== undefined) return;
    stopped = why;
    killGroup(child.pid, 'SIGTERM');
    killTimer = setTimeout(() => killGroup(child.pid, 'SIGKILL'), KILL_AFTER_MS);
  };
  const timer = setTimeout(() => stop(`took longer than ${timeoutMs / 1_000} s`), timeoutMs);
  const onAbort = (): void => stop(messageOf(signal?.reason));
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted === true) onAbort();
  const closed = once(child, 'close').catch(() => {});
  try {
    const [exitCode, endSignal] = (await once(child, 'exit')) as [number | null, string | null];
    // Those that live on in the background hold the pipe open; it is read on, so that they do not die of a broken one.
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))]);
    // What did not end with the shell has to.
    if (stopped !== undefined) killGroup(child.pid, 'SIGKILL');
    return {
      command,
      ...(exitCode !== null && { exitCode }),
      ...(endSignal !== null && { signal: endSignal }),
      ...(stopped !== undefined && { stopped }),
      durationUs: Math.round((performance.now() - startedMs) * 1_000),
      ...tail.take(),
    };
  } catch (error) {
    const durationUs = Math.round((performance.now() - startedMs) * 1_000);
    return { command, stopped: `could not be started: ${messageOf(error)}`, durationUs, ...tail.take() };
  } finally {
    clearTimeout(timer);
    clearTimeout(killTimer);
    signal?.removeEventListener('abort', onAbort);
    letGo(child.stdout);
  }
}

/** Why it counts as failed; undefined when all is well. */
export function hookFailure(result: HookCommandResult): string | undefined {
  const { exitCode, signal, stopped } = result;
  if (stopped !== undefined) return stopped;
  if (exitCode === undefined) return `was ended by ${signal}`;
  return exitCode === 0 ? undefined : `exit ${exitCode}`;
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // They have all ended.
  }
}

/** What is still said goes nowhere, and nobody waits for it. */
function letGo(stream: Readable): void {
  stream.removeAllListeners('data').resume();
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}

/** The last bytes of a stream, in bounded memory. */
class Tail {
  private pieces: Buffer[] = [];
  private held = 0;
  private total = 0;

  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.held += piece.length;
    this.total += piece.length;
    if (this.held > 4 * MOST_OUTPUT_BYTES) this.trim();
  }

  take(): { output: string; outputDropped: number } {
    this.trim();
    return { output: Buffer.concat(this.pieces).toString('utf8'), outputDropped: this.total - this.held };
  }

  private trim(): void {
    const all = Buffer.concat(this.pieces);
    const rest = all.subarray(Math.max(0, all.length - MOST_OUTPUT_BYTES));
    this.pieces = [rest];
    this.held = rest.length;
  }
}
