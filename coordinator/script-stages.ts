/**
 * What a trial of a k6 script has beside the start barrier and the load: its processes take their time to come up, setup()
 * runs once, on the first shard, and teardown() once, on one that is still there when all have ended.
 *
 * taken → prepared → setting-up → ready (→ running) → ended → finishing
 */
import type { ScriptFacts } from '../shared/domain/k6-plan.ts';
import type { FinishShard, SetUpShard } from '../shared/protocol/messages.ts';
import type { Timing } from './timing.ts';

export type ScriptState = 'taken' | 'prepared' | 'setting-up' | 'ended' | 'finishing';

/** A shard as the trial has it. */
export interface StagedShard {
  readonly id: string;
  readonly plan: { worker: string; shard: { index: number } };
  state: string;
}

export interface ScriptStagesOptions<S extends StagedShard> {
  shards(): S[];
  isOver(shard: S): boolean;
  to(shard: S, state: ScriptState): void;
  send(shard: S, message: SetUpShard | FinishShard): void;
  /** Resolves with false after that time, or when the trial is given up. */
  until(done: () => boolean, withinMs: number): Promise<boolean>;
  onFacts(facts: ScriptFacts): void;
  timing: Timing;
}

/** To stop k6, and to wait until it has gone: see the steps of the worker. */
const STOP_STEPS_MS = 12_000;

export class ScriptStages<S extends StagedShard> {
  facts: ScriptFacts | undefined;
  private readonly options: ScriptStagesOptions<S>;
  /** What setup() returned; it goes from worker to worker and nowhere else. */
  private data: string | undefined;
  private hasSetUp = false;

  constructor(options: ScriptStagesOptions<S>) {
    this.options = options;
  }

  /** Until every shard waits for its start. @returns why not, unless the trial was given up meanwhile */
  async pass(): Promise<string | undefined> {
    const { shards, until, timing } = this.options;
    const all = (...states: string[]): boolean => shards().every(({ state }) => states.includes(state));
    if (!(await until(() => all('taken', 'prepared'), timing.barrierMs)))
      return this.missing(['dispatched'], `not taken within ${timing.barrierMs / 1000} s`);
    // The workers themselves look after their k6, and say more of it; this is for what they miss.
    if (!(await until(() => all('prepared'), timing.scriptMs)))
      return this.missing(['taken'], `no k6 that is ready within ${timing.scriptMs / 1000} s`);
    const first = shards().find(({ plan }) => plan.shard.index === 0)!;
    this.sendSetUp(first);
    const setUpMs = (this.facts?.setupTimeoutUs ?? 0) / 1_000 + timing.barrierMs;
    if (!(await until(() => this.hasSetUp, setUpMs)))
      return `setup() on worker ${first.plan.worker} did not end`;
    for (const shard of shards()) if (shard.state === 'prepared') this.sendSetUp(shard);
    if (!(await until(() => all('ready'), timing.barrierMs)))
      return this.missing(['setting-up'], `not ready within ${timing.barrierMs / 1000} s after setup()`);
    return undefined;
  }

  onTaken(shard: S): void {
    if (shard.state === 'dispatched') this.options.to(shard, 'taken');
  }

  onPrepared(shard: S, facts: ScriptFacts | undefined): void {
    if (shard.state !== 'taken' && shard.state !== 'dispatched') return;
    if (facts !== undefined && this.facts === undefined) {
      this.facts = facts;
      this.options.onFacts(facts);
    }
    this.options.to(shard, 'prepared');
  }

  onSetUp(shard: S, data: string | undefined): void {
    if (shard.state !== 'setting-up') return;
    this.hasSetUp = true;
    this.data = data;
    this.options.to(shard, 'setting-up');
  }

  /** @returns whether it was at work until now */
  onEnded(shard: S): boolean {
    if (shard.state !== 'running') return false;
    this.options.to(shard, 'ended');
    return true;
  }

  /** Called whenever a shard has ended or is gone: when there is nobody left to wait for, the ended ones may go. */
  finishWhenAllEnded(): void {
    const { shards, isOver, to, send } = this.options;
    const left = shards().filter((shard) => !isOver(shard));
    if (!left.every(({ state }) => state === 'ended')) return;
    left.forEach((shard, i) => {
      to(shard, 'finishing');
      send(shard, { type: 'finish', shard: shard.id, tearDown: i === 0 });
    });
  }

  /** A worker that is back is told what it may have missed. Once it may have heard of it, nobody else runs teardown(). */
  tellAgain(shard: S): void {
    if (shard.state === 'setting-up') this.sendSetUp(shard);
    if (shard.state === 'finishing')
      this.options.send(shard, { type: 'finish', shard: shard.id, tearDown: false });
  }

  /** Longest time that the load may take, and everything after it, ms. */
  longestMs(): number | undefined {
    const { durationUs } = this.facts ?? {};
    return durationUs === undefined ? undefined : durationUs / 1_000 + this.endMs();
  }

  /** For k6 to stop, run teardown() and go, ms. */
  endMs(): number {
    return STOP_STEPS_MS + (this.facts?.teardownTimeoutUs ?? 0) / 1_000;
  }

  private sendSetUp(shard: S): void {
    const { to, send } = this.options;
    const run = shard.plan.shard.index === 0;
    const { data } = this;
    to(shard, 'setting-up');
    send(shard, { type: 'set-up', shard: shard.id, run, ...(!run && data !== undefined && { data }) });
  }

  private missing(states: readonly string[], what: string): string {
    const names = this.options
      .shards()
      .filter(({ state }) => states.includes(state))
      .map(({ plan }) => plan.worker);
    return `${what}: ${names.join(', ')}`;
  }
}
