/**
 * The report: everything that a format may show, and exactly what `--format json` prints. Programs read this from
 * outside, so fields are added and never change their meaning within one schema number.
 * Times in µs, sizes in bytes, rates a second.
 */
import type { K6Output, ScriptExit, ScriptThreshold } from '../../shared/domain/k6-plan.ts';
import type { TableSpec } from '../../shared/domain/report-spec.ts';
import type { Cell, LoadPlan, RunState, Scalar, Target, TrialState } from '../../shared/domain/run.ts';
import type { ScriptUnit } from '../../shared/domain/script-metric.ts';
import type { SearchAnswer, SearchSpec } from '../../shared/domain/search.ts';
import type { TrialOrder } from '../../shared/domain/trial-order.ts';
import type { FirstError } from '../../shared/metrics/error-class.ts';
import type { Ledger } from '../../shared/metrics/ledger.ts';
import type { Stall } from '../../shared/metrics/stall.ts';
import type { Summary, TimelineRow } from '../../shared/metrics/summary.ts';
import type { HookRecord } from '../journal-records.ts';
import type { Finding } from '../preflight.ts';
import type { ReportHost, ReportWire } from './hosts/host-model.ts';
import type { QuantileLimits, QuantileName } from './quantile-limits.ts';
import type { Comparison } from './statistics/comparison.ts';
import type { NoiseFloor } from './statistics/noise-floor.ts';
import type { Spread } from './statistics/spread.ts';

export type { Spread } from './statistics/spread.ts';

export const REPORT_SCHEMA = 'broadside.report/1';

/** What is left out of a report unless asked for, because it is large. */
export interface ReportOptions {
  /** False for a format that prints no histogram: over HTTP it gets none. */
  histograms?: boolean;
  /** The latencies of each second, for a format that has them. */
  secondHistograms?: boolean;
  /** False for a format that shows, by the second, no hosts, and traffic at most of a trial that is the only one. */
  secondLatencies?: boolean;
}

export interface Report {
  schema: typeof REPORT_SCHEMA;
  run: ReportRun;
  /** Searches, one a cell of the sweep; absent where nothing was searched. */
  search?: ReportSearch[];
  /** Trials that were begun, in order. */
  trials: ReportTrial[];
  cells: ReportCell[];
  /** As the scenario's `report` asks for them, in its order; one that asks for nothing where it has none. */
  tables: ReportTable[];
  thresholds: ReportThreshold[];
}

export interface ReportRun {
  id: string;
  name: string;
  state: Exclude<RunState, 'queued' | 'running'>;
  /** Why, when it is not `completed`. */
  reason?: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  durationUs: number;
  /** The Broadside version that measured. */
  broadside: string;
  /** Trials that the scenario asked for; more than `trials` has when the run ended early. */
  plannedTrials: number;
  /** The run that was interrupted, and how many trials were taken over from it. */
  resumed?: { run: string; trials: number };
  /**
   * When there was no coordinator, ISO 8601, UTC, and the index of the trial whose load went on meanwhile; absent when there
   * always was one.
   */
  coordinatorAway?: { from: string; until: string; trial?: number }[];
  /** In which order the trials were; with the seed that it came from, where it came from one. */
  order: TrialOrder;
  /** What was found on the workers before the first trial, in their order. */
  preflight: Finding[];
  /** Commands that were run for the whole run; absent when there were none. */
  hooks?: ReportHook[];
}

/** A command that the coordinator ran, and what it said. */
export type ReportHook = Omit<HookRecord, 'type' | 'trials'>;

/** A search for the knee; its bounds as the scenario has them. */
export interface ReportSearch extends SearchSpec {
  /** Of the sweep: without the value that is searched, which the cells of its trials have. */
  cell: Cell;
  mostTrials: number;
  /** Its trials, in order. */
  steps: ReportSearchStep[];
  /** Absent when the run ended before. */
  answer?: SearchAnswer;
  /** The answer, or why there is none. */
  text: string;
  /** Of an answer, with what speaks against it, or for it where nothing does. */
  confidence?: { level: 'high' | 'fair' | 'low'; why: string[] };
}

export interface ReportSearchStep {
  /** Index of the trial. */
  trial: number;
  value: number;
  /** The how-manieth trial of this value, from 1. */
  round: number;
  requestRate: number;
  holds: boolean;
  /** The condition that did not hold, and what was measured. */
  broke?: string;
}

export interface ReportTrial {
  /** Position in the run, from 0. */
  index: number;
  cell: Cell;
  /** From 1. */
  round: number;
  /** Its start instant, ISO 8601, UTC; absent when it did not come to that. */
  startedAt?: string;
  state: TrialState;
  /** Why it did not finish; with state `dnf`. */
  dnf?: { reason: string; firstErrors: FirstError[] };
  /** Why it was aborted. */
  reason?: string;
  /** The threshold with `abort` that ended it. */
  crossed?: string;
  target: Target;
  /** What it named as its server in the first reply (the header Server); absent when nothing. */
  server?: string;
  /** In the scenario's order. */
  requests: ReportRequest[];
  /** Rows that the requests are made of; they themselves are in no report. */
  data?: { rows: number; columns: string[] };
  /** Where a k6 script makes the load. */
  script?: ReportScript;
  load: LoadPlan;
  /** Before its start instant, with `warmupRequests` at most; absent without a warm-up. */
  warmupUs?: number;
  /** So many requests before it. */
  warmupRequests?: number;
  workers: ReportWorker[];
  /** Where they are of several pools: each pool's workers together. */
  pools?: ReportPool[];
  start: ReportStart;
  summary: Summary;
  /** How far the latency's quantiles can be trusted. */
  quantiles: Record<QuantileName, QuantileLimits>;
  timeline: TimelineRow[];
  /** When no reply came for a whole second or longer though requests were under way. */
  stalls: Stall[];
  ledger: Ledger;
  /** What its hosts did meanwhile: workers, then observers. */
  hosts: ReportHost[];
  /** The way of the load; absent where no host told of it. */
  wire?: ReportWire;
  verdict: Verdict;
  /** Commands that were run for this trial or its cell, in order; absent when there were none. */
  hooks?: ReportHook[];
}

/** What was run by k6, and what it asks of itself. Its numbers are in the summary. */
export interface ReportScript {
  /** As the scenario has it. */
  name: string;
  /** Of its package, with everything that it imports. */
  sha256?: string;
  /** Its numbers are of all samples. */
  output: K6Output;
  /** The executor of each of its scenarios; absent when it did not come to that. */
  scenarios?: Record<string, string>;
  /** What its log says of the first exception or other error, with file and line where there is one. */
  firstError?: { worker: string; message: string };
  thresholds: ScriptThreshold[];
}

export interface ReportRequest {
  name: string;
  /** Its share of the requests, over the sum of all weights. */
  weight: number;
  method: string;
  url: string;
  /** The same for the same headers, credentials left aside; absent when there are none. They themselves are in no report. */
  headersDigest?: string;
  sendsBody: boolean;
}

/** The workers of one pool, as at one site. */
export interface ReportPool {
  name: string;
  workers: number;
  /** Completed requests, and their share of the trial's, 0 to 1; and what it should be by the workers' load. */
  requests: number;
  share: number;
  expectedShare: number;
  /** Over the trial's duration; received bytes. */
  requestRate: number;
  transferRate: number;
}

export interface ReportWorker {
  name: string;
  /** Where the trial's workers are of several. */
  pool?: string;
  hostname: string;
  /** Absent of a script. */
  connections?: number;
  threads: number;
  /** Worker's clock minus coordinator's, and how far off that may be. */
  clockOffsetUs: number;
  clockUncertaintyUs: number;
  /** µs after its first request was due; absent when nothing was sent, or the worker never said. */
  firstRequestUs?: number;
  /** Cores that its process kept busy on average; absent when the worker never said. */
  cpu?: number;
  /** Cores that its load threads kept busy on average; absent where its system does not tell. */
  threadCpu?: number;
  /** Each load thread over its whole seconds; absent where its system does not tell, and of a script. */
  threadLoads?: ReportThread[];
  residentBytes?: number;
  /** Completed requests, and their share of the trial's, 0 to 1. */
  requests: number;
  share: number;
  /** By its load: its connections or arrivals over all. A script is shared out evenly. */
  expectedShare: number;
  /** Of its own, over the trial's duration; received bytes. */
  requestRate: number;
  transferRate: number;
  /** Requests a second that it was measured to reach against itself; absent when it was not calibrated. */
  capacity?: number;
  /** Its rate cap (`worker start --max-rate`), requests a second. */
  maxRate?: number;
  /** What had to wait for that cap: requests, and µs of all their waits. */
  held?: { requests: number; us: number };
  /** Of a script: the most VUs that it had, and its iterations. */
  vus?: number;
  iterations?: number;
  /** Of its k6 process, where it did not end as it should. */
  exit?: Omit<ScriptExit, 'expected'>;
  /** What a reader of a script's numbers should know; absent where there is nothing. */
  warnings?: string[];
  lost?: { atUs: number; reason: string };
}

/** Shares of its time. */
export interface ReportThread {
  cpu: number;
  /** Ready to work, and waiting for a core. */
  waited: number;
  /** Of its seconds: those in which it worked or waited 95 % of the time or more. */
  full: number;
}

export interface ReportStart {
  /** Latest minus earliest first request of the workers; absent when only one of several told its first. */
  firstRequestSpreadUs?: number;
  /** µs after the workers' first requests were due; absent when no worker told its first. */
  earliestUs?: number;
  latestUs?: number;
  /** How far off the spread may be by the clocks: the two largest uncertainties together. */
  clockUncertaintyUs: number;
}

/** What limited the trial. */
export interface Verdict {
  limit: 'generator' | 'network' | 'target' | 'none' | 'undecided';
  /** Nothing showed the target at a limit; it follows from what else had room. */
  inferred?: true;
  /** Sentences: the host, the number and its bound. */
  evidence: string[];
  /** What to do next. */
  advice?: string;
}

/** A cell over its rounds. Only completed trials are in the numbers, which are absent when none completed. */
export interface ReportCell {
  cell: Cell;
  /** Trials begun. */
  rounds: number;
  /** Trials in the numbers below. */
  completed: number;
  requestRate?: Spread;
  /** Of bytes received; `bodyRate` of entities. */
  transferRate?: Spread;
  bodyRate?: Spread;
  /** Of k6 scripts. */
  iterationRate?: Spread;
  /** The metric that the scenario's first table asks for, in its base unit; absent when it asks for none. */
  metric?: Spread;
  /** Medians over the rounds of each quantile. */
  latency?: CellLatency;
  /** Requests of the round that completed fewest: what its quantiles rest on. */
  fewestRequests?: number;
  /** Median of the first table's metric over the baseline cell's; absent without a baseline. */
  relativeToBaseline?: number;
  /** With the baseline cell by that metric, round by round; absent for the baseline itself, and without a pair. */
  comparison?: Comparison;
  /** Of a baseline cell: how small a difference its rounds could have shown; from five rounds up. */
  noiseFloor?: NoiseFloor;
  /** Why trials of this cell are not in the numbers. */
  dnf?: string[];
}

/** A table that the scenario asks for; `rows`, `columns`, `unit` and so on as it does. */
export interface ReportTable extends TableSpec {
  metric: string;
  /** What its cells are compared with; absent where nothing is. */
  comparedWith?: { axis: string; value: Scalar };
  /** Which of rows and columns the best was looked for along; absent where it was not. */
  bestAlong?: string;
  /** As many as the report's `cells`, in their order. */
  cells: TableCell[];
}

/** A cell by its table's metric. */
export interface TableCell {
  cell: Cell;
  /** Over the rounds, in its base unit; absent where no trial counts. */
  metric?: Spread;
  /** As in `ReportCell`, by this metric. */
  relativeToBaseline?: number;
  comparison?: Comparison;
  noiseFloor?: NoiseFloor;
  /** `alone`: shown to be better than each other that it competes with; `tied`: one of those not shown to be worse. */
  best?: 'alone' | 'tied';
}

export interface CellLatency {
  mean: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  p999: number;
  max: number;
}

export interface ReportThreshold {
  expression: string;
  /** Of the requests of this name only. */
  request?: string;
  /** The script's own: of this metric, in k6's language. */
  script?: { metric: string; expression: string };
  cell?: Cell;
  round?: number;
  /** What was measured; absent when there was nothing to measure, which does not pass. */
  value?: number;
  /** What `value` is, of a script metric. */
  unit?: ScriptUnit;
  passed: boolean;
  /** Of a quantile that the trial has too few requests to know: how many it has, and needs. `passed` is then no proof. */
  tooFew?: { requests: number; needed: number };
}
