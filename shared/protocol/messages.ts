/**
 * Everything that travels over the websocket between a worker and its coordinator, as JSON. The worker dials; its
 * token travels in the `Authorization: Bearer` header of the upgrade.
 *
 * What must not be lost (`WorkerReport`) is wrapped in a numbered `Delivery`, kept by the worker, sent again after a
 * reconnect, and dropped when the coordinator has acknowledged it. Everything else may be lost.
 */
import type { ScriptExit, ScriptFacts, ScriptOutput } from '../domain/k6-plan.ts';
import type { ErrorClass } from '../metrics/error-class.ts';
import type { HostFacts, HostSecond } from '../metrics/host-second.ts';
import type { Interval, ShardTotals, ThreadLoad } from '../metrics/interval.ts';
import type { HostSample, PreflightFacts, WorkerCapabilities } from './worker-facts.ts';

// ---- worker → coordinator ----------------------------------------------------------------------------------------

/** A worker carries out shards, and samples its host meanwhile; an observer only samples. */
export type HostRole = 'worker' | 'observer';

export interface Hello {
  type: 'hello';
  protocol: number;
  role: HostRole;
  /** Unique among connected workers and observers. */
  name: string;
  /** Of a worker; an observer looks at the runs of all pools. */
  pool: string;
  /** New for each process: tells a reconnect from another worker with the same name. */
  instance: string;
  capabilities: WorkerCapabilities;
  /** Shards that this process holds now, so that a reconnect can settle what was missed. */
  shards: { shard: string; started: boolean }[];
}

export interface Heartbeat {
  type: 'heartbeat';
  host: HostSample;
}

/** Answer to a `clock-probe`: when it came and when the answer left, on the worker's clock. */
export interface ClockAnswer {
  type: 'clock-answer';
  probe: number;
  receivedUs: number;
  sentUs: number;
}

/** Answer to `ask-preflight`. */
export interface PreflightAnswer {
  type: 'preflight';
  ask: number;
  facts: PreflightFacts;
}

export interface Goodbye {
  type: 'goodbye';
  reason: string;
}

/** All threads are up, the target's name is resolved, the load can start at once. */
export interface ShardReady {
  type: 'shard-ready';
  shard: string;
  /** What this shard promises, where it promises a number. */
  planned?: number;
  threads: number;
}

/** A warm-up of a number of requests is over, and the shard waits for its start. */
export interface ShardWarm {
  type: 'shard-warm';
  shard: string;
}

/** Of a script's shard, which takes its time to prepare: it has been taken. */
export interface ShardTaken {
  type: 'shard-taken';
  shard: string;
}

/** k6 has read the script and has its VUs; `set-up` may come. */
export interface ShardPrepared {
  type: 'shard-prepared';
  shard: string;
  /** From the first shard. */
  facts?: ScriptFacts;
}

/** setup() has run here. */
export interface ShardSetUp {
  type: 'shard-set-up';
  shard: string;
  /** What it returned, as JSON; it may hold secrets, and goes into no journal and no log. */
  data?: string;
}

/** The load is over; k6 is still there, for a teardown(), and waits for `finish`. */
export interface ShardEnded {
  type: 'shard-ended';
  shard: string;
  /** Why, when that was before its time. */
  stopped?: string;
}

/** What k6 and its script have logged, bounded: the beginning and the end. */
export interface ScriptLogReport {
  type: 'script-log';
  shard: string;
  text: string;
  /** Between the two. */
  linesLeftOut: number;
}

export interface IntervalReport {
  type: 'interval';
  shard: string;
  /** From 0, without gaps, one an interval. */
  seq: number;
  interval: Interval;
}

export interface ShardDone {
  type: 'shard-done';
  shard: string;
  /** Intervals sent before this. */
  intervals: number;
  totals: ShardTotals;
  /** How long after its first request was due the shard sent it, µs; absent when nothing was sent. */
  firstRequestUs?: number;
  /** The end of the load, µs since the start instant. */
  endUs: number;
  /** Seconds of CPU that the worker's process used during the load. */
  cpuSeconds: number;
  residentBytes: number;
  /** One a load thread; absent of a script, where the system does not tell, and of less than a second. */
  threadLoads?: ThreadLoad[];
  /** What the target named as its server in the first reply (the header Server). */
  server?: string;
  stopped?: string;
  /** Of a worker with a rate cap: what had to wait for it, requests and µs of all their waits. */
  held?: { requests: number; us: number };
  /** Of its k6 process. */
  exit?: ScriptExit;
  /** Of the samples that its k6 process wrote. */
  output?: ScriptOutput;
  /** What a reader of the numbers should know: k6's own account differs, samples came late. */
  warnings?: string[];
}

/** The shard could not be carried out at all. */
export interface ShardFailed {
  type: 'shard-failed';
  shard: string;
  reason: string;
  /** When it is the target's name or address that is at fault: what its requests would have failed with. */
  errorClass?: ErrorClass;
}

/** What a host says of itself at the begin of a trial. */
export interface HostFactsReport {
  type: 'host-facts';
  run: string;
  trial: number;
  facts: HostFacts;
}

export interface HostSecondReport {
  type: 'host-second';
  run: string;
  trial: number;
  /** From 0, without gaps, one a sample. */
  seq: number;
  sample: HostSecond;
}

/** No more samples of this trial. */
export interface HostDoneReport {
  type: 'host-done';
  run: string;
  trial: number;
  /** Samples sent before this. */
  seconds: number;
}

export type HostReport = HostFactsReport | HostSecondReport | HostDoneReport;

export type ShardReport =
  | ShardTaken
  | ShardPrepared
  | ShardSetUp
  | ShardReady
  | ShardWarm
  | IntervalReport
  | ShardEnded
  | ScriptLogReport
  | ShardDone
  | ShardFailed;

export type WorkerReport = ShardReport | HostReport;

export interface Delivery {
  type: 'delivery';
  /** From 1, rising, one count a worker process. */
  number: number;
  report: WorkerReport;
}

export type WorkerMessage = Hello | Heartbeat | ClockAnswer | PreflightAnswer | Goodbye | Delivery;

// ---- coordinator → worker ----------------------------------------------------------------------------------------

export interface Welcome {
  type: 'welcome';
  /** The queue's address; `{host}` stands for the host by which the worker reached the coordinator. */
  redisUrl: string;
  /** Keeps the queues of coordinators that share a Redis apart. */
  queuePrefix: string;
  /** A worker that hears nothing for this long stops its load. */
  leaseMs: number;
}

/** The worker may not join; it should say why and end. */
export interface Refused {
  type: 'refused';
  code: 'UNAUTHORIZED' | 'PROTOCOL_MISMATCH' | 'NAME_TAKEN' | 'BAD_HELLO';
  message: string;
}

export interface ClockProbe {
  type: 'clock-probe';
  probe: number;
}

/** Look at yourself, and whether you reach these targets. */
export interface AskPreflight {
  type: 'ask-preflight';
  ask: number;
  urls: string[];
  /** Measure, before, what you can reach. One that is under load does not. */
  calibrate?: true;
}

/** For a warm-up of a number of requests, before the start: begin it now. */
export interface WarmUpShard {
  type: 'warm-up';
  shard: string;
}

/** For a script, when all shards are prepared: run setup(), or take what it returned elsewhere. `shard-ready` follows. */
export interface SetUpShard {
  type: 'set-up';
  shard: string;
  run: boolean;
  data?: string;
}

/** All shards have ended: run teardown() or not, and end. */
export interface FinishShard {
  type: 'finish';
  shard: string;
  tearDown: boolean;
}

export interface StartShard {
  type: 'start';
  shard: string;
  /** The start instant, already on this worker's clock, µs. */
  atUs: number;
}

export interface StopShard {
  type: 'stop';
  shard: string;
  reason: string;
}

/** Sample your host for this trial; said again every second, so that a host that comes late or back is told too. */
export interface Watch {
  type: 'watch';
  run: string;
  trial: number;
  /** The trial's start instant on the coordinator's clock, µs: seconds are counted from it. */
  originUs: number;
  /** This host's clock minus the coordinator's, as far as it is known now, µs. */
  offsetUs: number;
  targetUrl: string;
}

/** The trial is over. */
export interface Unwatch {
  type: 'unwatch';
  run: string;
  trial: number;
}

/** All deliveries up to this number are journaled. */
export interface Acknowledge {
  type: 'ack';
  number: number;
}

export type CoordinatorMessage =
  | Welcome
  | Refused
  | ClockProbe
  | AskPreflight
  | WarmUpShard
  | SetUpShard
  | FinishShard
  | StartShard
  | StopShard
  | Watch
  | Unwatch
  | Acknowledge;
