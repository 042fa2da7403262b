/** Which workers there are, and waiting until there are enough of them. */
import { EventEmitter } from 'node:events';
import { BroadsideError } from '../shared/errors.ts';
import type { Goodbye, StartShard, StopShard } from '../shared/protocol/messages.ts';
import type { WorkerSession } from './worker-session.ts';

interface RegistryEvents {
  /** Connected, or connected again, its clock measured. */
  available: [session: WorkerSession];
  disconnected: [session: WorkerSession];
  goodbye: [session: WorkerSession, message: Goodbye];
}

export class Registry extends EventEmitter<RegistryEvents> {
  private readonly sessions = new Map<string, WorkerSession>();

  get(name: string): WorkerSession | undefined {
    return this.sessions.get(name);
  }

  set(session: WorkerSession): void {
    this.sessions.set(session.name, session);
  }

  delete(session: WorkerSession): void {
    if (this.sessions.get(session.name) === session) this.sessions.delete(session.name);
  }

  /** All known workers and observers, by name. */
  all(): WorkerSession[] {
    return [...this.sessions.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Workers that can take shards. */
  available(pool: string): WorkerSession[] {
    return this.all().filter(
      ({ hello, connected, clockMeasured }) =>
        hello.role === 'worker' && connected && clockMeasured && hello.pool === pool,
    );
  }

  /** Those that only sample their hosts. */
  observers(): WorkerSession[] {
    return this.all().filter(({ hello }) => hello.role === 'observer');
  }

  send(worker: string, message: StartShard | StopShard): void {
    this.sessions.get(worker)?.send(message);
  }

  /**
   * Resolves with the available workers of a pool when there are at least `count`.
   * @param count how many; undefined: one is enough
   * @throws BroadsideError NO_WORKERS after `waitMs`; rejects with the signal's reason when it is aborted
   */
  async waitFor(
    pool: string,
    count: number | undefined,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<WorkerSession[]> {
    const wanted = count ?? 1;
    const there = (): WorkerSession[] => this.available(pool);
    if (there().length >= wanted) return there();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.off('available', onAvailable);
        signal.removeEventListener('abort', onAbort);
      };
      const onAvailable = (): void => {
        if (there().length < wanted) return;
        settle();
        resolve(there());
      };
      const onAbort = (): void => {
        settle();
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        settle();
        reject(notEnough(pool, wanted, there(), waitMs));
      }, waitMs);
      this.on('available', onAvailable);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
    });
  }
}

function notEnough(pool: string, wanted: number, there: WorkerSession[], waitMs: number): BroadsideError {
  const names = there.map(({ name }) => name).join(', ');
  const found =
    there.length === 0 ? 'none is there' : `only ${names} ${there.length === 1 ? 'is' : 'are'} there`;
  return new BroadsideError(
    'NO_WORKERS',
    `the run needs ${wanted} worker${wanted === 1 ? '' : 's'} in pool ${pool}, and after ${waitMs / 1000} s ${found}`,
    { hint: 'start one on each load machine with: worker start --coordinator URL --token TOKEN' },
  );
}
