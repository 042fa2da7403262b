/**
 * What a scenario becomes once nothing is left to substitute: runs, trials and shards. Everything here is plain
 * data: it is queued as JSON, journaled as JSON, and posted to threads. Times in µs, sizes in bytes, rates a second.
 */
import type { K6Plan } from './k6-plan.ts';
import type { LoadPlan } from './load-plan.ts';
import type { TransportPlan } from './transport.ts';

export type * from './load-plan.ts';

export type Scalar = string | number | boolean;

export const ENGINE_NAMES = ['http', 'k6'] as const;
/** What sends the requests: the built-in engine, or a k6 process with a script. */
export type Engine = (typeof ENGINE_NAMES)[number];

/** One combination of a sweep's axes: axis name → value. Empty when the scenario has no sweep. */
export type Cell = Record<string, Scalar>;

export interface Target {
  name: string;
  /** Base URL without a trailing slash: `http://10.0.0.5:8080`. */
  url: string;
}

/** What a reply must be like to count as completed; what breaks it is a failure of class status, length or body. */
export interface Expectation {
  /** Accepted status codes. */
  status?: number[];
  /** Exact length of the entity in bytes. */
  length?: number;
  /** Text (as UTF-8) that the entity must contain. */
  contains?: string;
  /** SHA-256 of the entity, lower-case hexadecimal. */
  sha256?: string;
}

/** A text that differs by row: its pieces are literal text, or the index of a column of the data. */
export type RowText = (string | number)[];

/** What of a request differs by row; takes the place of what the plan says otherwise. */
export interface RowTemplate {
  /** Path and query, from the first slash on; values are percent-encoded. */
  path?: RowText;
  /** The values are paths already, as they go on the wire. */
  pathIsEncoded?: boolean;
  /** Value of the header at that index. */
  headers?: [index: number, value: RowText][];
  /** Values as they are, in UTF-8. */
  body?: RowText;
}

/** Rows of data; every request with a template takes the next one, round and round. */
export interface DataPlan {
  columns: string[];
  /** How many rows there are; those themselves never reach a journal. */
  count: number;
  rows: string[][];
}

/** One request, ready to be put on the wire. */
export interface RequestPlan {
  /** Splits the report by request; requests may share a name, and are then counted together. */
  name: string;
  /** Its share of the requests: weight over the sum of all weights. A whole number, 1 or more. */
  weight: number;
  method: string;
  /** Absolute URL, without a fragment. */
  url: string;
  /** As written, in order; `Host`, `Content-Length` and `Connection` are added by the engine when absent. */
  headers: [name: string, value: string][];
  bodyBase64?: string;
  /** Instead of `bodyBase64`: a body of so many bytes, made by the engine; the same bytes everywhere. */
  bodySize?: number;
  /** From the send to the last byte. */
  timeoutUs: number;
  connectTimeoutUs: number;
  expect?: Expectation;
  /** Its `url`, `headers` and body then hold `${data.column}` for people. */
  template?: RowTemplate;
}

/** One cell in one round. */
export interface TrialPlan {
  /** Position in the run, from 0. */
  index: number;
  cell: Cell;
  /** From 1. */
  round: number;
  /** Of a script without targets: the script's name, and an empty URL. */
  target: Target;
  engine: Engine;
  /** At least one, all at the same origin; none where the engine is `k6`. */
  requests: RequestPlan[];
  /** Where the engine is `k6`; its package is absent until the script has been packed, for which a plan need not wait. */
  k6?: Omit<K6Plan, 'package'> & Partial<Pick<K6Plan, 'package'>>;
  data?: DataPlan;
  /** Absent: plain connections, and one lookup. */
  transport?: TransportPlan;
  load: LoadPlan;
  warmupUs: number;
  /** Instead of a warm-up of that time: so many requests, in that time at most. */
  warmupRequests?: number;
}

/** One worker's share of a trial; what travels through its queue. */
export interface ShardPlan {
  runId: string;
  trial: number;
  shard: { index: number; count: number };
  worker: string;
  /** How often a coordinator had come back to the run, where one had: of a trial that is begun anew it is another shard. */
  returns?: number;
  /** Load threads to use; 0 leaves it to the worker. */
  threads: number;
  engine: Engine;
  /** At least one, all at the same origin; none where the engine is `k6`. */
  requests: RequestPlan[];
  /** Where the engine is `k6`. */
  k6?: K6Plan;
  data?: DataPlan;
  /** Absent: plain connections, and one lookup. */
  transport?: TransportPlan;
  load: LoadPlan;
  warmupUs: number;
  /** Instead of a warm-up of that time: this shard's share of so many requests, in that time at most. */
  warmupRequests?: number;
}

/** Names one shard over all runs: `<runId>/<trial>/<index>`, and `.<returns>` where there are any. */
export function shardId({
  runId,
  trial,
  shard,
  returns = 0,
}: Pick<ShardPlan, 'runId' | 'trial' | 'shard' | 'returns'>): string {
  return `${runId}/${trial}/${shard.index}${returns === 0 ? '' : `.${returns}`}`;
}

export type RunState = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
export type TrialState = 'completed' | 'dnf' | 'aborted';

/** Between a warm-up and the measurement: time for the last warm-up replies to come in. */
const WARMUP_SETTLE_US = 500_000;

/**
 * From the start of the load to the trial's start instant, from which everything is measured. None where the warm-up is a
 * number of requests: it ends when it ends, and then another start is agreed on.
 */
export function warmupLeadUs(plan: Pick<ShardPlan, 'warmupUs' | 'warmupRequests'>): number {
  if (plan.warmupRequests !== undefined) return 0;
  return plan.warmupUs > 0 ? plan.warmupUs + WARMUP_SETTLE_US : 0;
}
