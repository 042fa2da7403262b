/** Two reports → what differs between them, and how sure that is. Pure. */
import { type Metric, readMetric } from '../../../shared/domain/metric-name.ts';
import type { Cell } from '../../../shared/domain/run.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import { directionOf, pairsOf, valuesByRound } from '../baseline.ts';
import { cellKey, groupByCell } from '../cell-key.ts';
import type { Report, ReportCell, ReportTrial } from '../schema.ts';
import { type Comparison, compareTable, type Pair } from '../statistics/comparison.ts';
import { samplesFor } from '../statistics/quantile-support.ts';
import { median } from '../statistics/spread.ts';
import { loadDifferences, settingDifferences } from './load-differences.ts';
import { matchCells } from './match-cells.ts';
import { differenceTexts, runNotes, runWarnings } from './remarks.ts';
import {
  COMPARISON_SCHEMA,
  type ComparedCell,
  type ComparedMetric,
  type ComparedRun,
  type RunComparison,
  type UncomparedCell,
} from './schema.ts';

export const DEFAULT_METRICS: readonly string[] = ['requestRate', 'transferRate', 'p(50)', 'p(99)'];

/** A cell of a run with all its trials. */
interface RunCell {
  cell: Cell;
  target: { name: string };
  report: ReportCell;
  trials: ReportTrial[];
}

interface Matched {
  cell: Cell;
  a: RunCell;
  b: RunCell;
}

/**
 * B against A, cell by cell. Rounds are paired by their number: what befalls the same round of every run (a server
 * that is still warming up) is taken out with it; rounds that only one of the two completed are left out. All
 * comparisons, of all cells and metrics, are one table to Holm's method, so that two runs that do not differ are
 * called different anywhere in at most 5 % of cases.
 *
 * @param metrics names as in `report.metric`
 * @throws BroadsideError USAGE for a metric that does not exist, or a run against itself
 */
export function compareRuns(
  a: Report,
  b: Report,
  metrics: readonly string[] = DEFAULT_METRICS,
): RunComparison {
  if (a.run.id === b.run.id) {
    throw new BroadsideError('USAGE', `run ${a.run.id} is compared with itself`, {
      hint: 'give two different runs, the baseline first',
    });
  }
  const known = readMetrics(metrics);
  const [cellsA, cellsB] = [runCells(a), runCells(b)];
  const { matched, onlyA, onlyB } = matchCells(cellsA, cellsB);
  const completed = matched.filter((one) => one.a.report.completed > 0 && one.b.report.completed > 0);
  const cells = comparedCells(completed, known);
  const [runA, runB] = [comparedRun(a), comparedRun(b)];
  const settings = matched.map((one) => ({
    cell: one.cell,
    differences: settingDifferences(one.a.trials[0]!, one.b.trials[0]!),
  }));
  return {
    schema: COMPARISON_SCHEMA,
    a: runA,
    b: runB,
    metrics: known.map(([name]) => name),
    cells,
    notCompared: [
      ...matched.filter((one) => !completed.includes(one)).map(unfinished),
      ...onlyA.map(({ cell }) => missing(cell, 'B', runB)),
      ...onlyB.map(({ cell }) => missing(cell, 'A', runA)),
    ],
    warnings: [
      ...runWarnings('A', a, runA),
      ...runWarnings('B', b, runB),
      ...differenceTexts(cells.map(({ cell, loadDifferences }) => ({ cell, differences: loadDifferences }))),
    ],
    notes: [...differenceTexts(settings), ...runNotes(runA, runB)],
  };
}

/** @throws BroadsideError USAGE */
export function readMetrics(names: readonly string[]): [name: string, metric: Metric][] {
  return [...new Set(names)].map((name) => {
    const metric = readMetric(name);
    if ('problem' in metric) throw new BroadsideError('USAGE', `--metrics: ${metric.problem}`);
    return [name, metric];
  });
}

function runCells({ cells, trials }: Report): RunCell[] {
  const byCell = groupByCell(trials);
  return cells.map((report) => {
    const own = byCell.get(cellKey(report.cell))!;
    return { cell: report.cell, target: own[0]!.target, report, trials: own };
  });
}

function comparedRun({ run, trials }: Report): ComparedRun {
  const { id, name, state, reason, startedAt, durationUs, broadside, plannedTrials } = run;
  return {
    id,
    name,
    state,
    ...(reason !== undefined && { reason }),
    startedAt,
    durationUs,
    broadside,
    trials: trials.length,
    plannedTrials,
    unbalanced: trials.filter(({ ledger }) => !ledger.balanced).length,
  };
}

function comparedCells(matched: readonly Matched[], metrics: [string, Metric][]): ComparedCell[] {
  const measured = matched.map((one) => metrics.map(([name, metric]) => measure(one, name, metric)));
  // Above and below 1 mean different things for rates and times, but they are one table.
  const table = measured.flat().map(({ pairs }) => pairs);
  const comparisons = compareTable(table, { above: 'more', below: 'less' });
  return matched.map(({ cell, a, b }, i) => ({
    cell,
    a: { rounds: a.report.rounds, completed: a.report.completed },
    b: { rounds: b.report.rounds, completed: b.report.completed },
    loadDifferences: loadDifferences(a.trials[0]!, b.trials[0]!),
    metrics: measured[i]!.map(({ shown, metric }, j) => {
      const comparison = comparisons[i * metrics.length + j];
      if (comparison !== undefined) return { ...shown, comparison: worded(comparison, metric) };
      return { ...shown, reason: shown.reason ?? noRatio(shown) };
    }),
  }));
}

interface Measured {
  metric: Metric;
  shown: ComparedMetric;
  /** None where a comparison would have no ground. */
  pairs: Pair[];
}

function measure({ a, b }: Matched, name: string, metric: Metric): Measured {
  const [valuesA, valuesB] = [valuesByRound(a, metric), valuesByRound(b, metric)];
  const shown: ComparedMetric = {
    metric: name,
    ...(valuesA.size > 0 && { a: median([...valuesA.values()]) }),
    ...(valuesB.size > 0 && { b: median([...valuesB.values()]) }),
  };
  const fewest = Math.min(a.report.fewestRequests ?? 0, b.report.fewestRequests ?? 0);
  if (metric.name === 'quantile' && fewest < samplesFor(metric.fraction)) {
    const reason = `needs ${samplesFor(metric.fraction)} requests in each round, one has ${fewest}`;
    return { metric, shown: { metric: name, reason }, pairs: [] };
  }
  return { metric, shown, pairs: pairsOf(valuesB, valuesA) };
}

function noRatio({ a, b }: ComparedMetric): string {
  if (a === undefined || b === undefined) return 'nothing was measured';
  return a === 0 || b === 0 ? 'there is no ratio to 0' : 'a round is 0, or no round is in both runs';
}

function worded(comparison: Comparison, metric: Metric): Comparison {
  const { word } = comparison;
  if (word !== 'more' && word !== 'less') return comparison;
  const { above, below } = directionOf(metric);
  return { ...comparison, word: word === 'more' ? above : below };
}

function unfinished({ cell, a, b }: Matched): UncomparedCell {
  const [inA, inB] = [a.report.completed === 0, b.report.completed === 0];
  const reasons = [
    ...(inA ? (a.report.dnf ?? []).map((reason) => `A, ${reason}`) : []),
    ...(inB ? (b.report.dnf ?? []).map((reason) => `B, ${reason}`) : []),
  ];
  return { cell, missingIn: inA && inB ? 'both' : inA ? 'A' : 'B', why: 'DNF', reasons };
}

function missing(cell: Cell, missingIn: 'A' | 'B', run: ComparedRun): UncomparedCell {
  return { cell, missingIn, why: run.trials < run.plannedTrials ? 'not begun' : 'no such cell' };
}
