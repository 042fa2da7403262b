/** How a scenario wants its tables: `report`, one of them or a list. */
import { z } from 'zod';
import { field, flag, mapping, name, problemsOf, Refusal, refuse } from './fields.ts';
import { dimensionOf, readMetric, UNITS_OF } from './metric-name.ts';
import { didYouMean, type Path, type Problem, show } from './problem.ts';
import type { Scalar, Target } from './run.ts';
import type { Axis } from './sweep.ts';

/** What rows and columns may be besides axes; an axis of that name goes before. */
export const ROUND = 'round';
export const CELL = 'cell';

const EXAMPLE = '{ rows: size, columns: target, metric: transferRate, unit: KiB/s }';
const AXIS = 'the name of an axis';

const metric = field((value) => {
  if (typeof value !== 'string') return refuse(value, 'a metric such as requestRate or p(99)');
  const read = readMetric(value);
  return 'problem' in read ? new Refusal(read.problem) : value;
});

const baseline = field((value): Scalar | Refusal => {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  return typeof value === 'string' && value.trim() !== '' ? value : refuse(value, 'a value of the columns');
});

const table = mapping(
  {
    rows: name(AXIS).optional(),
    columns: name(AXIS).optional(),
    metric: metric.optional(),
    unit: name('a unit').optional(),
    baseline: baseline.optional(),
    relative: flag.optional(),
    best: name(`${AXIS}, or none`).optional(),
    title: name('a title').optional(),
  },
  EXAMPLE,
).superRefine((spec, context) => {
  if (spec.relative === true) {
    const issue = (message: string, key: string) =>
      context.addIssue({ code: 'custom', message, path: [key] });
    if (spec.baseline === undefined)
      issue('a ratio needs what it is to; add "baseline", a value of the columns', 'relative');
    if (spec.unit !== undefined) issue('a ratio has no unit; remove one of "unit" and "relative"', 'unit');
    return;
  }
  if (spec.unit === undefined) return;
  if (spec.metric === undefined) {
    context.addIssue({ code: 'custom', message: 'a unit needs its metric; add "metric"', path: ['unit'] });
    return;
  }
  const read = readMetric(spec.metric);
  const units = 'problem' in read ? [] : Object.keys(UNITS_OF[dimensionOf(read)]);
  if (units.includes(spec.unit)) return;
  const known = units.length === 0 ? '; it is a plain number' : didYouMean(spec.unit, units);
  const message = `${show(spec.unit)} is not a unit of ${spec.metric}${known}`;
  context.addIssue({ code: 'custom', message, path: ['unit'] });
});

/**
 * One table. `rows` and `columns` are axes of the sweep, `round` or `cell`; without both it has no table, and says only
 * what cells are compared by. With `relative` it has ratios to the baseline. `best` is which of the two the best is looked for along.
 */
export type TableSpec = z.output<typeof table>;

const MOST_TABLES = 50;

/** A mapping is a list of one. */
export const reportSchema = z.unknown().transform((value, context): TableSpec[] => {
  const list = Array.isArray(value) ? value : [value];
  if (list.length > MOST_TABLES)
    context.addIssue({ code: 'custom', message: `${list.length} tables; at most ${MOST_TABLES} are made` });
  return list.slice(0, MOST_TABLES).flatMap((one: unknown, i) => {
    const read = table.safeParse(one);
    if (read.success) return [read.data];
    for (const issue of read.error.issues) {
      const path = Array.isArray(value) ? [i, ...issue.path] : issue.path;
      context.issues.push({ ...issue, path, input: one } as (typeof context.issues)[number]);
    }
    return [];
  });
});

/** One table from elsewhere than a scenario, or what is wrong with it. */
export function readTable(value: unknown): TableSpec | Problem[] {
  const read = table.safeParse(value);
  return read.success ? read.data : problemsOf(read.error);
}

/** What of a table cannot be shown of these axes; at `prefix`. */
export function tableProblems(
  spec: TableSpec,
  axes: readonly Axis[],
  targets: readonly Target[],
  prefix: Path,
): Problem[] {
  const names = axes.map((axis) => axis.name);
  const problems: Problem[] = [];
  for (const side of ['rows', 'columns'] as const) {
    const axis = spec[side];
    if (axis === undefined || names.includes(axis) || axis === ROUND) continue;
    if (axis === CELL && names.length > 0) continue;
    const known = names.length === 0 ? '; there is no sweep' : didYouMean(axis, [...names, ROUND, CELL]);
    problems.push({ path: [...prefix, side], message: `${show(axis)} is not an axis of the sweep${known}` });
  }
  if (problems.length > 0) return problems;
  const { rows, columns, best } = spec;
  if (columns !== undefined && rows === columns)
    return [{ path: [...prefix, 'columns'], message: `${show(columns)} is the rows already` }];
  const cells = names.includes(CELL) ? undefined : CELL;
  const other = rows === cells ? columns : columns === cells ? rows : undefined;
  if (cells !== undefined && other !== undefined && (other !== ROUND || names.includes(ROUND))) {
    const beside = names.includes(ROUND) ? 'none' : `${ROUND}, or left out`;
    const message = `${show(other)} is part of a cell; with ${CELL} the other is ${beside}`;
    return [{ path: [...prefix, rows === cells ? 'columns' : 'rows'], message }];
  }
  if (best !== undefined) problems.push(...bestProblems(spec, [...prefix, 'best']));
  if (spec.baseline !== undefined) problems.push(...baselineProblems(spec, axes, targets, prefix));
  return problems;
}

function bestProblems({ rows, columns, best }: TableSpec, path: Path): Problem[] {
  if (best === 'none') return [];
  if (rows === ROUND || columns === ROUND)
    return [{ path, message: 'rounds are no competitors; write best: none, or remove it' }];
  const sides = [rows, columns].filter((side) => side !== undefined);
  if (best !== undefined && sides.includes(best)) return [];
  return [
    { path, message: `${show(best)} is neither rows nor columns${didYouMean(best!, [...sides, 'none'])}` },
  ];
}

/** A value of the columns; without such columns of the rows, or a target. */
function baselineProblems(
  { rows, columns, baseline }: TableSpec,
  axes: readonly Axis[],
  targets: readonly Target[],
  prefix: Path,
): Problem[] {
  const valuesOf = (axis: string | undefined) => axes.find(({ name }) => name === axis)?.values;
  const across = valuesOf(columns);
  const values = across ?? [
    ...(valuesOf(rows) ?? []),
    ...(valuesOf('target') ?? targets.map((target) => target.name)),
  ];
  if (values.some((value) => value === baseline)) return [];
  const kind = across === undefined ? 'a target' : `a value of the columns (${columns})`;
  const message = `${show(baseline)} is not ${kind}${didYouMean(String(baseline), values.map(String))}`;
  return [{ path: [...prefix, 'baseline'], message }];
}
