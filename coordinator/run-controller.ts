/** One run, from its turn to its end: waits for workers, then trial after trial; journal first, then everybody is told. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clock } from '../shared/clock.ts';
import { chosenCells } from '../shared/domain/cell-choice.ts';
import { lackText } from '../shared/domain/k6-requirements.ts';
import { heaviestTrials, planTrials } from '../shared/domain/plan-trials.ts';
import { redactForJournal } from '../shared/domain/redact.ts';
import type { Cell, RunState, TrialPlan } from '../shared/domain/run.ts';
import type { Scenario } from '../shared/domain/scenario.ts';
import { mostTrials } from '../shared/domain/search.ts';
import { hasSearch } from '../shared/domain/search-spec.ts';
import { formatDuration } from '../shared/domain/units.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { RunEvent } from '../shared/protocol/run-events.ts';
import { BROADSIDE_VERSION } from '../shared/version.ts';
import type { RunCollector } from './collector.ts';
import type { Dispatcher } from './dispatcher.ts';
import { RunHooks } from './hooks.ts';
import { type InterruptedRun, recordsOfTrial } from './interrupted-run.ts';
import {
  JOURNAL_VERSION,
  type JournalRecord,
  type RunEndedRecord,
  type TrialStartedRecord,
} from './journal-records.ts';
import { planShards, weightsOf } from './planner.ts';
import type { PreflightCheck } from './preflight.ts';
import { preflight } from './preflight-run.ts';
import { lacksOf, type Registry } from './registry.ts';
import { fingerprintOf, type Resumed } from './resume.ts';
import { SearchTrials } from './search-trials.ts';
import type { Timing } from './timing.ts';
import { TrialController, type TrialControllerOptions, type TrialOutcome } from './trial-controller.ts';
import type { WorkerSession } from './worker-session.ts';

const PROGRESS_MS = 1_000;
const WAITING_IS_SAID_AFTER_MS = 1_500;

export interface RunControllerOptions {
  id: string;
  scenario: Scenario;
  /** µs since the epoch. */
  submittedUs: number;
  /** How long to wait for workers when the scenario does not say. */
  waitMs: number;
  /** When all workers of a coordinator that is gone are here again, µs since the epoch; 0 where there was none. */
  allBackUs: number;
  registry: Registry;
  dispatcher: Dispatcher;
  collector: RunCollector;
  timing: Timing;
  /** What is taken over from an interrupted run. */
  resumed?: Resumed;
  /** The run was begun by a coordinator that is gone; its journal goes on. */
  left?: LeftRun;
  emit(event: RunEvent): void;
  log: Logger;
}

/** What a coordinator that is gone has left of a run. */
export interface LeftRun extends InterruptedRun {
  /** When it was last known to be there, µs since the epoch. */
  awayFromUs: number;
  /** The records of its journal once more. */
  records(): AsyncIterable<JournalRecord>;
}

export interface RunEnd {
  state: Exclude<RunState, 'queued' | 'running'>;
  reason?: string;
}

/** What is found of one target leaves the others as they are. */
const OF_ONE_TARGET: readonly PreflightCheck[] = ['target', 'addresses'];

export class RunController {
  private readonly options: RunControllerOptions;
  /** Trials of the whole run, for progress. */
  private planned = 0;

  constructor(options: RunControllerOptions) {
    this.options = options;
  }

  /** Never rejects for what went wrong with the run: that is its end. Rejects when the journal cannot be written. */
  async run(signal: AbortSignal): Promise<RunEnd> {
    const { id, scenario, collector, resumed, left, emit } = this.options;
    const search = this.searchTrials();
    const trials = search === undefined ? planTrials(scenario) : [];
    this.planned =
      search === undefined
        ? trials.length
        : search.searches.reduce((sum, { spec }) => sum + mostTrials(spec), 0);
    if (left === undefined) await this.recordBegin(trials, search);
    else await this.recordReturn(left);
    const done = resumed?.finished ?? left?.outcomes;
    // Those of a search are added as they are planned.
    const open = trials.filter(({ index }) => done?.has(index) !== true);
    const hooks = new RunHooks({
      spec: scenario.hooks,
      runId: id,
      trials: open,
      record: (record) => collector.record(record),
      notice: (message) => emit({ type: 'notice', runId: id, message }),
    });
    const end = await this.between(hooks, open, search, signal);
    await collector.record({
      type: 'run-ended',
      endedUs: Math.round(clock.now()),
      ...end,
    } satisfies RunEndedRecord);
    return end;
  }

  private async recordBegin(trials: TrialPlan[], search: SearchTrials | undefined): Promise<void> {
    const { id, scenario, submittedUs, collector, resumed } = this.options;
    await collector.record({
      type: 'run',
      version: JOURNAL_VERSION,
      broadside: BROADSIDE_VERSION,
      id,
      name: scenario.name,
      submittedUs: Math.round(submittedUs),
      startedUs: Math.round(clock.now()),
      trials: trials.map(redactForJournal),
      // It takes a while, on purpose; of a single trial nothing can be taken over.
      ...(trials.length > 1 && { fingerprint: fingerprintOf(scenario) }),
      ...(resumed !== undefined && { resumed: { run: resumed.run, trials: [...resumed.finished] } }),
      cells: chosenCells(scenario),
      order: scenario.order,
      dnf: scenario.dnf,
      thresholds: scenario.thresholds,
      report: scenario.report,
      ...(search !== undefined && { searches: [...search.searches] }),
    });
    for await (const record of resumed?.records() ?? []) await collector.record(record);
  }

  private async recordReturn({ awayFromUs, begun }: LeftRun): Promise<void> {
    const { id, collector, emit } = this.options;
    const returnedUs = Math.round(clock.now());
    const during = begun === undefined ? {} : { during: begun.trial };
    await collector.record({ type: 'coordinator-returned', awayFromUs, returnedUs, ...during });
    const away = formatDuration(Math.max(0, returnedUs - awayFromUs));
    emit({ type: 'notice', runId: id, message: `the coordinator was away for ${away}; the run goes on` });
  }

  /** The trials, between the hooks of the run. */
  private async between(
    hooks: RunHooks,
    trials: TrialPlan[],
    search: SearchTrials | undefined,
    signal: AbortSignal,
  ): Promise<RunEnd> {
    const refused = await hooks.beforeRun(signal);
    const end: RunEnd =
      refused === undefined
        ? await this.carryOut(trials, search, hooks, signal)
        : signal.aborted
          ? { state: 'cancelled', reason: messageOf(signal.reason) }
          : { state: 'failed', reason: refused };
    const failure = await hooks.afterRun();
    return failure !== undefined && end.state === 'completed' ? { state: 'failed', reason: failure } : end;
  }

  private searchTrials(): SearchTrials | undefined {
    const { id, scenario, collector, emit } = this.options;
    if (!hasSearch(scenario.source.load)) return undefined;
    return new SearchTrials(scenario, collector, (message) => emit({ type: 'notice', runId: id, message }));
  }

  private async carryOut(
    trials: TrialPlan[],
    search: SearchTrials | undefined,
    hooks: RunHooks,
    signal: AbortSignal,
  ): Promise<RunEnd> {
    const { left, resumed } = this.options;
    const outcomes: TrialOutcome[] = [...(left?.outcomes.values() ?? [])];
    const end = (outcome: TrialOutcome, hookFailure?: string): void => {
      outcomes.push(outcome);
      search?.note(outcome, hookFailure);
    };
    let looked = left?.looked ?? false;
    if (left?.begun !== undefined) {
      // Trials are begun one after another: what has begun and not ended is the first of those that are open.
      outcomes.push(await this.takeOver(left, left.begun, trials.shift()!, signal));
      if (signal.aborted) return { state: 'cancelled', reason: messageOf(signal.reason) };
    }
    const over = crossedIn(outcomes.at(-1));
    if (over !== undefined) return over;
    for await (const trial of search?.trials() ?? trials) {
      if (search !== undefined) trials.push(trial);
      let workers: WorkerSession[];
      try {
        if (outcomes.length > 0) await this.coolDown(signal);
        const refused = await hooks.beforeTrial(trial, signal);
        if (refused !== undefined) {
          end(await this.passOver(trial, refused, signal), refused);
          await hooks.afterTrial(trial);
          if (signal.aborted) return { state: 'cancelled', reason: messageOf(signal.reason) };
          continue;
        }
        workers = await this.workersFor(trial, signal);
        if (!looked)
          await this.lookFirst(
            search === undefined ? trials : heaviestTrials(this.options.scenario),
            workers,
          );
        looked = true;
      } catch (error) {
        if (signal.aborted) return { state: 'cancelled', reason: messageOf(signal.reason) };
        return { state: 'failed', reason: reasonOf(error) };
      }
      const outcome = await this.runTrial(trial, workers, signal);
      const failure = await hooks.afterTrial(trial);
      const counts = failure === undefined || outcome.state !== 'completed';
      end(counts ? outcome : { state: 'dnf', reason: failure }, failure);
      if (signal.aborted) return { state: 'cancelled', reason: messageOf(signal.reason) };
      const crossed = crossedIn(outcomes.at(-1));
      if (crossed !== undefined) return crossed;
    }
    const counting = outcomes.filter(({ state }) => state === 'completed');
    return counting.length > 0 || (resumed?.finished.size ?? 0) > 0
      ? { state: 'completed' }
      : { state: 'failed', reason: outcomes[0]!.reason ?? 'no trial' };
  }

  /** A trial whose hook failed is not begun. */
  private async passOver(trial: TrialPlan, reason: string, signal: AbortSignal): Promise<TrialOutcome> {
    const { id, scenario, collector, emit } = this.options;
    const outcome: TrialOutcome = signal.aborted
      ? { state: 'aborted', reason: messageOf(signal.reason) }
      : { state: 'dnf', reason };
    await collector.record({ type: 'trial-ended', trial: trial.index, ...outcome });
    emit({
      type: 'notice',
      runId: id,
      message: `${describeTrial(trial, scenario.rounds)}: ${outcome.reason}`,
    });
    return outcome;
  }

  /** @throws when the run is cancelled meanwhile */
  private async coolDown(signal: AbortSignal): Promise<void> {
    const { cooldownUs } = this.options.scenario;
    if (cooldownUs > 0) await sleep(cooldownUs / 1_000, undefined, { signal });
  }

  /** @throws when the run is cancelled meanwhile */
  private async allBack(signal: AbortSignal): Promise<void> {
    const leftUs = this.options.allBackUs - clock.now();
    if (leftUs > 0) await sleep(leftUs / 1_000, undefined, { signal });
  }

  /** Asked for before each trial: workers come and go. */
  private async workersFor({ k6 }: TrialPlan, signal: AbortSignal): Promise<WorkerSession[]> {
    const { scenario, registry, waitMs, id, emit } = this.options;
    const { pools, waitUs } = scenario.workers;
    // Whoever asks for all that there are would get the first one that is back.
    if (pools.some(({ count }) => count === undefined)) await this.allBack(signal);
    // Workers of an embedded lab are a moment late as a rule; that is not worth a word.
    const waiting = setTimeout(() => {
      const found = pools.map(({ pool, count }) => {
        const available = registry.available(pool);
        const lacking = available.flatMap((session) => {
          const missing = lacksOf(session, k6?.requires);
          return missing.length === 0 ? [] : [lackText(session.name, missing)];
        });
        const there = `${available.length - lacking.length} of ${count ?? 1} are here`;
        return `in pool ${pool}: ${[there, ...lacking].join('; ')}`;
      });
      emit({ type: 'notice', runId: id, message: `waiting for workers ${found.join('; ')}` });
    }, WAITING_IS_SAID_AFTER_MS);
    try {
      const longestMs = waitUs === undefined ? waitMs : waitUs / 1_000;
      return await registry.waitFor(pools, longestMs, signal, k6?.requires);
    } finally {
      clearTimeout(waiting);
    }
  }

  /**
   * Preflight. What would make the load impossible ends the run before it begins; a target that is not reached is left
   * to its trials, for there the others may still be measured.
   * @throws BroadsideError RUN_FAILED
   */
  private async lookFirst(trials: TrialPlan[], workers: WorkerSession[]): Promise<void> {
    const { id, scenario, collector, emit } = this.options;
    const findings = await preflight(trials, workers, scenario.workers);
    await collector.record({ type: 'preflight', findings });
    const impossible = findings.find(
      ({ level, check }) => level === 'error' && !OF_ONE_TARGET.includes(check),
    );
    for (const finding of findings) {
      if (finding.level === 'good' || finding === impossible) continue;
      const { worker, message, remedy } = finding;
      const mend = remedy === undefined ? '' : ` (${remedy})`;
      emit({ type: 'notice', runId: id, message: `preflight: ${worker}: ${message}${mend}` });
    }
    if (impossible === undefined) return;
    const { worker, message, remedy } = impossible;
    throw new BroadsideError(
      'RUN_FAILED',
      `worker ${worker}: ${message}`,
      remedy === undefined ? {} : { hint: remedy },
    );
  }

  private runTrial(plan: TrialPlan, workers: WorkerSession[], signal: AbortSignal): Promise<TrialOutcome> {
    const { id, scenario, left } = this.options;
    const names = workers.map(({ name }) => name);
    const weights = weightsOf(
      workers.map(({ hello }) => hello.capabilities),
      scenario.workers.weights,
    );
    const shards = planShards(id, plan, names, scenario.workers.threads, weights);
    // It may have been dispatched before: what those shards tell, and their places in the queues, are not of this one.
    const returns = left === undefined ? {} : { returns: left.returns + 1 };
    return this.control(
      plan,
      shards.map((shard) => ({ ...shard, ...returns })),
      signal,
    );
  }

  private takeOver(
    { records }: LeftRun,
    started: TrialStartedRecord,
    plan: TrialPlan,
    signal: AbortSignal,
  ): Promise<TrialOutcome> {
    return this.control(plan, { started, records: () => recordsOfTrial(records(), started.trial) }, signal);
  }

  private async control(
    plan: TrialPlan,
    shards: TrialControllerOptions['shards'],
    signal: AbortSignal,
  ): Promise<TrialOutcome> {
    const { id, scenario, registry, dispatcher, collector, timing, emit, log } = this.options;
    const controller = new TrialController({
      runId: id,
      plan,
      shards,
      registry,
      dispatcher,
      collector,
      onWorkerLoss: scenario.onWorkerLoss,
      thresholds: scenario.thresholds,
      dnf: scenario.dnf,
      timing,
      notice: (message) => emit({ type: 'notice', runId: id, message }),
      log,
    });
    const label = describeTrial(plan, scenario.rounds);
    const progress = setInterval(() => {
      if (controller.live === undefined) return;
      const workersNow = controller.activeWorkers;
      const numbers = controller.live.numbers(clock.now(), workersNow);
      // Before its first second is over there is nothing to tell.
      if (numbers.elapsedUs < 1e6) return;
      emit({
        type: 'progress',
        runId: id,
        trial: plan.index,
        trials: this.planned,
        label,
        workers: workersNow,
        ...numbers,
      });
    }, PROGRESS_MS);
    try {
      const outcome = await controller.run(signal);
      if (outcome.state !== 'completed')
        emit({ type: 'notice', runId: id, message: `${label}: ${outcome.reason}` });
      return outcome;
    } finally {
      clearInterval(progress);
    }
  }
}

/** `size=4KiB connections=40, round 2/5`; for people. */
function describeTrial(
  { cell, round, target }: { cell: Cell; round: number; target: { name: string } },
  rounds: number,
): string {
  const axes = Object.entries(cell).map(([axis, value]) => `${axis}=${value}`);
  const what = axes.length === 0 ? target.name : axes.join(' ');
  return rounds === 1 ? what : `${what}, round ${round}/${rounds}`;
}

/** A threshold that ended its trial ends the run. */
function crossedIn(outcome: TrialOutcome | undefined): RunEnd | undefined {
  if (outcome?.crossed === undefined) return undefined;
  return { state: 'failed', reason: outcome.reason ?? 'a threshold was crossed' };
}

function reasonOf(error: unknown): string {
  const hint = error instanceof BroadsideError && error.hint !== undefined ? ` (${error.hint})` : '';
  return `${messageOf(error)}${hint}`;
}
