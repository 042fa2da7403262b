/**
 * A program in a process group of its own, which ends with it, and with this process, however that ends: the group has a
 * watcher that reads from a pipe which only this process holds, and kills the group when that is closed. A shell starts the
 * watcher and then becomes the program, so there is no moment at which the program runs without it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** POSIX shell: the watcher is in the program's group, and holds nothing of its output. */
const START = '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-';

export interface GroupExit {
  /** Absent when a signal ended it. */
  code?: number;
  signal?: NodeJS.Signals;
}

export class ProcessGroup {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program has ended and all that it wrote has been read. */
  readonly exited: Promise<GroupExit>;
  exit: GroupExit | undefined;
  private readonly child: ChildProcess;
  private readonly watch: Writable;

  /** A program that cannot be started ends with 126 or 127, and the shell's words on stderr. */
  constructor(file: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
    this.child = spawn('/bin/sh', ['-c', START, 'sh', file, ...args], {
      detached: true,
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.stdout = this.child.stdout!;
    this.stderr = this.child.stderr!;
    this.watch = this.child.stdio[3] as Writable;
    // It is never written to; that its other end is closed is no news.
    this.watch.on('error', () => {});
    // What the program has left behind in its group ends with it.
    this.child.once('exit', () => this.watch.destroy());
    this.exited = this.awaitExit();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** To the program alone. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** At once, and for all of the group. */
  kill(): void {
    this.watch.destroy();
    this.child.kill('SIGKILL');
  }

  /** Asks, then insists, then kills the group; from each to the next `stepMs`. */
  async end(stepMs: number): Promise<void> {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      if (this.exit !== undefined) return;
      this.signal(signal);
      await Promise.race([this.exited, sleep(stepMs, undefined, { ref: false })]);
    }
    if (this.exit === undefined) this.kill();
  }

  private async awaitExit(): Promise<GroupExit> {
    const [code, signal] = (await once(this.child, 'close')) as [number | null, NodeJS.Signals | null];
    this.exit = { ...(code !== null && { code }), ...(signal !== null && { signal }) };
    return this.exit;
  }
}

/** For people: `exit 107`, `SIGKILL`. */
export function exitText({ code, signal }: GroupExit): string {
  return signal ?? `exit ${code}`;
}
