/**
 * Script metrics: what a k6 script counts beside its requests, in one second. Each merges by its type, as intervals do:
 * by addition, in any order (a gauge's last value goes by time).
 */
import type { EncodedValueHistogram } from './value-histogram.ts';

/** What a metric's values are: µs are not used here, `time` is in ms, as k6 has it; `data` in bytes. */
export type ValueKind = 'default' | 'time' | 'data';

export interface CounterPart {
  type: 'counter';
  contains: ValueKind;
  sum: number;
}

export interface GaugePart {
  type: 'gauge';
  contains: ValueKind;
  last: number;
  /** When `last` was set, µs since the trial's start. Over shards, gauges of one instant add for `vus` and `vus_max`. */
  atUs: number;
  min: number;
  max: number;
}

export interface RatePart {
  type: 'rate';
  /** Samples that were not 0. */
  passes: number;
  total: number;
}

export interface TrendPart {
  type: 'trend';
  contains: ValueKind;
  sum: number;
  values: EncodedValueHistogram;
  /** How far off `values` may be, as a share, where k6 has summed them up before; absent: as its histogram's own. */
  relativeError?: number;
}

export type MetricPart = CounterPart | GaugePart | RatePart | TrendPart;

export interface CheckCounts {
  passes: number;
  fails: number;
}

export interface ScriptInterval {
  iterations: number;
  /** Of `iterations`: those that ended in an exception, by k6's log. k6 counts them like any other. */
  thrownIterations: number;
  droppedIterations: number;
  /** Virtual users at the second's end, and how many were allocated. */
  vus: number;
  vusMax: number;
  /** By group path and name: `::login::status is 200`; without a group: `::status is 200`. */
  checks: Record<string, CheckCounts>;
  /**
   * By k6's names, built-in ones too; a submetric by its full name, `http_req_duration{name:login}`. Submetrics are those
   * that a threshold of the script asks for, and by scenario and group where there are several.
   */
  metrics: Record<string, MetricPart>;
}
