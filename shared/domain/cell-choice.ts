/**
 * Which cells a scenario has: every combination of its axes, without those that `exclude` names, with those that
 * `include` adds, and of these what `only` leaves.
 */
import { didYouMean, type Problem, show } from './problem.ts';
import type { Cell, Scalar } from './run.ts';
import { type Axis, cellLabel, cellsOf } from './sweep.ts';

export interface CellChoice {
  sweep: readonly Axis[];
  /** A cell that has all of an entry's values is left out. */
  exclude: readonly Cell[];
  /** Cells besides; an entry's values need not be the axes' own, and an axis that it does not name takes all of its own. */
  include: readonly Cell[];
  /** Axis → the values to keep; other axes keep all of theirs. */
  only: Readonly<Record<string, readonly Scalar[]>>;
}

export function chosenCells({ only, ...choice }: CellChoice): Cell[] {
  const kept = Object.entries(only).map(([axis, values]) => [axis, new Set(values.map(String))] as const);
  return withoutOnly(choice).filter((cell) => kept.every(([axis, values]) => values.has(String(cell[axis]))));
}

/** An included cell that is there already is the same cell. */
function withoutOnly({ sweep, exclude, include }: Omit<CellChoice, 'only'>): Cell[] {
  const cells = cellsOf(sweep).filter((cell) => !exclude.some((pattern) => hasAll(cell, pattern)));
  const byLabel = new Map(cells.map((cell) => [cellLabel(cell), cell]));
  for (const cell of include.flatMap((entry) => expanded(entry, sweep))) byLabel.set(cellLabel(cell), cell);
  return [...byLabel.values()];
}

function expanded(entry: Cell, sweep: readonly Axis[]): Cell[] {
  return cellsOf(
    sweep.map(({ name, values }) => ({ name, values: Object.hasOwn(entry, name) ? [entry[name]!] : values })),
  );
}

function hasAll(cell: Cell, pattern: Cell): boolean {
  return Object.entries(pattern).every(([axis, value]) => String(cell[axis]) === String(value));
}

/** Every value that a cell has there before `only` is looked at; undefined when there is no such axis. */
export function valuesOf(choice: CellChoice, axis: string): string[] | undefined {
  if (!choice.sweep.some(({ name }) => name === axis)) return undefined;
  return [...new Set(withoutOnly(choice).map((cell) => String(cell[axis])))];
}

/** Entries that name what is not there, do nothing, or leave nothing. */
export function choiceProblems(choice: CellChoice): Problem[] {
  const { sweep, exclude, include, only } = choice;
  const named = [...keyProblems('exclude', exclude, sweep), ...keyProblems('include', include, sweep)];
  named.push(...Object.keys(only).flatMap((axis) => axisProblem(['only', axis], axis, sweep)));
  if (named.length > 0) return named;
  const all = cellsOf(sweep);
  const idle = exclude.flatMap((entry, i): Problem[] =>
    all.some((cell) => hasAll(cell, entry))
      ? []
      : [{ path: ['exclude', i], message: `no cell has ${cellLabel(entry)}${nearMiss(entry, sweep)}` }],
  );
  include.forEach((entry, i) => {
    const before = new Set(withoutOnly({ sweep, exclude, include: include.slice(0, i) }).map(cellLabel));
    if (expanded(entry, sweep).some((cell) => !before.has(cellLabel(cell)))) return;
    idle.push({ path: ['include', i], message: `the sweep has ${cellLabel(entry)} already; remove it` });
  });
  if (idle.length > 0) return idle;
  if (withoutOnly(choice).length === 0)
    return [{ path: ['exclude'], message: 'leaves out every cell; nothing would be measured', atKey: true }];
  for (const [axis, values] of Object.entries(only)) {
    const known = valuesOf(choice, axis)!;
    const unknown = values.findIndex((value) => !known.includes(String(value)));
    if (unknown < 0) continue;
    const value = String(values[unknown]);
    const message = `no cell has ${axis}=${value}${didYouMean(value, known)}`;
    return [{ path: ['only', axis, unknown], message }];
  }
  if (chosenCells(choice).length > 0) return [];
  return [{ path: ['only'], message: 'no cell has all of these values', atKey: true }];
}

function keyProblems(
  list: 'exclude' | 'include',
  entries: readonly Cell[],
  sweep: readonly Axis[],
): Problem[] {
  return entries.flatMap((entry, i) => {
    const axes = Object.keys(entry);
    if (axes.length === 0)
      return [{ path: [list, i], message: 'names no axis; expected such as { size: 4KiB }' }];
    return axes.flatMap((axis) => axisProblem([list, i, axis], axis, sweep));
  });
}

function axisProblem(path: Problem['path'], axis: string, sweep: readonly Axis[]): Problem[] {
  const names = sweep.map(({ name }) => name);
  if (names.includes(axis)) return [];
  const known = names.length === 0 ? '; there is no sweep' : didYouMean(axis, names);
  return [{ path, message: `${show(axis)} is not an axis of the sweep${known}`, atKey: true }];
}

/** Which of an entry's values is the one that no axis has. */
function nearMiss(entry: Cell, sweep: readonly Axis[]): string {
  for (const [axis, value] of Object.entries(entry)) {
    const known = sweep.find(({ name }) => name === axis)!.values.map(String);
    if (!known.includes(String(value))) return didYouMean(String(value), known);
  }
  return '';
}
