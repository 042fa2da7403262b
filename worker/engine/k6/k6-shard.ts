/**
 * One shard of a k6 script on this worker: the main thread's side. From the outside it is as `ShardRunner`; k6 and the
 * reading of its samples are in a thread.
 */
import { once } from 'node:events';
import os from 'node:os';
import { Worker as Thread } from 'node:worker_threads';
import { clock } from '../../../shared/clock.ts';
import { type ShardPlan, shardId } from '../../../shared/domain/run.ts';
import { messageOf } from '../../../shared/errors.ts';
import type { FinishShard, SetUpShard, ShardReport } from '../../../shared/protocol/messages.ts';
import { residentBytes } from '../../host-sample.ts';
import type { FromK6Thread, K6Done, K6ThreadPlan, ToK6Thread } from './messages.ts';
import type { ReadyScript, ScriptCache } from './script-cache.ts';
import type { KeptLog } from './script-log.ts';

const THREAD_ENTRY = new URL('./k6-thread.js', import.meta.url);
/** After a stop: for the load to end, and then for k6 to go, each step of which is bounded. */
const STOP_WITHIN_MS = 15_000;
/** How long a worker that leaves waits for somebody to say who runs teardown(). */
const FINISH_WITHIN_MS = 3_000;

export interface K6ShardOptions {
  plan: ShardPlan;
  binary: { path: string; version: string } | undefined;
  scripts: Pick<ScriptCache, 'fetch'>;
  report(report: ShardReport): void;
}

export class K6Shard {
  readonly shard: string;
  /** Resolves when the shard is over, however it ended; everything has been reported by then. */
  readonly finished: Promise<void>;
  started = false;
  private readonly options: K6ShardOptions;
  private thread: Thread | undefined;
  private script: ReadyScript | undefined;
  private intervals = 0;
  private ended = false;
  private over = false;
  private leaving = false;
  private timers: NodeJS.Timeout[] = [];
  private resolveFinished!: () => void;

  constructor(options: K6ShardOptions) {
    this.options = options;
    this.shard = shardId(options.plan);
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
  }

  /** Fetches the script and starts k6; `shard-prepared` follows when it has its VUs. */
  prepare(): void {
    this.options.report({ type: 'shard-taken', shard: this.shard });
    this.startThread().catch((error) => this.fail(messageOf(error)));
  }

  setUp({ run, data }: SetUpShard): void {
    this.tell({ type: 'set-up', run, ...(data !== undefined && { data }) });
  }

  /** @param atUs when the load begins, µs on this process's clock */
  start(atUs: number): void {
    if (this.started || this.over) return;
    this.started = true;
    this.tell({ type: 'start', atUs });
  }

  finish({ tearDown }: FinishShard): void {
    this.tell({ type: 'finish', tearDown });
  }

  /**
   * Ends the load; what was measured is still reported. k6 stays for its teardown until somebody says `finish`.
   * @param leaving nobody will say it
   */
  stop(reason: string, leaving = false): void {
    if (this.over) return;
    this.leaving ||= leaving;
    if (this.thread === undefined) {
      this.fail(reason);
      return;
    }
    this.tell({ type: 'stop', reason });
    this.within(STOP_WITHIN_MS, () => {
      if (!this.ended) this.fail(`${reason}; its k6 did not end and was killed`);
    });
    if (this.ended) this.finishAlone();
  }

  private async startThread(): Promise<void> {
    const { plan, binary, scripts } = this.options;
    if (plan.k6 === undefined || binary === undefined)
      throw new Error('this worker has no k6 binary; start it with --k6 PATH or K6_BIN');
    this.script = await scripts.fetch(plan.k6.package);
    if (this.over) {
      await this.script.remove();
      return;
    }
    const workerData: K6ThreadPlan = {
      binary: { path: binary.path, version: binary.version },
      plan: plan.k6,
      script: this.script.file,
      folder: this.script.folder,
      shard: plan.shard,
      epochBaseUs: clock.epochBaseUs,
    };
    this.thread = new Thread(THREAD_ENTRY, { workerData, name: 'k6' });
    this.thread.on('message', (message: FromK6Thread) => this.onThreadMessage(message));
    this.thread.on('error', (error) => this.fail(`the thread of k6 broke: ${messageOf(error)}`));
  }

  private onThreadMessage(message: FromK6Thread): void {
    if (this.over) return;
    const { shard } = this;
    const { report, plan } = this.options;
    switch (message.type) {
      case 'prepared':
        report({
          type: 'shard-prepared',
          shard,
          ...(plan.shard.index === 0 && { facts: message.facts }),
        });
        break;
      case 'set-up':
        report({ type: 'shard-set-up', shard, ...(message.data !== undefined && { data: message.data }) });
        break;
      case 'ready':
        // k6 spreads over all cores by itself.
        report({ type: 'shard-ready', shard, threads: os.availableParallelism() });
        break;
      case 'interval':
        report({ type: 'interval', shard, seq: this.intervals++, interval: message.interval });
        break;
      case 'ended': {
        const { stopped } = message;
        this.ended = true;
        report({ type: 'shard-ended', shard, ...(stopped !== undefined && { stopped }) });
        if (this.leaving) this.finishAlone();
        break;
      }
      case 'done':
        this.reportLog(message.log);
        this.done(message.done);
        break;
      case 'failed':
        this.reportLog(message.log);
        this.fail(message.reason);
    }
  }

  private done(done: K6Done): void {
    const { warnings, residentBytes: ofK6, ...rest } = done;
    this.options.report({
      type: 'shard-done',
      shard: this.shard,
      intervals: this.intervals,
      ...rest,
      residentBytes: residentBytes() + ofK6,
      ...(warnings.length > 0 && { warnings }),
    });
    this.end();
  }

  private reportLog(log: KeptLog | undefined): void {
    if (log !== undefined) this.options.report({ type: 'script-log', shard: this.shard, ...log });
  }

  private fail(reason: string): void {
    if (this.over) return;
    this.options.report({ type: 'shard-failed', shard: this.shard, reason });
    this.end();
  }

  private finishAlone(): void {
    this.within(FINISH_WITHIN_MS, () => this.tell({ type: 'finish', tearDown: false }));
  }

  private tell(message: ToK6Thread): void {
    this.thread?.postMessage(message);
  }

  private within(ms: number, then: () => void): void {
    this.timers.push(setTimeout(then, ms));
  }

  /** With the thread go its pipes, and with those k6's whole group. */
  private end(): void {
    this.over = true;
    for (const timer of this.timers) clearTimeout(timer);
    const ended = this.thread === undefined ? Promise.resolve() : endThread(this.thread);
    ended
      .then(() => this.script?.remove())
      .catch(() => {})
      .then(() => this.resolveFinished());
  }
}

async function endThread(thread: Thread): Promise<void> {
  if (thread.threadId === -1) return;
  const exited = once(thread, 'exit');
  await thread.terminate();
  await exited.catch(() => {});
}
