/**
 * Submission to end: the queue `runs` in BullMQ, the state of every run, and cancelling. Many submissions may be taken
 * from the queue at once, but on each pool only one has its turn.
 */
import { EventEmitter } from 'node:events';
import { Queue, Worker as QueueWorker } from 'bullmq';
import { clock } from '../shared/clock.ts';
import { planTrials } from '../shared/domain/plan-trials.ts';
import type { Scenario, ScenarioSource } from '../shared/domain/scenario.ts';
import { validateScenario } from '../shared/domain/validate-scenario.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { RunEvent } from '../shared/protocol/messages.ts';
import { RUNS_QUEUE } from '../shared/protocol/queues.ts';
import type { RedisConnection } from '../shared/protocol/redis-connection.ts';
import type { Collector } from './collector.ts';
import { type DataDirectory, newRunId } from './data-directory.ts';
import type { Dispatcher } from './dispatcher.ts';
import { JournalWriter } from './journal.ts';
import { PoolTurns } from './pool-turns.ts';
import type { Registry } from './registry.ts';
import { RunController, type RunEnd } from './run-controller.ts';
import type { RunStatus, RunStatusStore } from './run-status.ts';
import type { Timing } from './timing.ts';

interface Submission {
  id: string;
  source: ScenarioSource;
  submittedUs: number;
}

export interface RunsOptions {
  data: DataDirectory;
  statuses: RunStatusStore;
  connection: RedisConnection;
  registry: Registry;
  dispatcher: Dispatcher;
  collector: Collector;
  timing: Timing;
  /** How long a run waits for its workers when its scenario does not say. */
  waitMs: number;
  log: Logger;
}

/** As many as may wait for their pool's turn outside of the queue. */
const TAKEN_AT_ONCE = 100;

export class Runs extends EventEmitter<{ event: [event: RunEvent] }> {
  private readonly options: RunsOptions;
  private readonly queue: Queue<Submission>;
  private readonly queueWorker: QueueWorker<Submission>;
  private readonly turns = new PoolTurns();
  private readonly cancels = new Map<string, AbortController>();

  constructor(options: RunsOptions) {
    super();
    this.options = options;
    const { connection, log } = options;
    this.queue = new Queue<Submission>(RUNS_QUEUE, { connection });
    this.queueWorker = new QueueWorker<Submission>(RUNS_QUEUE, (job) => this.take(job.data), {
      connection,
      autorun: false,
      concurrency: TAKEN_AT_ONCE,
      // A run that was under way when its coordinator died is not begun again by itself.
      maxStalledCount: 0,
    });
    this.queue.on('error', (error) => log.warn(`the queue: ${messageOf(error)}`));
    this.queueWorker.on('error', (error) => log.warn(`the queue: ${messageOf(error)}`));
  }

  /** Settles what an earlier coordinator left, then begins to take runs. */
  async begin(): Promise<void> {
    await this.settleOrphans();
    this.queueWorker.run().catch((error) => this.options.log.error(`the queue: ${messageOf(error)}`));
  }

  async submit(scenario: Scenario): Promise<RunStatus> {
    const id = newRunId();
    const submittedUs = Math.round(clock.now());
    const status: RunStatus = {
      id,
      name: scenario.name,
      pool: scenario.workers.pool,
      state: 'queued',
      trials: planTrials(scenario).length,
      submittedUs,
      owner: process.pid,
    };
    await this.options.statuses.put(status);
    await this.queue.add(
      'run',
      { id, source: scenario.source, submittedUs },
      { jobId: id, attempts: 1, removeOnComplete: true, removeOnFail: true },
    );
    return status;
  }

  list(): RunStatus[] {
    return this.options.statuses.all();
  }

  /** @throws BroadsideError RUN_NOT_FOUND */
  get(id: string): RunStatus {
    const status = this.options.statuses.get(id);
    if (status === undefined) {
      throw new BroadsideError('RUN_NOT_FOUND', `there is no run ${id}`, { hint: 'see `coordinator list`' });
    }
    return status;
  }

  /** Queued runs leave the queue, running ones stop their load. Resolves with the state when the order is given. */
  async cancel(id: string, reason: string): Promise<RunStatus> {
    const status = this.get(id);
    if (status.state !== 'queued' && status.state !== 'running') return status;
    const cancel = this.cancels.get(id);
    if (cancel !== undefined) {
      cancel.abort(new Error(reason));
    } else {
      await this.queue.remove(id);
      await this.change(status, { state: 'cancelled', reason, endedUs: Math.round(clock.now()) });
    }
    return this.get(id);
  }

  /** Stops what is running and takes no more. */
  async close(reason: string): Promise<void> {
    for (const cancel of this.cancels.values()) cancel.abort(new Error(reason));
    await this.queueWorker.close();
    await this.queue.close();
  }

  private async take({ id, source, submittedUs }: Submission): Promise<void> {
    const { log, statuses } = this.options;
    const status = statuses.get(id);
    if (status === undefined || status.state !== 'queued') return;
    const cancel = new AbortController();
    this.cancels.set(id, cancel);
    try {
      const endTurn = await this.turns.take(status.pool, cancel.signal);
      try {
        const running = await this.change(status, { state: 'running', startedUs: Math.round(clock.now()) });
        const end = await this.carryOut(id, source, submittedUs, cancel.signal);
        await this.change(running, { ...end, endedUs: Math.round(clock.now()) });
      } finally {
        endTurn();
      }
    } catch (error) {
      const state = cancel.signal.aborted ? 'cancelled' : 'failed';
      if (state === 'failed') log.error(error, `run ${id} broke`);
      await this.change(this.get(id), { state, reason: messageOf(error), endedUs: Math.round(clock.now()) });
    } finally {
      this.cancels.delete(id);
    }
  }

  private async carryOut(
    id: string,
    source: ScenarioSource,
    submittedUs: number,
    signal: AbortSignal,
  ): Promise<RunEnd> {
    const { collector, registry, dispatcher, timing, waitMs, log } = this.options;
    const runCollector = await collector.open(id);
    try {
      const controller = new RunController({
        id,
        scenario: validateScenario(source, `run ${id}`),
        submittedUs,
        waitMs,
        registry,
        dispatcher,
        collector: runCollector,
        timing,
        emit: (event) => this.emit('event', event),
        log,
      });
      return await controller.run(signal);
    } finally {
      await collector.close(id);
    }
  }

  /** Runs whose coordinator is gone: those that were under way have failed, those still in the queue are ours now. */
  private async settleOrphans(): Promise<void> {
    const { statuses, data, log } = this.options;
    for (const orphan of statuses.orphans()) {
      const waiting = orphan.state === 'queued' && (await this.queue.getJob(orphan.id)) !== undefined;
      if (waiting) {
        await statuses.put({ ...orphan, owner: process.pid });
        continue;
      }
      const reason = 'its coordinator ended before it did';
      log.warn(`run ${orphan.id} (${orphan.name}): ${reason}`);
      const endedUs = Math.round(clock.now());
      if (orphan.state === 'running') {
        const journal = await JournalWriter.open(data.run(orphan.id));
        await journal.append({ type: 'run-ended', endedUs, state: 'failed', reason });
        await journal.close();
      }
      await statuses.put({ ...orphan, state: 'failed', reason, endedUs });
    }
  }

  private async change(status: RunStatus, change: Partial<RunStatus>): Promise<RunStatus> {
    const changed = { ...status, ...change };
    await this.options.statuses.put(changed);
    const { id: runId, state, reason } = changed;
    this.emit('event', { type: 'run-state', runId, state, ...(reason === undefined ? {} : { reason }) });
    return changed;
  }
}
