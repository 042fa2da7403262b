/** Which workers there are, and waiting until there are enough of them. */
import { EventEmitter } from 'node:events';
import type { K6Requirements } from '../shared/domain/k6-plan.ts';
import { lacks, lackText } from '../shared/domain/k6-requirements.ts';
import type { PoolSpec } from '../shared/domain/workers-spec.ts';
import { BroadsideError } from '../shared/errors.ts';
import type { Goodbye, StartShard, StopShard } from '../shared/protocol/messages.ts';
import { chooseWorkers } from './planner.ts';
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
   * Resolves with the workers that were asked for once they are there, see `chooseWorkers`.
   * @param needs only those whose k6 is like that
   * @throws BroadsideError NO_WORKERS after `waitMs`, saying who lacks what; rejects with the signal's reason when it is aborted
   */
  async waitFor(
    pools: readonly PoolSpec[],
    waitMs: number,
    signal: AbortSignal,
    needs?: K6Requirements,
  ): Promise<WorkerSession[]> {
    const able = (pool: string): WorkerSession[] =>
      this.available(pool).filter((session) => lacksOf(session, needs).length === 0);
    const atOnce = chooseWorkers(pools, able);
    if (atOnce !== undefined) return atOnce;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.off('available', onAvailable);
        signal.removeEventListener('abort', onAbort);
      };
      const onAvailable = (): void => {
        const chosen = chooseWorkers(pools, able);
        if (chosen === undefined) return;
        settle();
        resolve(chosen);
      };
      const onAbort = (): void => {
        settle();
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        settle();
        reject(notEnough(lackingPools(pools, able), (pool) => this.available(pool), waitMs, needs));
      }, waitMs);
      this.on('available', onAvailable);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
    });
  }
}

/** What a worker's k6 lacks; nothing where no script is to be run. */
export function lacksOf({ hello }: WorkerSession, needs: K6Requirements | undefined): string[] {
  return needs === undefined ? [] : lacks(hello.capabilities.k6, needs);
}

const START = 'worker start --coordinator URL --token TOKEN';

/** Those that have too few workers. */
function lackingPools(pools: readonly PoolSpec[], able: (pool: string) => unknown[]): Required<PoolSpec>[] {
  return pools
    .map(({ pool, count = 1 }) => ({ pool, count }))
    .filter(({ pool, count }) => able(pool).length < count);
}

function notEnough(
  pools: readonly Required<PoolSpec>[],
  available: (pool: string) => WorkerSession[],
  waitMs: number,
  needs: K6Requirements | undefined,
): BroadsideError {
  let others = 0;
  const parts = pools.map(({ pool, count }) => {
    const there = available(pool);
    const able = there.filter((session) => lacksOf(session, needs).length === 0);
    const unable = there.filter((session) => !able.includes(session));
    others += unable.length;
    const names = able.map(({ name }) => name).join(', ');
    const what = unable.length === 0 ? 'there' : 'there that can run the script';
    const found =
      able.length === 0 ? `none is ${what}` : `only ${names} ${able.length === 1 ? 'is' : 'are'} ${what}`;
    const lacking = unable.map((session) => lackText(session.name, lacksOf(session, needs)));
    const wanted = `${count} worker${count === 1 ? '' : 's'} in pool ${pool}`;
    return `${wanted}, and after ${waitMs / 1000} s ${[found, ...lacking].join('; ')}`;
  });
  return new BroadsideError('NO_WORKERS', `the run needs ${parts.join('; and ')}`, {
    hint:
      others === 0
        ? `start one on each load machine with: ${START}`
        : `give workers another k6: ${START} --k6 PATH, or $K6_BIN, or k6 in the PATH`,
  });
}
