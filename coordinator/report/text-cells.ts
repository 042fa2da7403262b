/** Several trials: cells with their medians over the rounds, the scenario's own table, and what went wrong where. */
import { formatDuration } from '../../shared/domain/units.ts';
import { cellKey, tableMetric } from './cells.ts';
import type { Report, ReportCell, ReportTrial, Spread } from './schema.ts';
import { cellLabel, labelled, plain, transferRateText } from './text-line.ts';
import { metricText } from './text-metric.ts';
import { plainTable } from './text-table.ts';

/** Left out, first to last, where the table is wider than the terminal; the JSON has them all. */
const SPARED = ['spread', 'p50', 'received'];

export function cellLines(report: Report, width: number): string[] {
  const relative = report.cells.some(({ relativeToBaseline }) => relativeToBaseline !== undefined);
  const heads = [
    'rounds',
    'requests/s',
    'spread',
    'received',
    'p50',
    'p99',
    ...(relative ? ['relative'] : []),
  ];
  let table: string[] = [];
  for (let spared = 0; spared <= SPARED.length; spared++) {
    const left = SPARED.slice(0, spared);
    table = cellTable(
      report.cells,
      heads.filter((head) => !left.includes(head)),
    );
    if (table.every((line) => [...line].length <= width)) break;
  }
  const notes = ['medians over the rounds'];
  if (table[0]?.includes('spread')) notes.push('spread is (max − min) / median of the request rate');
  if (relative) {
    const { baseline = 'the first target', metric = 'requestRate' } = report.run.report;
    notes.push(plain(`relative compares ${metric} with ${baseline}`));
  }
  return [...table, ...labelled('', notes.join('; '), width)];
}

function cellTable(cells: readonly ReportCell[], heads: readonly string[]): string[] {
  const axes = [...new Set(cells.flatMap(({ cell }) => Object.keys(cell)))];
  const rows = cells.map((cell) => {
    const numbers = numbersOf(cell);
    return [
      ...axes.map((axis) => plain(String(cell.cell[axis] ?? '-'))),
      ...heads.map((head) => numbers[head] ?? '-'),
    ];
  });
  const right = heads.map((_, i) => axes.length + i);
  return plainTable([...axes.map(plain), ...heads], rows, right);
}

function numbersOf(cell: ReportCell): Record<string, string> {
  const { rounds, completed, requestRate, transferRate, latency, relativeToBaseline } = cell;
  const counted = completed === rounds ? `${rounds}` : `${completed} of ${rounds}`;
  if (requestRate === undefined || transferRate === undefined || latency === undefined) {
    return { rounds: counted, 'requests/s': 'DNF' };
  }
  return {
    rounds: counted,
    'requests/s': requestRate.median.toFixed(2),
    spread: spreadText(requestRate),
    received: transferRateText(transferRate.median),
    p50: formatDuration(latency.p50),
    p99: formatDuration(latency.p99),
    relative: relativeText(relativeToBaseline),
  };
}

function relativeText(ratio: number | undefined): string {
  return ratio === undefined ? '-' : `×${ratio.toFixed(3)}`;
}

/** The table that the scenario asks for: rows × columns of its metric. Nothing when it asks for none. */
export function pivotLines({ cells, run }: Report): string[] {
  const { rows: down, columns: across, unit } = run.report;
  if (down === undefined || across === undefined) return [];
  const metric = tableMetric(run.report) ?? { name: 'requestRate' };
  const name = run.report.metric ?? 'requestRate';
  const values = (axis: string) =>
    [...new Set(cells.map(({ cell }) => cell[axis]))].filter((v) => v !== undefined);
  const columns = values(across);
  // Axes that are neither rows nor columns get a table for each of their combinations.
  const others = new Map(
    cells.map(({ cell }) => {
      const rest = Object.fromEntries(
        Object.entries(cell).filter(([axis]) => axis !== down && axis !== across),
      );
      return [cellKey(rest), rest];
    }),
  );
  const byKey = new Map(cells.map((cell) => [cellKey(cell.cell), cell]));
  return [...others.values()].flatMap((rest) => {
    const body = values(down).map((row) => [
      plain(String(row)),
      ...columns.map((column) => {
        const cell = byKey.get(cellKey({ ...rest, [down]: row, [across]: column }));
        if (cell === undefined) return '-';
        const spread = cell.metric ?? cell.requestRate;
        return spread === undefined ? 'DNF' : metricText(spread.median, metric, unit);
      }),
    ]);
    const title = Object.keys(rest).length === 0 ? name : `${name}, ${cellLabel(rest)}`;
    const head = [`${down} \\ ${across}`, ...columns.map((column) => plain(String(column)))];
    return [
      '',
      title,
      ...plainTable(
        head,
        body,
        columns.map((_, i) => i + 1),
      ),
    ];
  });
}

/** Trials that are not in the numbers, or whose numbers should not be trusted as they are. */
export function remarkLines(trials: readonly ReportTrial[], width: number): string[] {
  return trials.flatMap((trial) => {
    const where = `${cellLabel(trial.cell)}, round ${trial.round}`;
    const { summary, ledger, workers, verdict } = trial;
    const remarks: [string, string][] = [];
    if (trial.dnf !== undefined) {
      const first = trial.dnf.firstErrors[0];
      const detail = first === undefined ? '' : `; first: ${first.class}: ${first.message}`;
      remarks.push(['DID NOT FINISH', `${trial.dnf.reason}${detail}`]);
    } else if (trial.state === 'aborted') {
      remarks.push(['ABORTED', trial.reason ?? '']);
    } else if (summary.errors.total > 0) {
      remarks.push([
        'Errors',
        `${summary.errors.total} of ${summary.errors.total + summary.requests} requests failed`,
      ]);
    }
    const other = Object.entries(summary.status).filter(([code]) => code[0] !== '2');
    if (other.length > 0)
      remarks.push(['NOT 2xx', other.map(([code, count]) => `${code}: ${count}`).join('  ')]);
    for (const { name, lost } of workers) {
      if (lost !== undefined)
        remarks.push(['LOST', `${name} at ${formatDuration(lost.atUs)}: ${lost.reason}`]);
    }
    for (const problem of ledger.problems) remarks.push(['NOT BALANCED', problem]);
    if (verdict.limit === 'generator') remarks.push(['Limit', `generator: ${verdict.evidence.join('; ')}`]);
    return remarks.flatMap(([label, text]) => labelled(label, plain(`${where}: ${text}`), width));
  });
}

function spreadText({ median, min, max }: Spread): string {
  return median === 0 ? '-' : `${(((max - min) / median) * 100).toFixed(1)} %`;
}
