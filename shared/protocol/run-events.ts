/** What a coordinator tells whoever watches a run (`/api/events`). */
import type { RunState } from '../domain/run.ts';

/** Of a trial, from what has been merged so far. */
export interface LiveNumbers {
  /** Share done, 0 to 1. */
  done: number;
  elapsedUs: number;
  /** Of the last whole second. */
  requestRate: number;
  transferRate: number;
  p50?: number;
  p99?: number;
  /** Since the start. */
  requests: number;
  errors: number;
  /** Of a k6 script. */
  script?: LiveScript;
}

/** Once a second while a trial runs. */
export interface Progress extends LiveNumbers {
  type: 'progress';
  runId: string;
  trial: number;
  trials: number;
  /** For people: `size=4KiB connections=40, round 2/5`. */
  label: string;
  workers: number;
}

/** A k6 script while it runs. */
export interface LiveScript {
  /** At the end of the last whole second, and iterations in it. */
  vus: number;
  iterationRate: number;
  /** Since the start. */
  iterations: number;
  checksFailed: number;
}

export interface RunStateChanged {
  type: 'run-state';
  runId: string;
  state: RunState;
  reason?: string;
}

/** Something a person should know while a run goes on: a worker lost, one awaited, a limit close. */
export interface Notice {
  type: 'notice';
  runId: string;
  message: string;
}

export type RunEvent = Progress | RunStateChanged | Notice;
