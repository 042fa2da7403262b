/** Cells over their rounds, and the tables made of them: what a sweep is compared by. */
import type { TableSpec } from '../../shared/domain/report-spec.ts';
import type { Cell } from '../../shared/domain/run.ts';
import { cellKey, groupByCell } from './cell-key.ts';
import type { CellLatency, Report, ReportCell, ReportTable, ReportTrial } from './schema.ts';
import { median, spreadOf } from './statistics/spread.ts';
import { type CellTrials, tableOf } from './tables.ts';

/**
 * Cells and tables of trials, in the order of the sweep. Cells are compared as the first table says, and where there is
 * none as a table that says nothing would.
 * @param sweep the cells in its order; others come after them, as they first ran
 */
export function cellsAndTables(
  trials: readonly ReportTrial[],
  specs: readonly TableSpec[],
  sweep: readonly Cell[] = [],
): Pick<Report, 'cells' | 'tables'> {
  const grouped = inOrderOf(sweep, byCell(trials));
  const tables = (specs.length === 0 ? [{}] : specs).map((spec, i) => tableOf(spec, grouped, i === 0));
  const cells = grouped.map((one, i) => ({ ...describeCell(one), ...comparedIn(tables[0]!, i, specs[0]) }));
  return { cells, tables };
}

/** The same report with other tables. */
export function withTables(report: Report, specs: readonly TableSpec[]): Report {
  return {
    ...report,
    ...cellsAndTables(
      report.trials,
      specs,
      report.cells.map(({ cell }) => cell),
    ),
  };
}

function byCell(trials: readonly ReportTrial[]): CellTrials[] {
  return [...groupByCell(trials).values()].map((own) => ({ cell: own[0]!.cell, trials: own }));
}

function inOrderOf(sweep: readonly Cell[], cells: CellTrials[]): CellTrials[] {
  const places = new Map(sweep.map((cell, place) => [cellKey(cell), place]));
  const placed = cells.map((one) => ({ one, place: places.get(cellKey(one.cell)) ?? places.size }));
  return placed.sort((a, b) => a.place - b.place).map(({ one }) => one);
}

/** The metric only where the scenario asks for one. */
function comparedIn(table: ReportTable, i: number, spec: TableSpec | undefined): Partial<ReportCell> {
  const { cell: _, metric, best: __, ...compared } = table.cells[i]!;
  return { ...(spec?.metric === table.metric && metric !== undefined && { metric }), ...compared };
}

function describeCell({ cell: values, trials }: CellTrials): ReportCell {
  const summaries = trials.flatMap(({ state, summary }) => (state === 'completed' ? [summary] : []));
  const cell: ReportCell = { cell: values, rounds: trials.length, completed: summaries.length };
  if (summaries.length > 0) {
    cell.requestRate = spreadOf(summaries.map(({ requestRate }) => requestRate));
    cell.transferRate = spreadOf(summaries.map(({ transferRate }) => transferRate.received));
    // A script's engine does not tell of entities.
    const bodyRates = summaries.flatMap(({ transferRate }) => transferRate.body ?? []);
    if (bodyRates.length > 0) cell.bodyRate = spreadOf(bodyRates);
    const iterationRates = summaries.flatMap(({ script }) => script?.iterationRate ?? []);
    if (iterationRates.length > 0) cell.iterationRate = spreadOf(iterationRates);
    cell.fewestRequests = Math.min(...summaries.map(({ requests }) => requests));
    const over = (name: keyof CellLatency) => median(summaries.map(({ latency }) => latency[name]));
    cell.latency = {
      mean: over('mean'),
      p50: over('p50'),
      p90: over('p90'),
      p95: over('p95'),
      p99: over('p99'),
      p999: over('p999'),
      max: over('max'),
    };
  }
  const dnf = trials.flatMap(({ dnf, reason, round }) => {
    const why = dnf?.reason ?? reason;
    return why === undefined ? [] : [`round ${round}: ${why}`];
  });
  if (dnf.length > 0) cell.dnf = dnf;
  return cell;
}
