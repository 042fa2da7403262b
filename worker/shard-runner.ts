/**
 * One shard on this worker: its threads, from ready to done. Merges the threads' intervals into the shard's, one a
 * second, numbers them, and tells everything through `report`, in order.
 */
import { once } from 'node:events';
import { Worker as Thread } from 'node:worker_threads';
import { clock } from '../shared/clock.ts';
import type { AllowList } from '../shared/domain/allow-list.ts';
import { mostParts, rowsOf } from '../shared/domain/data-rows.ts';
import { type ScheduledLoad, type ShardPlan, shardId, warmupLeadUs } from '../shared/domain/run.ts';
import { plannedRequests, splitLoad } from '../shared/domain/shard.ts';
import { splitWarmup } from '../shared/domain/warmup.ts';
import { messageOf } from '../shared/errors.ts';
import type { WorkerReport } from '../shared/protocol/messages.ts';
import { residentBytes } from './host-sample.ts';
import { IntervalMerger } from './interval-merger.ts';
import { firstDueUs } from './schedule/first-due.ts';
import type { FromThread, ThreadPlan, ThreadTotals, ToThread } from './thread-messages.ts';

const THREAD_ENTRY = new URL('./load-thread.js', import.meta.url);

export interface ShardRunnerOptions {
  plan: ShardPlan & { load: ScheduledLoad };
  /** The target's allowed addresses. */
  addresses: string[];
  /** Addresses of this machine that connections come from, in turn; none leaves it to the system. */
  localAddresses: string[];
  allowList: AllowList;
  /** Load threads when the plan does not say. */
  defaultThreads: number;
  /** The most requests a second, of all its threads together. */
  maxRate?: number | undefined;
  report(report: WorkerReport): void;
}

export class ShardRunner {
  readonly shard: string;
  /** Resolves when the shard is over, however it ended; everything has been reported by then. */
  readonly finished: Promise<void>;
  started = false;
  private readonly options: ShardRunnerOptions;
  private readonly loads: ScheduledLoad[];
  private readonly threads: Thread[] = [];
  private readonly totals: ThreadTotals[] = [];
  private readonly merger: IntervalMerger;
  private readyThreads = 0;
  private warming = false;
  private warmThreads = 0;
  private intervals = 0;
  private stopReason: string | undefined;
  private cpuAtStart: NodeJS.CpuUsage = process.cpuUsage();
  private cpuTimer: NodeJS.Timeout | undefined;
  private over = false;
  private resolveFinished!: () => void;

  constructor(options: ShardRunnerOptions) {
    this.options = options;
    this.shard = shardId(options.plan);
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
    const threads = Math.min(options.plan.threads || options.defaultThreads, mostParts(options.plan.data));
    this.loads = splitLoad(options.plan.load, threads);
    this.merger = new IntervalMerger(this.loads.length, (interval) => {
      options.report({ type: 'interval', shard: this.shard, seq: this.intervals++, interval });
    });
  }

  /** Starts the threads; `shard-ready` follows when all of them can begin at once. */
  prepare(): void {
    const { plan, addresses, localAddresses, allowList, maxRate } = this.options;
    const { engine, requests, data, transport, warmupUs, warmupRequests, shard } = plan;
    const warmups = warmupRequests === undefined ? undefined : splitWarmup(warmupRequests, this.loads);
    this.loads.forEach((load, index) => {
      const workerData: ThreadPlan = {
        engine,
        requests,
        ...(data !== undefined && { data: rowsOf(data, index, this.loads.length) }),
        thread: shard.index + shard.count * index,
        addresses,
        ...(transport !== undefined && { transport }),
        localAddresses,
        allow: allowList.entries,
        load,
        ...(maxRate !== undefined && {
          cap: { perSecond: maxRate, stripe: { offset: index, stride: this.loads.length } },
        }),
        warmupUs,
        ...(warmups !== undefined && { warmupRequests: warmups[index]! }),
        epochBaseUs: clock.epochBaseUs,
      };
      const thread = new Thread(THREAD_ENTRY, { workerData, name: `load ${index}` });
      this.threads.push(thread);
      thread.on('message', (message: FromThread) => this.onThreadMessage(index, message));
      thread.on('error', (error) => this.fail(`a load thread broke: ${messageOf(error)}`));
    });
  }

  /** Of a number of requests; `shard-warm` follows. Told twice, it is done once. */
  warmUp(): void {
    if (this.warming || this.over) return;
    this.warming = true;
    this.tellThreads({ type: 'warm-up' });
  }

  /** @param atUs when the load begins, µs on this process's clock */
  start(atUs: number): void {
    if (this.started || this.over) return;
    this.started = true;
    // The warm-up's CPU time is not the measurement's.
    const measuredInMs = (atUs + warmupLeadUs(this.options.plan) - clock.now()) / 1_000;
    this.cpuTimer = setTimeout(
      () => {
        this.cpuAtStart = process.cpuUsage();
      },
      Math.max(0, measuredInMs),
    );
    this.tellThreads({ type: 'start', atUs });
  }

  /** Ends the load; what was measured is still reported. */
  stop(reason: string): void {
    if (this.over) return;
    this.stopReason ??= reason;
    if (this.started) this.tellThreads({ type: 'stop' });
    else this.fail(reason);
  }

  private tellThreads(message: ToThread): void {
    for (const thread of this.threads) thread.postMessage(message);
  }

  private onThreadMessage(index: number, message: FromThread): void {
    if (this.over) return;
    switch (message.type) {
      case 'ready':
        if (++this.readyThreads === this.threads.length) this.reportReady();
        break;
      case 'warm':
        if (++this.warmThreads === this.threads.length)
          this.options.report({ type: 'shard-warm', shard: this.shard });
        break;
      case 'interval':
        this.merger.add(index, message.interval);
        break;
      case 'done':
        this.merger.end(index);
        this.totals.push(message.totals);
        if (this.totals.length === this.threads.length) this.done();
        break;
      case 'failed':
        this.fail(message.reason);
    }
  }

  private reportReady(): void {
    const planned = plannedRequests(this.options.plan.load);
    this.options.report({
      type: 'shard-ready',
      shard: this.shard,
      threads: this.threads.length,
      ...(planned === undefined ? {} : { planned }),
    });
  }

  private done(): void {
    const { user, system } = process.cpuUsage(this.cpuAtStart);
    const { plan } = this.options;
    const planned = plannedRequests(plan.load);
    const sum = (field: 'started' | 'completed' | 'failed' | 'dropped' | 'inFlight'): number =>
      this.totals.reduce((total, thread) => total + thread[field], 0);
    const server = this.totals.find((thread) => thread.server !== undefined)?.server;
    const threadLoads = this.totals.flatMap(({ threadLoad }) => threadLoad ?? []);
    const held = this.totals.flatMap((thread) => thread.held ?? []);
    const firstRequests = this.totals.flatMap(({ firstRequestUs }) => firstRequestUs ?? []);
    this.options.report({
      type: 'shard-done',
      shard: this.shard,
      intervals: this.intervals,
      totals: {
        ...(planned === undefined ? {} : { planned }),
        started: sum('started'),
        completed: sum('completed'),
        failed: sum('failed'),
        dropped: sum('dropped'),
        inFlight: sum('inFlight'),
      },
      ...(firstRequests.length === 0
        ? {}
        : { firstRequestUs: Math.round(Math.min(...firstRequests) - firstDueUs(plan.load)) }),
      endUs: Math.max(...this.totals.map(({ endUs }) => endUs)),
      cpuSeconds: (user + system) / 1e6,
      residentBytes: residentBytes(),
      ...(threadLoads.length > 0 && { threadLoads }),
      ...(held.length > 0 && {
        held: {
          requests: held.reduce((total, { requests }) => total + requests, 0),
          us: held.reduce((total, { us }) => total + us, 0),
        },
      }),
      ...(server !== undefined && { server }),
      ...(this.stopReason === undefined ? {} : { stopped: this.stopReason }),
    });
    this.finish();
  }

  private fail(reason: string): void {
    if (this.over) return;
    this.options.report({ type: 'shard-failed', shard: this.shard, reason });
    this.finish();
  }

  private finish(): void {
    this.over = true;
    clearTimeout(this.cpuTimer);
    // Threads end by themselves after their last message; one that does not is ended.
    const ended = this.threads.map((thread) => endThread(thread));
    Promise.allSettled(ended).then(() => this.resolveFinished());
  }
}

async function endThread(thread: Thread): Promise<void> {
  if (thread.threadId === -1) return;
  const exited = once(thread, 'exit');
  await thread.terminate();
  await exited.catch(() => {});
}
