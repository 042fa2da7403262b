/**
 * Submission to end: the queue `runs` in BullMQ, the state of every run, and cancelling. Many submissions may be taken
 * from the queue at once, but on each pool only one has its turn. Runs that a coordinator which is gone left unfinished go on.
 */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Queue, Worker as QueueWorker } from 'bullmq';
import { clock } from '../shared/clock.ts';
import { estimateScenario } from '../shared/domain/estimate.ts';
import { heaviestTrials, planTrials } from '../shared/domain/plan-trials.ts';
import type { Scenario, ScenarioSource } from '../shared/domain/scenario.ts';
import { validateScenario } from '../shared/domain/validate-scenario.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { RUNS_QUEUE } from '../shared/protocol/queues.ts';
import type { RedisConnection } from '../shared/protocol/redis-connection.ts';
import type { RunEvent } from '../shared/protocol/run-events.ts';
import type { Collector, RunCollector } from './collector.ts';
import { type DataDirectory, isAlive, newRunId } from './data-directory.ts';
import type { Dispatcher } from './dispatcher.ts';
import { checkHooksAllowed } from './hooks.ts';
import { abandonedShards } from './interrupted-run.ts';
import { JournalWriter } from './journal.ts';
import { fateOf } from './orphan-fate.ts';
import { PoolTurns } from './pool-turns.ts';
import type { Finding } from './preflight.ts';
import { preflight } from './preflight-run.ts';
import type { Registry } from './registry.ts';
import { type Resumed, readResumed } from './resume.ts';
import { type LeftRun, RunController, type RunEnd } from './run-controller.ts';
import type { RunStatus, RunStatusStore } from './run-status.ts';
import type { Timing } from './timing.ts';
import { stopStray } from './trial-controller.ts';

interface Submission {
  id: string;
  source: ScenarioSource;
  submittedUs: number;
  /** The interrupted run whose finished trials it takes over. */
  resume?: string;
}

export interface RunsOptions {
  data: DataDirectory;
  statuses: RunStatusStore;
  connection: RedisConnection;
  prefix: string;
  registry: Registry;
  dispatcher: Dispatcher;
  collector: Collector;
  timing: Timing;
  /** Whether its queue outlives it: another coordinator on the directory will find it. */
  stays: boolean;
  /** Whether commands of scenarios may run on this machine. */
  allowHooks: boolean;
  /** How long a run waits for its workers when its scenario does not say. */
  waitMs: number;
  log: Logger;
}

/** A run that goes on where a coordinator that is gone has left it. */
interface TakenUp {
  left: LeftRun;
  /** Its workers are heard from now on; what they tell waits for the run's turn. */
  collector: RunCollector;
  cancel: AbortController;
}

const ONCE = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** As many as may wait for their pool's turn outside of the queue. */
const TAKEN_AT_ONCE = 100;
const CLOSE_WITHIN_MS = 2_000;

export class Runs extends EventEmitter<{ event: [event: RunEvent] }> {
  private readonly options: RunsOptions;
  private readonly queue: Queue<Submission>;
  private readonly queueWorker: QueueWorker<Submission>;
  private readonly turns = new PoolTurns();
  /** Of the runs that are taken from the queue: those that wait for their turn and those that have it. */
  private readonly cancels = new Map<string, AbortController>();
  private readonly running = new Map<string, Promise<void>>();
  /** Those that wait to be taken from the queue once more. */
  private readonly takenUp = new Map<string, TakenUp>();
  private readonly closing = new AbortController();
  /** When all workers of the coordinator that is gone are here again, µs since the epoch; 0 where nothing was left by any. */
  private allBackUs = 0;

  constructor(options: RunsOptions) {
    super();
    this.options = options;
    const { connection, prefix, log } = options;
    this.queue = new Queue<Submission>(RUNS_QUEUE, { connection, prefix });
    this.queueWorker = new QueueWorker<Submission>(RUNS_QUEUE, (job) => this.take(job.data), {
      connection,
      prefix,
      autorun: false,
      concurrency: TAKEN_AT_ONCE,
      // What was under way when its coordinator died is queued anew by the next one, see `settleOrphans`.
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

  /**
   * @param resume an interrupted run of the same scenario, whose finished trials are taken over
   * @throws BroadsideError HOOKS_NOT_ALLOWED, RUN_NOT_FOUND, USAGE
   */
  async submit(scenario: Scenario, resume?: string): Promise<RunStatus> {
    checkHooksAllowed(scenario.hooks, this.options.allowHooks);
    const id = newRunId();
    const submittedUs = Math.round(clock.now());
    const trials = planTrials(scenario);
    const resumed = resume === undefined ? undefined : await this.resumed(resume, scenario);
    const left = trials.filter(({ index }) => resumed?.finished.has(index) !== true);
    const estimate = estimateScenario(scenario, left);
    const status: RunStatus = {
      id,
      name: scenario.name,
      pools: scenario.workers.pools.map(({ pool }) => pool),
      state: 'queued',
      trials: estimate.atMost === true ? estimate.trials : trials.length,
      estimate,
      submittedUs,
      owner: process.pid,
      ...(this.options.stays && { stays: true }),
    };
    await this.options.statuses.put(status);
    const submission = { id, source: scenario.source, submittedUs, ...(resume !== undefined && { resume }) };
    await this.queue.add('run', submission, { ...ONCE, jobId: id });
    return status;
  }

  private async resumed(run: string, scenario: Scenario): Promise<Resumed> {
    const { statuses, data } = this.options;
    const { state, owner = 0 } = statuses.get(run) ?? {};
    if ((state === 'queued' || state === 'running') && isAlive(owner)) {
      throw new BroadsideError('USAGE', `--resume ${run}: the run is ${state}`, {
        hint: `wait for it, or end it with \`coordinator cancel ${run}\``,
      });
    }
    return readResumed(data, run, scenario);
  }

  /**
   * Whether the workers could carry a scenario out, without doing so.
   * @param calibrate with each of them measuring before what it can reach
   */
  async preflight(scenario: Scenario, { calibrate = false } = {}): Promise<Finding[]> {
    const { registry, waitMs } = this.options;
    const { pools, waitUs } = scenario.workers;
    const longestMs = waitUs === undefined ? waitMs : waitUs / 1_000;
    const found = await registry.waitFor(pools, longestMs, new AbortController().signal);
    return preflight(heaviestTrials(scenario), found, scenario.workers, { calibrate });
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
    const cancel = this.cancels.get(id) ?? this.takenUp.get(id)?.cancel;
    if (cancel !== undefined) {
      cancel.abort(new Error(reason));
    } else {
      // The state first: should the queue hand the run out meanwhile, it is passed over.
      await this.settle(id, 'cancelled', reason);
      await this.queue.remove(id).catch((error) => this.options.log.debug(messageOf(error)));
    }
    return this.get(id);
  }

  /**
   * Stops what is running and takes no more. What is still queued stays so, for the next coordinator, unless the whole
   * queue is to be forgotten.
   */
  async close(reason: string, { forget }: { forget: boolean }): Promise<void> {
    this.closing.abort();
    for (const id of this.running.keys()) this.cancels.get(id)?.abort(new Error(reason));
    await Promise.allSettled(this.running.values());
    // By force: it would wait for those that are still queued. And not long: Redis may be gone.
    await Promise.race([
      this.closeQueue(forget).catch((error) => this.options.log.debug(messageOf(error))),
      new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS)),
    ]);
  }

  private async closeQueue(forget: boolean): Promise<void> {
    await this.queueWorker.close(true);
    if (forget) await this.queue.obliterate({ force: true });
    await this.queue.close();
  }

  private async take(submission: Submission): Promise<void> {
    const { id } = submission;
    const status = this.options.statuses.get(id);
    const takenUp = this.takenUp.get(id);
    this.takenUp.delete(id);
    if (status === undefined || this.cancels.has(id)) return;
    if (status.state !== 'queued' && takenUp === undefined) return;
    const cancel = takenUp?.cancel ?? new AbortController();
    this.cancels.set(id, cancel);
    // A load that goes on has to be stopped by its trial, however early the run was cancelled: that waits for its turn too.
    const meanwhile =
      takenUp?.left.begun === undefined ? [cancel.signal, this.closing.signal] : [this.closing.signal];
    try {
      const endTurn = await this.turns.take(status.pools, AbortSignal.any(meanwhile));
      const carriedOut = this.carryOut(status, submission, takenUp, cancel.signal).finally(endTurn);
      this.running.set(id, carriedOut);
      await carriedOut;
    } catch (error) {
      // Its place in the queue is kept for the next coordinator: what does not settle is not taken out of it.
      if (this.closing.signal.aborted && !cancel.signal.aborted) return new Promise(() => {});
      const state = cancel.signal.aborted ? 'cancelled' : 'failed';
      const reason = messageOf(cancel.signal.aborted ? cancel.signal.reason : error);
      // One that was taken up has a journal already.
      const end = { type: 'run-ended', endedUs: Math.round(clock.now()), state, reason } as const;
      await takenUp?.collector.record(end).catch((full) => this.options.log.error(messageOf(full)));
      await this.settle(id, state, reason);
    } finally {
      if (takenUp !== undefined) await this.letGo(id, takenUp);
      this.running.delete(id);
      this.cancels.delete(id);
    }
  }

  /** Whether or not it came to its turn: what its coordinator has left goes on no longer, unless another one may take it up. */
  private async letGo(id: string, { left, cancel }: TakenUp): Promise<void> {
    const { collector, registry, log } = this.options;
    await collector.close(id).catch((error) => log.error(`run ${id}: ${messageOf(error)}`));
    if (this.closing.signal.aborted && !cancel.signal.aborted) return;
    // Those that are not here yet are told when they come: nobody expects their shards.
    for (const { worker, shard } of left.begun?.shards ?? []) stopStray(registry, worker, shard);
  }

  private async carryOut(
    status: RunStatus,
    submission: Submission,
    takenUp: TakenUp | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const startedUs = takenUp?.left.run.startedUs ?? Math.round(clock.now());
    const running = await this.change(status, { state: 'running', startedUs });
    try {
      const end = await this.drive(submission, takenUp, signal);
      await this.change(running, { ...end, endedUs: Math.round(clock.now()) });
    } catch (error) {
      this.options.log.error(error, `run ${status.id} broke`);
      await this.settle(status.id, 'failed', messageOf(error));
    }
  }

  private settle(id: string, state: 'cancelled' | 'failed', reason: string): Promise<RunStatus> {
    return this.change(this.get(id), { state, reason, endedUs: Math.round(clock.now()) });
  }

  private async drive(
    { id, source, submittedUs, resume }: Submission,
    takenUp: TakenUp | undefined,
    signal: AbortSignal,
  ): Promise<RunEnd> {
    const { collector, registry, dispatcher, timing, waitMs, log } = this.options;
    const scenario = validateScenario(source, `run ${id}`);
    // It may have been queued by a coordinator that allowed more.
    checkHooksAllowed(scenario.hooks, this.options.allowHooks);
    // What a run has taken over is in its own journal by the time that it is taken up itself.
    const takesOver = resume !== undefined && takenUp === undefined;
    const resumed = takesOver ? await this.resumed(resume, scenario) : undefined;
    const runCollector = takenUp?.collector ?? (await collector.open(id));
    try {
      const controller = new RunController({
        id,
        scenario,
        submittedUs,
        waitMs,
        allBackUs: this.allBackUs,
        registry,
        dispatcher,
        collector: runCollector,
        timing,
        ...(resumed !== undefined && { resumed }),
        ...(takenUp !== undefined && { left: takenUp.left }),
        emit: (event) => this.emit('event', event),
        log,
      });
      return await controller.run(signal);
    } finally {
      await collector.close(id);
    }
  }

  /** Runs whose coordinator is gone: what is still in the queue is ours now, and what was under way goes on where it can. */
  private async settleOrphans(): Promise<void> {
    const { statuses, log } = this.options;
    const left = await this.queue.getJobs(['wait', 'active', 'delayed']);
    const orphans = statuses.orphans();
    // What is under way has its pool's turn, and keeps it.
    const underWay = orphans.filter(({ state }) => state === 'running');
    for (const orphan of [...underWay, ...orphans.filter((one) => !underWay.includes(one))]) {
      if (orphan.stays === true && !this.options.stays) continue;
      const place = left.find((job) => job?.data.id === orphan.id);
      try {
        await this.settleOrphan(orphan, place?.data);
      } catch (error) {
        // One run that is damaged, or that the disk has no room for, keeps nobody else from starting.
        log.error(error, `run ${orphan.id} (${orphan.name}) could not be taken up`);
        this.takenUp.delete(orphan.id);
        await this.options.collector.close(orphan.id).catch((closing) => log.debug(messageOf(closing)));
        await this.settle(orphan.id, 'failed', messageOf(error));
      }
      // One that was taken stays locked for a while; it is passed over when the queue lets go of it.
      await place?.remove().catch((error) => log.debug(messageOf(error)));
    }
    if (orphans.length > 0 && this.options.stays)
      this.allBackUs = clock.now() + this.options.timing.returnMs * 1_000;
  }

  /** @param submission as its place in the queue has it */
  private async settleOrphan(orphan: RunStatus, submission: Submission | undefined): Promise<void> {
    const fate = await fateOf(orphan, submission?.source, this.options.data);
    switch (fate.is) {
      case 'taken-up':
        await this.takeUp(orphan, fate.left);
        break;
      case 'queued':
        await this.keep({ ...orphan, state: 'queued', owner: process.pid });
        break;
      case 'ended': {
        const { type: _type, ...end } = fate.end;
        await this.change(orphan, end);
        break;
      }
      case 'failed':
        await this.failOrphan(orphan, fate.reason);
    }
    if (submission !== undefined && (fate.is === 'taken-up' || fate.is === 'queued'))
      await this.queueAgain(submission);
  }

  private async failOrphan({ id, name, state }: RunStatus, reason: string): Promise<void> {
    const { data, log } = this.options;
    log.warn(`run ${id} (${name}): ${reason}`);
    const endedUs = Math.round(clock.now());
    if (state === 'running')
      await JournalWriter.appendTo(data.run(id), {
        type: 'run-ended',
        endedUs,
        state: 'failed',
        reason,
      }).catch((error) => log.error(`the end of run ${id} is not in its journal: ${messageOf(error)}`));
    await this.settle(id, 'failed', reason);
  }

  /** From here on its workers may come back: their shards are expected. */
  private async takeUp(orphan: RunStatus, left: LeftRun): Promise<void> {
    const { id, name } = orphan;
    const { log } = this.options;
    const collector = await this.options.collector.open(id, left.arrived, abandonedShards(left));
    if (left.begun !== undefined) {
      collector.expect(left.begun.shards.map(({ shard }) => shard));
      collector.hold();
    }
    this.takenUp.set(id, { left, collector, cancel: new AbortController() });
    await this.keep({ ...orphan, owner: process.pid });
    log.info(`run ${id} (${name}) goes on`);
  }

  /** Behind those that were queued again before: what is under way comes first, then the oldest. */
  private async queueAgain(submission: Submission): Promise<void> {
    const jobId = `${submission.id}-${randomUUID()}`;
    await this.queue.add('run', submission, { ...ONCE, jobId });
  }

  /** What is known of a run counts here, also where it cannot be written. */
  private async keep(status: RunStatus): Promise<void> {
    await this.options.statuses
      .put(status)
      .catch((error) =>
        this.options.log.error(`the state of run ${status.id} could not be kept: ${messageOf(error)}`),
      );
  }

  private async change(status: RunStatus, change: Partial<RunStatus>): Promise<RunStatus> {
    const changed = { ...status, ...change };
    // Whoever waits for the run has to hear of its end, also where the disk is full.
    if (changed.endedUs === undefined) await this.options.statuses.put(changed);
    else await this.keep(changed);
    const { id: runId, state, reason } = changed;
    this.emit('event', { type: 'run-state', runId, state, ...(reason === undefined ? {} : { reason }) });
    return changed;
  }
}
