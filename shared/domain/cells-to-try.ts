/** The cells of a scenario that is being checked: whether they can be told, are few enough, and are each possible. */
import { type CellChoice, choiceProblems, chosenCells } from './cell-choice.ts';
import { readCell } from './plan-trials.ts';
import { didYouMean, type Problem, show } from './problem.ts';
import type { Cell, Target } from './run.ts';
import { MOST_TRIALS, type ScenarioSource, scenarioSchema } from './scenario.ts';
import { type Axis, cellCount, cellLabel, referencesIn } from './sweep.ts';

/** Before anything is left out of them: more are not made. */
const MOST_COMBINATIONS = 100_000;

/** The cells, or why they cannot be told. */
export function cellsToTry(
  source: ScenarioSource,
  sweep: Axis[],
  targets: readonly Target[] | undefined,
  rounds: number,
): { cells: Cell[] } | { problems: Problem[] } {
  const { shape } = scenarioSchema;
  const exclude = shape.exclude.safeParse(source.exclude);
  const include = shape.include.safeParse(source.include);
  const only = shape.only.safeParse(source.only);
  if (cellCount(sweep) > MOST_COMBINATIONS)
    return { problems: tooManyTrials(cellCount(sweep), sweep, rounds) };
  const choice: CellChoice = {
    sweep,
    exclude: exclude.data ?? [],
    include: include.data ?? [],
    only: only.data ?? {},
  };
  const problems = choiceProblems(choice);
  if (targets !== undefined) problems.push(...includedTargets(choice.include, targets));
  if (problems.length > 0) return { problems };
  const cells = chosenCells(choice);
  const tooMany = tooManyTrials(cells.length, sweep, rounds);
  return tooMany.length > 0 ? { problems: tooMany } : { cells };
}

function includedTargets(include: readonly Cell[], targets: readonly Target[]): Problem[] {
  const names = targets.map(({ name }) => name);
  return include.flatMap(({ target }, i) => {
    if (target === undefined || names.includes(String(target))) return [];
    const message = `${show(target)} is not a name in targets${didYouMean(String(target), names)}`;
    return [{ path: ['include', i, 'target'], message }];
  });
}

function tooManyTrials(cells: number, axes: readonly Axis[], rounds: number): Problem[] {
  if (cells * rounds <= MOST_TRIALS) return [];
  const message = `${cells} cells × ${rounds} rounds are ${cells * rounds} trials; at most ${MOST_TRIALS} can be run`;
  return [{ path: axes.length === 0 ? ['rounds'] : ['sweep'], message, atKey: true }];
}

const MOST_CELL_CHARACTERS = 64 * 1024 ** 2;

/** A large body with an axis in it is another body in each cell, and all cells are held at once. */
export function tooMuchText({ request, requests, load, k6 }: ScenarioSource, cells: number): Problem[] {
  const written = { request, requests, load, k6 };
  return referencesIn(written).flatMap(({ path }) => {
    const characters = String(at(written, path)).length;
    if (characters * cells <= MOST_CELL_CHARACTERS) return [];
    return [
      {
        path,
        message: `a text of ${characters} characters with an axis in it is too much for ${cells} cells`,
      },
    ];
  });
}

/** All cells are tried now, so that none is found to be impossible when others have already run. */
export function cellProblems(source: ScenarioSource, cells: readonly Cell[]): Problem[] {
  const found = new Map<string, { problem: Problem; cell: Cell; cells: number }>();
  for (const cell of cells) {
    const spec = readCell(source, cell);
    if (!Array.isArray(spec)) continue;
    for (const problem of spec) {
      const place = JSON.stringify(problem.path);
      const known = found.get(place);
      if (known === undefined) found.set(place, { problem, cell, cells: 1 });
      else known.cells++;
    }
  }
  return [...found.values()].map(({ problem, cell, cells: count }) => {
    const label = cellLabel(cell);
    const written = at(source, problem.path);
    const everywhere = count === cells.length && !(typeof written === 'string' && written.includes('${'));
    return everywhere || label === ''
      ? problem
      : { ...problem, message: `${problem.message} (in the cell ${label})` };
  });
}

function at(value: unknown, path: Problem['path']): unknown {
  let held = value;
  for (const key of path) {
    if (held === null || typeof held !== 'object' || !Object.hasOwn(held, key)) return undefined;
    held = (held as Record<string | number, unknown>)[key];
  }
  return held;
}
