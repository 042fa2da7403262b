/** Flags that make another table of a finished run than its scenario asked for. */
import type { Command } from 'commander';
import type { TableSpec } from '../../shared/domain/report-spec.ts';
import type { Scalar } from '../../shared/domain/run.ts';
import type { Axis } from '../../shared/domain/sweep.ts';
import { BroadsideError } from '../../shared/errors.ts';
import type { Report, ReportTable } from '../report/schema.ts';
import { parseCount } from './options.ts';

const TEXTS = ['rows', 'columns', 'metric', 'unit', 'baseline', 'best', 'title'] as const;
const KEYS = [...TEXTS, 'relative'] as const;

export type TableFlags = Partial<Record<(typeof TEXTS)[number], string>> & {
  relative?: boolean;
  table?: number;
};

export function withTableOptions(command: Command): Command {
  return command
    .option('--rows <axis>', 'another table: the axis whose values are its rows; or round, or cell')
    .option('--columns <axis>', 'likewise its columns')
    .option('--metric <metric>', 'likewise what is in it, such as requestRate, sentRate or p(99)')
    .option('--unit <unit>', 'likewise in which unit, such as KiB/s, Mbit/s or ms')
    .option('--baseline <value>', 'likewise what it is compared with: a value of the columns')
    .option('--relative', 'likewise as ratios to the baseline')
    .option('--best <axis>', 'likewise along which of both the best is marked, or none')
    .option('--title <title>', 'likewise its title')
    .option('--table <n>', "the scenario's n-th table alone, from 1; other flags change it", parseCount);
}

/**
 * The report with the one table that the flags ask for; as it is without any. What they do not name is as in the
 * scenario's table, as far as it goes with what they do.
 * @throws BroadsideError USAGE
 */
export async function withAskedTable(report: Report, flags: TableFlags): Promise<Report> {
  const given = KEYS.filter((key) => flags[key] !== undefined);
  if (given.length === 0 && flags.table === undefined) return report;
  const [{ readTable, tableProblems }, { withTables }] = await Promise.all([
    import('../../shared/domain/report-spec.ts'),
    import('../report/cells.ts'),
  ]);
  const axes = axesOf(report);
  const spec = readTable(adjusted(chosen(report, flags.table ?? 1), flags, axes));
  const targets = [...new Map(report.trials.map(({ target }) => [target.name, target])).values()];
  const problem = Array.isArray(spec) ? spec[0] : tableProblems(spec, axes, targets, [])[0];
  if (problem !== undefined) {
    const [key] = problem.path;
    throw new BroadsideError('USAGE', `--${given.find((one) => one === key) ?? 'table'}: ${problem.message}`);
  }
  return withTables(report, [spec as TableSpec]);
}

function chosen({ tables }: Report, number: number): ReportTable {
  const table = tables[number - 1];
  if (table !== undefined) return table;
  const count = tables.length === 1 ? 'one table' : `${tables.length} tables`;
  throw new BroadsideError('USAGE', `--table ${number}: the run has ${count}`);
}

/** What does not go with a flag goes. */
function adjusted(table: ReportTable, flags: TableFlags, axes: readonly Axis[]): TableSpec {
  const { cells: _, comparedWith, bestAlong: __, ...spec } = table;
  const { table: ___, baseline, ...given } = flags;
  if (given.rows !== undefined && given.rows === spec.columns) delete spec.columns;
  if (given.columns !== undefined && given.columns === spec.rows) delete spec.rows;
  if (given.rows === 'cell' && given.columns === undefined && spec.columns !== 'round') delete spec.columns;
  if (given.columns === 'cell' && given.rows === undefined && spec.rows !== 'round') delete spec.rows;
  if (given.metric !== undefined || given.relative === true) delete spec.unit;
  if (given.unit !== undefined) delete spec.relative;
  if (given.rows !== undefined || given.columns !== undefined) {
    delete spec.best;
    delete spec.title;
    const across = axes.find(({ name }) => name === (given.columns ?? spec.columns));
    if (across !== undefined && !across.values.some((value) => value === spec.baseline)) delete spec.baseline;
  }
  // What it was compared with without a word.
  if (
    given.relative === true &&
    comparedWith !== undefined &&
    fits(comparedWith.value, given.columns ?? spec.columns, axes)
  )
    spec.baseline ??= comparedWith.value;
  if (spec.baseline === undefined && baseline === undefined) delete spec.relative;
  const named = Object.fromEntries(
    KEYS.flatMap((key) => (key in given ? [[key, given[key as 'rows']]] : [])),
  );
  return { ...spec, ...named, ...(baseline !== undefined && { baseline: typed(baseline, axes) }) };
}

/** Whether the table still is compared with it when its columns are others. */
function fits(value: Scalar, columns: string | undefined, axes: readonly Axis[]): boolean {
  const across = axes.find(({ name }) => name === columns);
  return across === undefined || across.values.includes(value);
}

/** A flag is a text, and the axis may have a number. */
function typed(text: string, axes: readonly Axis[]): Scalar {
  return axes.flatMap(({ values }) => values).find((value) => String(value) === text) ?? text;
}

function axesOf({ cells }: Report): Axis[] {
  const names = [...new Set(cells.flatMap(({ cell }) => Object.keys(cell)))];
  return names.map((name) => ({ name, values: [...new Set(cells.flatMap(({ cell }) => cell[name] ?? []))] }));
}
