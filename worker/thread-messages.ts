/** What a worker's main thread and its load threads say to each other. */
import type { DataPlan, RequestPlan, ScheduledLoad } from '../shared/domain/run.ts';
import type { TransportPlan } from '../shared/domain/transport.ts';
import type { ThreadLoad } from '../shared/metrics/interval.ts';
import type { Held } from './executor/capped-engine.ts';
import type { ThreadInterval } from './recorder.ts';
import type { RateShare } from './schedule/permits.ts';

/** A thread's share of a shard, given at its creation. */
export interface ThreadPlan {
  engine: string;
  requests: RequestPlan[];
  /** Rows that no other thread of the trial has. */
  data?: DataPlan;
  /** Which thread of the trial this is, over all workers: no two are alike, though some numbers may be left out. */
  thread: number;
  /** The target's addresses: resolved, and allowed. */
  addresses: string[];
  transport?: TransportPlan;
  /** Addresses of this machine that connections come from, in turn; none leaves it to the system. */
  localAddresses: string[];
  /** What may be loaded, as `createAllowList` takes it: for lookups per connection. */
  allow: readonly string[];
  load: ScheduledLoad;
  /** Its share of the worker's rate cap, where it has one; in the warm-up too. */
  cap?: RateShare;
  warmupUs: number;
  /** Instead of a warm-up of that time: this thread's share of so many requests, in that time at most. */
  warmupRequests?: number;
  /** Of the process's clock. */
  epochBaseUs: number;
}

export type ToThread =
  /** Begin the load (with its warm-up, if any) at this instant, µs on the process's clock. */
  | { type: 'start'; atUs: number }
  /** Where the warm-up is a number of requests: begin it now; `warm` follows, and then the start. */
  | { type: 'warm-up' }
  | { type: 'stop' };

export interface ThreadTotals {
  started: number;
  completed: number;
  failed: number;
  dropped: number;
  inFlight: number;
  firstRequestUs?: number;
  endUs: number;
  /** What the first reply named as its server. */
  server?: string;
  /** What had to wait for the rate cap, where there is one. */
  held?: Held;
  /** Absent where the system does not tell, and of less than a second. */
  threadLoad?: ThreadLoad;
}

export type FromThread =
  | { type: 'ready' }
  | { type: 'warm' }
  | { type: 'interval'; interval: ThreadInterval }
  | { type: 'done'; totals: ThreadTotals }
  /** The share could not be carried out at all. */
  | { type: 'failed'; reason: string };
