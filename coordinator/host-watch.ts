/**
 * Has hosts sampled for one trial: those of its workers, and every observer that is there or comes meanwhile. It never
 * holds a trial up, and no trial fails for want of a sample: a host that vanishes is noted, and the run goes on.
 */
import { clock } from '../shared/clock.ts';
import type { Goodbye } from '../shared/protocol/messages.ts';
import type { RunCollector } from './collector.ts';
import type { Registry } from './registry.ts';
import type { WorkerSession } from './worker-session.ts';

/** A watch is said again this often, each time with the newest offset of the clock. */
const EVERY_MS = 1_000;
/** After the trial: how long for the last samples. They are on their way already, or nobody knows until when. */
const LAST_SAMPLES_MS = 1_000;

export interface HostWatchOptions {
  run: string;
  trial: number;
  /** The trial's start instant on the coordinator's clock, µs. */
  originUs: number;
  targetUrl: string;
  /** Names of the trial's workers. */
  workers: readonly string[];
  registry: Registry;
  collector: RunCollector;
  /** A host that is cut off for this long is noted as lost. */
  lossMs: number;
  notice(message: string): void;
}

export class HostWatch {
  private readonly options: HostWatchOptions;
  /** Asked, and not yet done or lost. */
  private readonly watched = new Set<string>();
  private readonly known = new Set<string>();
  private readonly lossTimers = new Map<string, NodeJS.Timeout>();
  private readonly renewal: NodeJS.Timeout;
  private whenDone = (): void => {};
  private ending = false;

  constructor(options: HostWatchOptions) {
    this.options = options;
    options.registry.on('available', this.onAvailable);
    options.registry.on('disconnected', this.onDisconnected);
    options.registry.on('goodbye', this.onGoodbye);
    options.collector.on('host-done', this.onHostDone);
    this.renewal = setInterval(() => this.watchAll(), EVERY_MS);
    this.watchAll();
  }

  /** The trial is over. Resolves when the last samples are in, or nobody waits for them any longer. */
  async end(): Promise<void> {
    const { registry, collector, run, trial } = this.options;
    this.ending = true;
    clearInterval(this.renewal);
    registry.off('available', this.onAvailable);
    const last = new Promise<void>((resolve) => {
      this.whenDone = resolve;
    });
    for (const name of this.watched) {
      const session = registry.get(name);
      if (session?.connected === true) session.send({ type: 'unwatch', run, trial });
      else this.lose(name, 'it was cut off when the trial ended');
    }
    const timer = setTimeout(this.whenDone, LAST_SAMPLES_MS);
    if (this.watched.size > 0) await last;
    clearTimeout(timer);
    for (const timer of this.lossTimers.values()) clearTimeout(timer);
    registry.off('disconnected', this.onDisconnected);
    registry.off('goodbye', this.onGoodbye);
    collector.off('host-done', this.onHostDone);
  }

  private watchAll(): void {
    const { registry, workers } = this.options;
    const loading = workers.flatMap((name) => registry.get(name) ?? []);
    for (const session of [...loading, ...registry.observers()]) this.watch(session);
  }

  private watch(session: WorkerSession): void {
    const { run, trial, originUs, targetUrl, collector } = this.options;
    if (!session.connected || !session.clockMeasured) return;
    const { offsetUs, uncertaintyUs } = session.clockOffset();
    session.send({ type: 'watch', run, trial, originUs, offsetUs, targetUrl });
    this.watched.add(session.name);
    if (this.known.has(session.name)) return;
    this.known.add(session.name);
    collector.record({
      type: 'host',
      trial,
      host: session.name,
      role: session.hello.role,
      clockOffsetUs: Math.round(offsetUs),
      clockUncertaintyUs: Math.round(uncertaintyUs),
    });
  }

  private readonly onAvailable = (session: WorkerSession): void => {
    const { workers } = this.options;
    clearTimeout(this.lossTimers.get(session.name));
    if (this.lossTimers.delete(session.name)) this.noticeOf(session, 'is back');
    if (session.hello.role === 'observer' || workers.includes(session.name)) this.watch(session);
  };

  /** Workers are the trial's own concern. */
  private readonly onDisconnected = (session: WorkerSession): void => {
    const { name, hello } = session;
    if (hello.role !== 'observer' || !this.watched.has(name)) return;
    const { lossMs } = this.options;
    this.noticeOf(session, 'was cut off; the run goes on, with its samples when it comes back');
    const lose = (): void => this.lose(name, `not heard of for ${lossMs / 1_000} s`);
    this.lossTimers.set(name, setTimeout(lose, lossMs));
  };

  private readonly onGoodbye = (session: WorkerSession, { reason }: Goodbye): void => {
    if (session.hello.role !== 'observer' || !this.watched.has(session.name)) return;
    this.noticeOf(session, `left: ${reason}; the run goes on without it`);
    this.lose(session.name, `it left: ${reason}`);
  };

  /** Before the end only a host that leaves has told all; its goodbye follows. */
  private readonly onHostDone = (host: string, trial: number): void => {
    if (trial !== this.options.trial || !this.ending || !this.watched.delete(host)) return;
    if (this.watched.size === 0) this.whenDone();
  };

  private lose(host: string, reason: string): void {
    const { collector, trial, originUs } = this.options;
    if (!this.watched.delete(host)) return;
    const atUs = Math.round(clock.now() - originUs);
    collector.record({ type: 'host-lost', trial, host, atUs, reason });
    if (this.watched.size === 0) this.whenDone();
  }

  private noticeOf({ hello, name }: WorkerSession, what: string): void {
    this.options.notice(`${hello.role} ${name} ${what}`);
  }
}
