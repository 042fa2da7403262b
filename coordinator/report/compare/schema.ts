/**
 * Two runs beside each other: what the formats of `coordinator compare` show, and exactly what its `--format json`
 * prints. Times in µs, sizes in bytes, rates a second.
 */
import type { Cell, RunState } from '../../../shared/domain/run.ts';
import type { Comparison } from '../statistics/comparison.ts';

export const COMPARISON_SCHEMA = 'broadside.comparison/1';

/** The baseline, and the run that is held against it. */
export type Side = 'A' | 'B';

export interface RunComparison {
  schema: typeof COMPARISON_SCHEMA;
  a: ComparedRun;
  b: ComparedRun;
  /** What is compared, as the scenario's `report.metric` names it. */
  metrics: string[];
  /** In the order of A; those that both completed at least one round of. */
  cells: ComparedCell[];
  /** Cells of one run only, and those that one run did not finish. */
  notCompared: UncomparedCell[];
  /** What makes the ratios say something else than the reader may think: unlike loads, a generator at its limit. */
  warnings: string[];
  /** What else differs between the runs, and what no comparison of two runs can tell apart. */
  notes: string[];
}

export interface ComparedRun {
  id: string;
  name: string;
  state: Exclude<RunState, 'queued' | 'running'>;
  reason?: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  durationUs: number;
  broadside: string;
  /** Trials that were begun, of as many planned. */
  trials: number;
  plannedTrials: number;
  /** Trials whose ledger does not balance. */
  unbalanced: number;
}

export interface ComparedCell {
  /** With the `target` where either run sweeps its targets. */
  cell: Cell;
  a: RoundCount;
  b: RoundCount;
  /** Between the two trials' loads and requests; these are warned about. */
  loadDifferences: Difference[];
  metrics: ComparedMetric[];
}

export interface RoundCount {
  rounds: number;
  /** Only these are in the numbers. */
  completed: number;
}

export interface Difference {
  what: string;
  a: string;
  b: string;
}

export interface ComparedMetric {
  metric: string;
  /** Medians over the completed rounds; absent without data, or with too few for such a quantile. */
  a?: number;
  b?: number;
  /** B over A, over the rounds of the same number. */
  comparison?: Comparison;
  /** Why there is no comparison. */
  reason?: string;
}

export interface UncomparedCell {
  cell: Cell;
  /** Which run lacks it: it has no such cell, has not begun it, or completed no round of it. */
  missingIn: Side | 'both';
  why: 'no such cell' | 'not begun' | 'DNF';
  /** Of the rounds that did not finish. */
  reasons?: string[];
}
