/** How load is scheduled: a plan for each executor, as plain data. Times in µs, rates a second. */

/** A part of a ramp: from where the stage before it ended, along a straight line to `target`. */
export interface Stage {
  /** 0 for a jump. */
  durationUs: number;
  target: number;
}

/**
 * Which of the whole's arrivals or connections (numbered from 0) a share has: those with number ≡ offset (mod
 * stride), and the `width` − 1 that follow each. `{0, 1}` is the whole.
 */
export interface Stripe {
  offset: number;
  stride: number;
  /** Absent: 1. More only of a stripe that was cut from the whole, with offset + width ≤ stride. */
  width?: number;
}

/** How long a connection pauses between the end of a reply and its next request; it is idle then, not in flight. */
export type Pause =
  | { distribution: 'fixed'; us: number }
  | { distribution: 'uniform'; minUs: number; maxUs: number }
  | { distribution: 'exponential'; meanUs: number };

export interface ThinkTime {
  pause: Pause;
  /** Each connection of the whole draws from a stream of its own, made of the seed and its number. */
  seed: number;
  /** Which connections of the whole this share has. */
  stripe: Stripe;
}

/** Closed loop: each connection sends its next request when the last one is finished. */
export interface ConstantConnections {
  executor: 'constant-connections';
  connections: number;
  /** At least one of the two; with both, what comes first ends the load. */
  durationUs?: number;
  requests?: number;
  keepAlive: boolean;
  thinkTime?: ThinkTime;
}

/**
 * Closed loop with a number of connections that follows a line from stage to stage: see `connectionSteps` for how it
 * is rounded.
 */
export interface RampingConnections {
  executor: 'ramping-connections';
  /** Of the whole that this plan was split from, as are the targets of the stages (see `stripe`). */
  startConnections: number;
  stages: Stage[];
  /** All stages together. */
  durationUs: number;
  /** Ends the load when it comes before the end of the last stage. */
  requests?: number;
  keepAlive: boolean;
  thinkTime?: ThinkTime;
  stripe: Stripe;
}

interface Arriving {
  durationUs: number;
  maxConnections: number;
  /** How long an arrival may wait for a free connection before it is dropped. */
  maxWaitUs: number;
  keepAlive: boolean;
  stripe: Stripe;
  /** Arrivals at random, as independent visitors come; absent: evenly spaced. The same seed gives the same times. */
  poisson?: { seed: number };
}

/** Open loop: request k is due at k/rate seconds, whatever happened to the ones before it. */
export interface ConstantArrivalRate extends Arriving {
  executor: 'constant-arrival-rate';
  /** Arrivals a second, of the whole that this plan was split from (see `stripe`). */
  rate: number;
}

/** Open loop with a rate that follows a line from stage to stage. */
export interface RampingArrivalRate extends Arriving {
  executor: 'ramping-arrival-rate';
  /** Arrivals a second, of the whole, as are the targets of the stages. `durationUs` is all stages together. */
  startRate: number;
  stages: Stage[];
}

/** A k6 script schedules itself; workers share it by execution segments, 1/n each. */
export interface ScriptLoad {
  executor: 'script';
  /** Where the scenario says so; else the script's own matter. */
  durationUs?: number;
}

export type ClosedLoad = ConstantConnections | RampingConnections;
export type OpenLoad = ConstantArrivalRate | RampingArrivalRate;
/** What the executors here carry out. */
export type ScheduledLoad = ClosedLoad | OpenLoad;
export type LoadPlan = ScheduledLoad | ScriptLoad;

/** Whether requests have due times, from which their latency counts. */
export function isOpenLoop(load: LoadPlan): load is OpenLoad {
  return load.executor === 'constant-arrival-rate' || load.executor === 'ramping-arrival-rate';
}
