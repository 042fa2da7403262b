/**
 * The records of a run's journal (`runs/<id>/journal.jsonl`), one JSON object a line, in the order in which the
 * coordinator learned of them. The report is a pure function of these (DESIGN, "The path of one request").
 */

import type { HookName } from '../shared/domain/hooks.ts';
import type { ScriptFacts } from '../shared/domain/k6-plan.ts';
import type { TableSpec } from '../shared/domain/report-spec.ts';
import type { Cell, RunState, TrialPlan, TrialState } from '../shared/domain/run.ts';
import type { DnfSpec, ThresholdSpec } from '../shared/domain/scenario.ts';
import type { CellSearch, SearchAnswer } from '../shared/domain/search.ts';
import type { TrialOrder } from '../shared/domain/trial-order.ts';
import type { FirstError } from '../shared/metrics/error-class.ts';
import type { HostFacts, HostSecond } from '../shared/metrics/host-second.ts';
import type { HostRole, IntervalReport, ScriptLogReport, ShardDone } from '../shared/protocol/messages.ts';
import type { HookCommandResult } from './hook-command.ts';
import type { Finding } from './preflight.ts';

export type { DnfSpec, ThresholdSpec } from '../shared/domain/scenario.ts';

export const JOURNAL_VERSION = 1;

/** First line. Secrets (values of credential headers, bodies) are redacted in `trials`. */
export interface RunRecord {
  type: 'run';
  version: number;
  broadside: string;
  id: string;
  name: string;
  /** µs since the epoch. */
  submittedUs: number;
  startedUs: number;
  trials: TrialPlan[];
  /** Of the scenario as it was given: two runs of the same one can be told. */
  fingerprint?: string;
  /** The run whose finished trials it took over; their records follow this one. */
  resumed?: { run: string; trials: number[] };
  /** In the sweep's order; tables keep it, whatever the order of the trials. */
  cells: Cell[];
  /** In which order they are. */
  order: TrialOrder;
  /** From where on a trial does not count. */
  dnf: DnfSpec;
  thresholds: ThresholdSpec[];
  /** The tables that the scenario asks for. */
  report: TableSpec[];
  /** What is searched, one a cell; `trials` is then empty, for each is planned when those before it have ended. */
  searches?: CellSearch[];
}

/** A trial of a search, before it begins. */
export interface SearchTrialRecord {
  type: 'search-trial';
  /** Which of the run's searches. */
  search: number;
  /** Redacted as those of the run are. */
  plan: TrialPlan;
}

/** What a search came to. */
export interface SearchAnswerRecord {
  type: 'search-answer';
  search: number;
  answer: SearchAnswer;
}

/** A coordinator has come back to a run that an earlier one left unfinished; what follows is its. */
export interface CoordinatorReturnedRecord {
  type: 'coordinator-returned';
  /** When the journal was last written to before, and when it goes on, µs since the epoch. */
  awayFromUs: number;
  returnedUs: number;
  /** The trial whose load was under way, where one was. */
  during?: number;
}

/** A worker's share of a trial, as it was dispatched. */
export interface ShardRecord {
  shard: string;
  index: number;
  worker: string;
  /** Of the worker, where not all of the trial's are of the same. */
  pool?: string;
  /** Of the worker's process that has it. */
  instance?: string;
  hostname: string;
  /** Absent of a script. */
  connections?: number;
  planned?: number;
  threads: number;
  /** Requests a second that the worker has measured itself to reach. */
  capacity?: number;
  /** The most requests a second that it sends, where it has a rate cap. */
  maxRate?: number;
  /** Worker's clock minus coordinator's, µs, and how far off that may be. */
  clockOffsetUs: number;
  clockUncertaintyUs: number;
}

/** What was found on the workers before the first trial. */
export interface PreflightRecord {
  type: 'preflight';
  findings: Finding[];
}

/** One command of a hook, and what came of it. Its output is as it was; secrets in it are the operator's. */
export interface HookRecord extends HookCommandResult {
  type: 'hook';
  hook: HookName;
  /** Those that it was run for, by index: one, all of a cell that follow one another, or none for the run's own. */
  trials: number[];
  /** A sentence, when those trials cannot count because of it. */
  failure?: string;
}

/** What a trial's k6 script turned out to be, as its first shard read it; before the trial is started. */
export interface ScriptRecord {
  type: 'script';
  trial: number;
  facts: ScriptFacts;
}

export interface TrialStartedRecord {
  type: 'trial-started';
  trial: number;
  /** The start instant on the coordinator's clock, µs since the epoch; after any warm-up. */
  startUs: number;
  shards: ShardRecord[];
  /** What the whole trial promises, from the scenario, not from the shards. */
  planned?: number;
}

export interface IntervalRecord extends IntervalReport {
  trial: number;
}

export interface ShardDoneRecord extends ShardDone {
  trial: number;
}

/** Before the shard's end, or before the end of a trial that never began. */
export interface ScriptLogRecord extends ScriptLogReport {
  trial: number;
}

export interface WorkerLostRecord {
  type: 'worker-lost';
  trial: number;
  shard: string;
  worker: string;
  /** µs since the trial's start instant. */
  atUs: number;
  reason: string;
}

/** A host that was asked to sample itself for a trial. */
export interface HostRecord {
  type: 'host';
  trial: number;
  /** Name of the worker or observer. */
  host: string;
  role: HostRole;
  /** As the worker's in `ShardRecord`. */
  clockOffsetUs: number;
  clockUncertaintyUs: number;
}

/** What it says of itself. */
export interface HostFactsRecord {
  type: 'host-facts';
  trial: number;
  host: string;
  facts: HostFacts;
}

export interface HostSecondRecord {
  type: 'host-second';
  trial: number;
  host: string;
  seq: number;
  sample: HostSecond;
}

/** A host whose samples end before the trial does. */
export interface HostLostRecord {
  type: 'host-lost';
  trial: number;
  host: string;
  /** µs since the trial's start instant. */
  atUs: number;
  reason: string;
}

export type HostJournalRecord = HostRecord | HostFactsRecord | HostSecondRecord | HostLostRecord;

export interface TrialEndedRecord {
  type: 'trial-ended';
  trial: number;
  state: TrialState;
  /** For `dnf` and `aborted`. */
  reason?: string;
  /** For a `dnf` before any request: what requests would have failed with. */
  firstErrors?: FirstError[];
  /** For an `aborted` trial: the threshold that ended it, as the scenario states it. */
  crossed?: string;
}

export interface RunEndedRecord {
  type: 'run-ended';
  endedUs: number;
  state: Exclude<RunState, 'queued' | 'running'>;
  reason?: string;
}

export type JournalRecord =
  | RunRecord
  | SearchTrialRecord
  | SearchAnswerRecord
  | CoordinatorReturnedRecord
  | PreflightRecord
  | HookRecord
  | ScriptRecord
  | TrialStartedRecord
  | IntervalRecord
  | ShardDoneRecord
  | ScriptLogRecord
  | WorkerLostRecord
  | HostJournalRecord
  | TrialEndedRecord
  | RunEndedRecord;
