/** What a k6 shard's main side and its thread say to each other. */
import type { K6Plan, ScriptExit, ScriptFacts, ScriptOutput } from '../../../shared/domain/k6-plan.ts';
import type { Interval, ShardTotals } from '../../../shared/metrics/interval.ts';
import type { KeptLog } from './script-log.ts';

/** Given to the thread at its creation. */
export interface K6ThreadPlan {
  binary: { path: string; version: string };
  plan: K6Plan;
  /** The archive, or the script in its unpacked bundle, and the folder in which k6 runs. */
  script: string;
  folder: string;
  shard: { index: number; count: number };
  /** Of the process's clock. */
  epochBaseUs: number;
  /** How long k6 may stay without any progress until it is ready, ms. */
  silentMs?: number;
}

export type ToK6Thread =
  | { type: 'set-up'; run: boolean; data?: string }
  /** The start instant, µs on the process's clock. */
  | { type: 'start'; atUs: number }
  | { type: 'stop'; reason: string }
  | { type: 'finish'; tearDown: boolean };

export interface K6Done {
  totals: ShardTotals;
  /** µs since the start instant. */
  firstRequestUs?: number;
  endUs: number;
  /** Of k6 and of reading its samples. */
  cpuSeconds: number;
  residentBytes: number;
  stopped?: string;
  exit: ScriptExit;
  output: ScriptOutput;
  warnings: string[];
}

export type FromK6Thread =
  | { type: 'prepared'; facts: ScriptFacts }
  | { type: 'set-up'; data?: string }
  | { type: 'ready' }
  | { type: 'interval'; interval: Interval }
  | { type: 'ended'; stopped?: string }
  | { type: 'done'; done: K6Done; log: KeptLog | undefined }
  | { type: 'failed'; reason: string; log: KeptLog | undefined };
