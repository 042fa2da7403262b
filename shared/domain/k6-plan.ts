/**
 * What a worker's k6 process is to run. k6 is a separate program, AGPL-3.0, that the operator of the worker provides; the
 * plan names a script by its content's hash, and the worker fetches that from the coordinator.
 */

/** A script with everything that it imports and opens, as it is kept at the coordinator and cached by workers. */
export interface ScriptPackage {
  /** Of the file's bytes, lower-case hexadecimal; its name in `/api/scripts/<sha256>`. */
  sha256: string;
  bytes: number;
  /** `archive`: made by `k6 archive`; `bundle`: a tar of the script and its local files. */
  kind: 'archive' | 'bundle';
  /** Of a bundle: the script's path inside it. */
  entry?: string;
}

/** What a binary must be, to run the script at all. */
export interface K6Requirements {
  /** The lowest version that will do: `1.2.0`. */
  version?: string;
  /** Import paths of JavaScript extensions, or names of output extensions: `k6/x/sql`. */
  extensions?: string[];
}

/** `exact`: every sample of k6 is merged as it is. What k6 can sum up by itself costs it more than that, see the bench. */
export type K6Output = 'exact';

export interface K6Plan {
  /** As written in the scenario, for people. */
  script: string;
  package: ScriptPackage;
  /** For the script's `__ENV`; already without `${axis}`. Secret values are redacted before they are journaled. */
  env: Record<string, string>;
  /** Added to every sample. */
  tags: Record<string, string>;
  /** What is set here goes before the script's own options, as flags of `k6 run` do. */
  vus?: number;
  iterations?: number;
  durationUs?: number;
  /** Metrics with tags, as the scenario's thresholds name them beside the script's own: `http_req_duration{name:login}`. */
  submetrics: string[];
  requires: K6Requirements;
  output: K6Output;
}

/** A threshold as the script's options have it. */
export interface ScriptThreshold {
  /** Metric, perhaps with tags: `http_req_duration{name:login}`. */
  metric: string;
  /** `p(95)<500`. */
  expression: string;
  abortOnFail: boolean;
  /** It does not abort before this time, µs. */
  delayAbortEvalUs: number;
}

/** How a shard's k6 process ended. */
export interface ScriptExit {
  /** Absent when a signal ended it. */
  code?: number;
  signal?: string;
  /** As it should after what it was told: 0, or what k6 says of a run that is stopped. */
  expected: boolean;
}

/** How a shard's k6 process was read. */
export interface ScriptOutput {
  samples: number;
  bytes: number;
  /** Samples of seconds that had been handed on. */
  late: number;
  /** The most that a sample had waited until it was read, µs; k6 writes five times a second. */
  lagUs: number;
  /** CPU time that reading took. */
  cpuSeconds: number;
}

/** What `k6 inspect --execution-requirements` says of a script in its environment; the whole, not a segment's. */
export interface ScriptFacts {
  thresholds: ScriptThreshold[];
  /** Longest time that the load may take, with graceful stops, µs. */
  durationUs?: number;
  /** Of that, without the time that iterations are given to end; absent where a scenario ends by its iterations. */
  loadUs?: number;
  maxVus?: number;
  setupTimeoutUs: number;
  teardownTimeoutUs: number;
  /** Names of the script's scenarios, and the executor of each. */
  scenarios: Record<string, string>;
}
