/**
 * One trial, from dispatch to its end: the start barrier, the load, and what to do when a worker is lost. This is the
 * one file that says stop; data flows the other way everywhere else.
 *
 * A trial may also be taken over from a coordinator that is gone, in the middle of its load: its journal is gone through once
 * more, and its workers are waited for (DESIGN rule 9).
 *
 * A shard's states: dispatched → ready (→ warming → warm) → running → done | failed | lost; those of a script have more,
 * see script-stages.ts.
 */
import { clock } from '../shared/clock.ts';
import { isOpenLoop } from '../shared/domain/load-plan.ts';
import {
  type ShardPlan,
  shardId,
  type TrialPlan,
  type TrialState,
  warmupLeadUs,
} from '../shared/domain/run.ts';
import { connectionsOf, plannedRequests } from '../shared/domain/shard.ts';
import { messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { FirstError } from '../shared/metrics/error-class.ts';
import type { Goodbye, IntervalReport, ShardDone, ShardFailed } from '../shared/protocol/messages.ts';
import { type BegunTrial, startOnThisClock } from './begun-trial.ts';
import type { RunCollector } from './collector.ts';
import type { Dispatcher } from './dispatcher.ts';
import { HostWatch } from './host-watch.ts';
import type {
  DnfSpec,
  JournalRecord,
  ShardRecord,
  ThresholdSpec,
  TrialStartedRecord,
} from './journal-records.ts';
import { LiveStall, longestStallUs } from './live-stall.ts';
import { LiveThresholds } from './live-thresholds.ts';
import { LiveTrial } from './live-trial.ts';
import type { Registry } from './registry.ts';
import { ScriptStages, type ScriptState } from './script-stages.ts';
import type { Timing } from './timing.ts';
import type { WorkerSession } from './worker-session.ts';

export interface TrialOutcome {
  state: TrialState;
  reason?: string;
  /** Of a trial that failed before any request. */
  firstErrors?: FirstError[];
  /** The threshold that ended it, as it is written. */
  crossed?: string;
}

export interface TrialControllerOptions {
  runId: string;
  plan: TrialPlan;
  /** To be dispatched, or under way already. */
  shards: ShardPlan[] | BegunTrial;
  registry: Registry;
  dispatcher: Dispatcher;
  collector: RunCollector;
  onWorkerLoss: 'abort' | 'shrink';
  thresholds: readonly ThresholdSpec[];
  dnf: DnfSpec;
  timing: Timing;
  notice(message: string): void;
  log: Logger;
}

type ShardState =
  | 'dispatched'
  | ScriptState
  | 'ready'
  | 'warming'
  | 'warm'
  | 'running'
  | 'done'
  | 'failed'
  | 'lost';

interface Shard {
  plan: Pick<ShardPlan, 'worker' | 'shard'>;
  id: string;
  state: ShardState;
  threads: number;
  /** The process that the shard was handed to. */
  instance: string | undefined;
  /** When its load begins, µs on its worker's clock; once it is told. */
  startAtUs?: number;
  /** Of a trial that is taken over: its worker has not come yet. */
  awaited?: boolean;
  lossTimer?: NodeJS.Timeout;
}

const isOver = ({ state }: Shard): boolean => state === 'done' || state === 'failed' || state === 'lost';
const hasStarted = ({ state }: Shard): boolean =>
  state === 'running' || state === 'ended' || state === 'finishing';

function lostText(worker: string, reason: string): string {
  return `worker ${worker} was lost: ${reason}`;
}

/** A shard that is ready although its trial is over (its worker took it late) is told so. */
export function stopStray(registry: Registry, worker: string, shard: string): void {
  registry.send(worker, { type: 'stop', shard, reason: 'its trial is over' });
}

export class TrialController {
  live: LiveTrial | undefined;
  private readonly options: TrialControllerOptions;
  private readonly shards: Map<string, Shard>;
  private readonly thresholds: LiveThresholds;
  private readonly stall: LiveStall;
  /** Of a k6 script. */
  private readonly stages: ScriptStages<Shard> | undefined;
  private startUs = 0;
  /** How long to wait for the end of the load at least. */
  private leastMs = 0;
  private hosts: HostWatch | undefined;
  /** Why the trial cannot count, once that is so; the first reason stays. */
  private failure: TrialOutcome | undefined;
  private wake = (): void => {};

  constructor(options: TrialControllerOptions) {
    this.options = options;
    const names = options.plan.requests.map(({ name }) => name);
    this.thresholds = new LiveThresholds(options.thresholds, names);
    this.stall = new LiveStall(options.dnf.stallUs ?? longestStallUs(options.plan));
    if (options.plan.engine === 'k6') this.stages = this.scriptStages();
    const { shards } = options;
    const all =
      'started' in shards ? this.shardsOf(shards.started) : shards.map((plan) => this.shardOf(plan));
    this.shards = new Map(all.map((shard) => [shard.id, shard]));
  }

  /** Workers whose shard has not ended. */
  get activeWorkers(): number {
    return this.all().filter(({ state }) => state === 'running').length;
  }

  /** Carries the trial out. Its end is journaled when this resolves. */
  async run(signal: AbortSignal): Promise<TrialOutcome> {
    const { registry, collector, plan } = this.options;
    const onAbort = (): void => this.giveUp({ state: 'aborted', reason: messageOf(signal.reason) });
    const onDisconnected = (session: WorkerSession): void => this.onDisconnected(session);
    const onAvailable = (session: WorkerSession): void => this.onAvailable(session);
    const onGoodbye = (session: WorkerSession, { reason }: Goodbye): void => this.onGoodbye(session, reason);
    signal.addEventListener('abort', onAbort);
    registry.on('disconnected', onDisconnected).on('available', onAvailable).on('goodbye', onGoodbye);
    collector
      .on('taken', ({ shard }) => this.onStage(shard, (stages, of) => stages.onTaken(of)))
      .on('prepared', ({ shard, facts }) => this.onStage(shard, (stages, of) => stages.onPrepared(of, facts)))
      .on('set-up', ({ shard, data }) => this.onStage(shard, (stages, of) => stages.onSetUp(of, data)))
      .on('ended', ({ shard, stopped }) =>
        this.onStage(shard, (stages, of) => {
          // It ended before its time, by itself.
          if (stages.onEnded(of) && stopped !== undefined && this.failure === undefined)
            this.onShardGone(of, `worker ${of.plan.worker}: ${stopped}`);
        }),
      )
      .on('ready', ({ shard, threads }) => this.onReady(shard, threads))
      .on('warm', ({ shard }) => this.onWarm(shard))
      .on('failed', (report) => this.onFailed(report))
      .on('done', (report) => this.onDone(report))
      .on('interval', (report) => this.onInterval(report))
      .on('unwritable', (error) => this.giveUp({ state: 'dnf', reason: messageOf(error) }));
    try {
      if (signal.aborted) onAbort();
      const { shards } = this.options;
      if ('started' in shards) await this.takeOver(shards);
      else await this.passBarrier(shards);
      await this.awaitEnd();
    } catch (error) {
      this.giveUp({ state: 'dnf', reason: messageOf(error) });
    } finally {
      await this.hosts?.end();
      signal.removeEventListener('abort', onAbort);
      registry.off('disconnected', onDisconnected).off('available', onAvailable).off('goodbye', onGoodbye);
      collector.removeAllListeners();
      collector.expect([]);
      for (const shard of this.shards.values()) clearTimeout(shard.lossTimer);
    }
    await this.takeBackUnfinished();
    const outcome = this.failure ?? this.judge();
    await collector.record({ type: 'trial-ended', trial: plan.index, ...outcome });
    return outcome;
  }

  private shardOf(plan: ShardPlan): Shard {
    const instance = this.options.registry.get(plan.worker)?.hello.instance;
    return { plan, id: shardId(plan), state: 'dispatched', threads: 0, instance };
  }

  private shardsOf({ startUs, shards }: TrialStartedRecord): Shard[] {
    const leadUs = warmupLeadUs(this.options.plan);
    return shards.map(({ shard: id, index, worker, threads, instance, clockOffsetUs }) => ({
      plan: { worker, shard: { index, count: shards.length } },
      id,
      state: 'running',
      threads,
      instance,
      startAtUs: startUs - leadUs + clockOffsetUs,
      awaited: true,
    }));
  }

  /** What the journal has is gone through as when it came; then the workers are waited for, who have the rest. */
  private async takeOver({ started, records }: BegunTrial): Promise<void> {
    const { collector, registry, plan, dnf, timing } = this.options;
    collector.expect([...this.shards.keys()]);
    this.startUs = started.startUs;
    this.live = new LiveTrial(plan, started.planned, this.startUs, dnf);
    try {
      for await (const record of records()) this.replay(record);
    } finally {
      // Whatever becomes of the trial: nobody's reports wait for ever.
      collector.letIn();
    }
    for (const shard of this.all()) {
      const session = registry.get(shard.plan.worker);
      const isAwaited = !isOver(shard) && shard.awaited === true;
      const isHere = session?.connected === true && session.clockMeasured;
      if (isHere && (isAwaited || isOver(shard))) this.onAvailable(session);
      else if (isAwaited) this.awaitReturn(shard);
    }
    // Each of them comes, or is lost when its time is over.
    await this.until(() => this.all().every((shard) => isOver(shard) || shard.awaited !== true), undefined);
    this.startUs = startOnThisClock(started, registry);
    this.live.startUs = this.startUs;
    this.watchHosts();
    // A load that is over by now: word of it may still be on its way.
    this.leastMs = timing.stopMs;
  }

  private replay(record: JournalRecord): void {
    if (record.type === 'interval') this.onInterval(record);
    else if (record.type === 'shard-done') this.onDone(record);
    else if (record.type === 'worker-lost') {
      const shard = this.shards.get(record.shard);
      if (shard === undefined) return;
      shard.state = 'lost';
      this.onShardGone(shard, lostText(record.worker, record.reason));
    }
  }

  private awaitReturn(shard: Shard): void {
    const { lossMs } = this.options.timing;
    const reason = `it did not come back within ${lossMs / 1000} s after the coordinator`;
    clearTimeout(shard.lossTimer);
    shard.lossTimer = setTimeout(() => this.lose(shard, reason), lossMs);
  }

  /** Its worker has it no more, so word of its end is on its way; unless that went to the coordinator that is gone. */
  private awaitWord(shard: Shard): void {
    const { stopMs } = this.options.timing;
    const reason = 'its worker has it no more, and nobody knows how it ended';
    shard.lossTimer = setTimeout(() => this.lose(shard, reason), stopMs);
  }

  /** All shards ready, then one start instant for all (DESIGN rule 4). */
  private async passBarrier(plans: readonly ShardPlan[]): Promise<void> {
    const { dispatcher, collector, timing } = this.options;
    if (this.failure !== undefined) return;
    collector.expect([...this.shards.keys()]);
    await Promise.all(plans.map((plan) => dispatcher.dispatch(plan)));
    if (this.stages !== undefined) {
      const reason = await this.stages.pass();
      if (reason !== undefined) this.giveUp({ state: 'dnf', reason });
      if (this.failure === undefined) await this.start(plans);
      return;
    }
    const allReady = await this.until(
      () => this.all().every(({ state }) => state === 'ready'),
      timing.barrierMs,
    );
    if (this.failure !== undefined) return;
    if (!allReady) {
      const missing = this.all().filter(({ state }) => state !== 'ready');
      const names = missing.map(({ plan }) => plan.worker).join(', ');
      this.giveUp({
        state: 'dnf',
        reason: `not ready within ${timing.barrierMs / 1000} s: ${names} (can it reach Redis, is it busy with another shard?)`,
      });
      return;
    }
    if (this.options.plan.warmupRequests !== undefined && !(await this.warmUp())) return;
    await this.start(plans);
  }

  /** A warm-up of a number of requests: everybody sends theirs, and who is done waits for the others. */
  private async warmUp(): Promise<boolean> {
    const { plan } = this.options;
    for (const shard of this.all()) {
      shard.state = 'warming';
      this.sendWarmUp(shard);
    }
    const longestMs = (plan.warmupUs + this.lastReplyUs()) / 1_000 + this.options.timing.overdueMs;
    const warm = await this.until(() => this.all().every(({ state }) => state === 'warm'), longestMs);
    if (this.failure !== undefined) return false;
    if (warm) return true;
    const missing = this.all().filter(({ state }) => state !== 'warm');
    const names = missing.map((shard) => shard.plan.worker).join(', ');
    this.giveUp({ state: 'dnf', reason: `the warm-up did not end: no word came from ${names}` });
    return false;
  }

  private sendWarmUp(shard: Shard): void {
    this.options.registry.get(shard.plan.worker)?.send({ type: 'warm-up', shard: shard.id });
  }

  private onWarm(id: string): void {
    const shard = this.shards.get(id);
    if (shard?.state !== 'warming') return;
    shard.state = 'warm';
    this.wake();
  }

  private async start(plans: readonly ShardPlan[]): Promise<void> {
    const { plan, registry, collector, timing } = this.options;
    const clocks = this.all().map((shard) => registry.get(shard.plan.worker)?.clockOffset());
    const furthest = Math.max(...clocks.map((offset) => offset?.uncertaintyUs ?? 0));
    // Messages need at most twice the uncertainty to arrive; a little more for busy machines.
    const loadStartUs =
      clock.now() + timing.startLeadMs * 1_000 + (Number.isFinite(furthest) ? 4 * furthest : 0);
    this.startUs = loadStartUs + warmupLeadUs(plan);
    const planned = plannedRequests(plan.load);
    const facts = this.stages?.facts;
    const longestUs = facts?.loadUs ?? facts?.durationUs ?? plan.load.durationUs;
    this.live = new LiveTrial(plan, planned, this.startUs, this.options.dnf, longestUs);
    const pools = new Map(plans.map(({ worker }) => [worker, registry.get(worker)?.hello.pool]));
    const severalPools = new Set(pools.values()).size > 1;
    const shards = plans.map((part): ShardRecord => {
      const pool = severalPools ? pools.get(part.worker) : undefined;
      const shard = this.shards.get(shardId(part))!;
      const session = registry.get(part.worker);
      // Of a process that was started anew just now nothing is known yet; its shard is about to be lost.
      const measured = session?.clockMeasured === true ? session.clockOffset() : undefined;
      const offset = measured ?? { offsetUs: 0, uncertaintyUs: 0 };
      const share = plannedRequests(part.load);
      const connections = connectionsOf(part.load);
      const { capacity, maxRate } = session?.hello.capabilities ?? {};
      return {
        shard: shard.id,
        index: part.shard.index,
        worker: part.worker,
        ...(pool !== undefined && { pool }),
        ...(shard.instance !== undefined && { instance: shard.instance }),
        hostname: session?.hello.capabilities.hostname ?? '',
        ...(connections === undefined ? {} : { connections }),
        ...(share === undefined ? {} : { planned: share }),
        threads: shard.threads,
        ...(capacity !== undefined &&
          plan.engine === 'http' && { capacity: capacity.threadRate * shard.threads }),
        ...(maxRate !== undefined && { maxRate }),
        clockOffsetUs: Math.round(offset.offsetUs),
        clockUncertaintyUs: Math.round(offset.uncertaintyUs),
      };
    });
    // The order is sent before it is journaled: writing takes time that the lead was not made for.
    for (const shard of this.all()) {
      shard.state = 'running';
      this.sendStart(shard);
    }
    this.watchHosts();
    await collector.record({
      type: 'trial-started',
      trial: plan.index,
      startUs: Math.round(this.startUs),
      shards,
      ...(planned === undefined ? {} : { planned }),
    });
  }

  private sendStart(shard: Shard): void {
    const { registry, plan } = this.options;
    const session = registry.get(shard.plan.worker);
    if (session === undefined) return;
    shard.startAtUs ??= this.startUs - warmupLeadUs(plan) + session.clockOffset().offsetUs;
    session.send({ type: 'start', shard: shard.id, atUs: shard.startAtUs });
  }

  private watchHosts(): void {
    const { runId, plan, registry, collector, timing, notice } = this.options;
    this.hosts = new HostWatch({
      run: runId,
      trial: plan.index,
      originUs: this.startUs,
      targetUrl: plan.target.url,
      workers: this.all().map((shard) => shard.plan.worker),
      registry,
      collector,
      lossMs: timing.lossMs,
      notice,
    });
  }

  private async awaitEnd(): Promise<void> {
    if (this.all().some((shard) => !isOver(shard))) {
      const longestMs = this.longestMs();
      const withinMs = longestMs === undefined ? undefined : Math.max(longestMs, this.leastMs);
      await this.until(() => this.all().every(isOver), withinMs);
    }
    const overdue =
      this.failure === undefined ? 'no word came of the end of its load' : 'it did not stop when told to';
    for (const shard of this.all().filter(hasStarted)) this.lose(shard, overdue);
  }

  /** How long the load may take at most; a load without a duration takes as long as it takes. */
  private longestMs(): number | undefined {
    const { plan, timing } = this.options;
    const { durationUs } = plan.load;
    if (this.stages !== undefined) {
      const longestMs = this.stages.longestMs();
      if (longestMs === undefined) return undefined;
      return (this.startUs - clock.now()) / 1_000 + longestMs + timing.overdueMs;
    }
    if (durationUs === undefined) return undefined;
    return (this.startUs - clock.now() + durationUs + this.lastReplyUs()) / 1_000 + timing.overdueMs;
  }

  /** From the end of a load until its last reply may come. */
  private lastReplyUs(): number {
    const { load, requests } = this.options.plan;
    const waitUs = isOpenLoop(load) ? load.maxWaitUs : 0;
    return (
      Math.max(0, ...requests.map(({ timeoutUs, connectTimeoutUs }) => timeoutUs + connectTimeoutUs)) + waitUs
    );
  }

  private scriptStages(): ScriptStages<Shard> {
    const { registry, timing, collector, plan } = this.options;
    return new ScriptStages({
      shards: () => this.all(),
      isOver,
      to: (shard, state) => {
        shard.state = state;
        this.wake();
      },
      send: (shard, message) => {
        registry.get(shard.plan.worker)?.send(message);
      },
      until: async (done, withinMs) => (await this.until(done, withinMs)) && this.failure === undefined,
      onFacts: (facts) => {
        const problem = this.thresholds.takeScript(facts.thresholds);
        if (problem !== undefined) this.giveUp({ state: 'dnf', reason: problem });
        collector.record({ type: 'script', trial: plan.index, facts });
      },
      timing,
    });
  }

  private onStage(id: string, then: (stages: ScriptStages<Shard>, shard: Shard) => void): void {
    const shard = this.shards.get(id);
    if (shard === undefined || isOver(shard) || this.stages === undefined) return;
    then(this.stages, shard);
    this.stages.finishWhenAllEnded();
    this.wake();
  }

  private onReady(id: string, threads: number): void {
    const shard = this.shards.get(id);
    const before = this.stages === undefined ? 'dispatched' : 'setting-up';
    if (shard?.state !== before) return;
    shard.state = 'ready';
    shard.threads = threads;
    this.wake();
  }

  private onInterval({ shard, seq, interval }: IntervalReport): void {
    if (!this.shards.has(shard)) return;
    this.live?.add(interval);
    const crossed = this.thresholds.add({ shard, seq, interval }, this.activeWorkers);
    if (crossed !== undefined)
      this.giveUp({ state: 'aborted', reason: `threshold crossed: ${crossed}`, crossed });
    const stall = this.stall.add(interval, this.activeWorkers);
    if (stall !== undefined) {
      const { fromSecond, seconds, inFlight } = stall;
      const reason = `the target stalled: no reply for ${seconds} s from second ${fromSecond}, ${inFlight} requests in flight`;
      this.giveUp({ state: 'dnf', reason });
    }
  }

  private onFailed({ shard: id, reason, errorClass }: ShardFailed): void {
    const shard = this.shards.get(id);
    if (shard === undefined || isOver(shard)) return;
    clearTimeout(shard.lossTimer);
    const wasRunning = hasStarted(shard);
    shard.state = 'failed';
    const { worker } = shard.plan;
    if (wasRunning) this.recordLoss(shard, reason);
    if (errorClass === undefined) this.onShardGone(shard, `worker ${worker}: ${reason}`);
    else {
      const firstErrors = [{ class: errorClass, message: reason, atUs: 0, worker }];
      this.onShardGone(shard, `${errorClass}: worker ${worker}: ${reason}`, firstErrors);
    }
  }

  private onDone({ shard: id, stopped }: ShardDone): void {
    const shard = this.shards.get(id);
    if (shard === undefined || isOver(shard)) return;
    clearTimeout(shard.lossTimer);
    // Where it has ended before, that has been told already.
    const wasAtWork = shard.state !== 'ended' && shard.state !== 'finishing';
    shard.state = 'done';
    // It ended by itself before its time: the worker was stopped, or its lease ran out.
    if (stopped !== undefined && wasAtWork && this.failure === undefined) this.onShardGone(shard, stopped);
    this.stages?.finishWhenAllEnded();
    this.wake();
  }

  private onDisconnected(session: WorkerSession): void {
    const shard = this.shardAt(session);
    if (shard === undefined || isOver(shard)) return;
    const { lossMs } = this.options.timing;
    this.options.notice(
      `the connection to worker ${session.name} was cut; waiting ${lossMs / 1000} s for it`,
    );
    clearTimeout(shard.lossTimer);
    shard.lossTimer = setTimeout(() => this.lose(shard, `not heard of for ${lossMs / 1000} s`), lossMs);
  }

  /** A worker is back: it is told what it may have missed. */
  private onAvailable(session: WorkerSession): void {
    const shard = this.shardAt(session);
    if (shard === undefined) return;
    const held = session.hello.shards.find(({ shard: id }) => id === shard.id);
    if (isOver(shard)) {
      // When it was lost it was sent its stop, and was not there to hear it.
      if (held !== undefined && shard.state !== 'done') this.sendStop(shard, 'its trial goes on without it');
      return;
    }
    if (shard.lossTimer !== undefined) {
      clearTimeout(shard.lossTimer);
      delete shard.lossTimer;
      this.options.notice(`worker ${session.name} is back`);
    }
    delete shard.awaited;
    if (held !== undefined && this.failure !== undefined)
      this.sendStop(shard, this.failure.reason ?? 'stopped');
    else if (held !== undefined && shard.state === 'warming') this.sendWarmUp(shard);
    else if (held !== undefined && this.stages !== undefined && shard.state !== 'running')
      this.stages.tellAgain(shard);
    else if (held !== undefined && !held.started && shard.state === 'running') this.sendStart(shard);
    else if (session.hello.instance !== shard.instance && shard.state !== 'dispatched') {
      this.lose(shard, 'its process was started anew');
    } else if (held === undefined && 'started' in this.options.shards) this.awaitWord(shard);
    this.wake();
  }

  private onGoodbye(session: WorkerSession, reason: string): void {
    const shard = this.shardAt(session);
    if (shard !== undefined && !isOver(shard)) this.lose(shard, `it left: ${reason}`);
  }

  private lose(shard: Shard, reason: string): void {
    if (isOver(shard)) return;
    clearTimeout(shard.lossTimer);
    const wasRunning = hasStarted(shard);
    shard.state = 'lost';
    if (wasRunning) this.recordLoss(shard, reason);
    // Should it live, it must not go on.
    this.sendStop(shard, reason);
    this.onShardGone(shard, lostText(shard.plan.worker, reason));
  }

  /** Of a shard that will not tell how its load ended: what it had started and not finished is lost. */
  private recordLoss({ id: shard, plan: { worker } }: Shard, reason: string): void {
    const { collector, plan } = this.options;
    const atUs = Math.round(clock.now() - this.startUs);
    collector.record({ type: 'worker-lost', trial: plan.index, shard, worker, atUs, reason });
  }

  private onShardGone(shard: Shard, reason: string, firstErrors?: FirstError[]): void {
    const { onWorkerLoss, notice } = this.options;
    const others = this.all().some(
      (other) => other !== shard && other.state !== 'lost' && other.state !== 'failed',
    );
    if (onWorkerLoss === 'shrink' && others && this.startUs > 0) notice(`${reason}; going on without it`);
    else this.giveUp({ state: 'dnf', reason, ...(firstErrors !== undefined && { firstErrors }) });
    this.stages?.finishWhenAllEnded();
    this.wake();
  }

  /** The trial cannot count any more: everybody stops. */
  private giveUp(outcome: TrialOutcome): void {
    this.failure ??= outcome;
    for (const shard of this.all()) {
      if (isOver(shard)) continue;
      this.sendStop(shard, this.failure.reason ?? 'stopped');
      // Its worker may never take it; if it does, it will be told (`stopStray`).
      if (shard.state === 'dispatched') shard.state = 'failed';
    }
    this.wake();
  }

  private sendStop(shard: Shard, reason: string): void {
    this.options.registry.send(shard.plan.worker, { type: 'stop', shard: shard.id, reason });
  }

  /** A load that ran to its end may still have measured nothing. */
  private judge(): TrialOutcome {
    const judged = this.live?.judge();
    return judged?.state === 'dnf' ? { state: 'dnf', reason: judged.reason } : { state: 'completed' };
  }

  /** What was never taken is taken back. */
  private async takeBackUnfinished(): Promise<void> {
    const { dispatcher, log } = this.options;
    for (const { plan, id, state } of this.all()) {
      if (state === 'done') continue;
      await dispatcher.takeBack(plan.worker, id).catch((error) => log.debug(messageOf(error)));
    }
  }

  private all(): Shard[] {
    return [...this.shards.values()];
  }

  private shardAt(session: WorkerSession): Shard | undefined {
    return this.all().find(({ plan }) => plan.worker === session.name);
  }

  /** Resolves with true when `done` holds, with false after `withinMs`; a trial that is given up has little time. */
  private until(done: () => boolean, withinMs: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const timers: NodeJS.Timeout[] = [];
      const settle = (value: boolean): void => {
        for (const timer of timers) clearTimeout(timer);
        this.wake = () => {};
        resolve(value);
      };
      let stopping = false;
      this.wake = () => {
        if (done() || this.all().every(isOver)) {
          settle(done());
        } else if (this.failure !== undefined && !stopping) {
          stopping = true;
          const stopMs = this.options.timing.stopMs + (this.stages?.endMs() ?? 0);
          timers.push(setTimeout(() => settle(false), stopMs));
        }
      };
      if (withinMs !== undefined) timers.push(setTimeout(() => settle(false), Math.max(0, withinMs)));
      this.wake();
    });
  }
}
