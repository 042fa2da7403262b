/** Which engine a cell has, and which parts of a scenario belong to which engine. */
import { oneOf, problemsOf, Refusal } from './fields.ts';
import type { Problem } from './problem.ts';
import { type Cell, ENGINE_NAMES, type Engine } from './run.ts';
import type { ScenarioSource } from './scenario.ts';
import { referencesIn, substitute } from './sweep.ts';

const engine = oneOf(...ENGINE_NAMES);
/** An axis of this name chooses the engine where the scenario does not. */
export const ENGINE_AXIS = 'engine';

/** The engine of a cell, or why there is none. */
export function engineOf(source: Pick<ScenarioSource, 'engine'>, cell: Cell): Engine | Refusal {
  const chosen = source.engine === undefined ? cell[ENGINE_AXIS] : substitute(source.engine, cell);
  if (chosen === undefined) return 'http';
  const read = engine.safeParse(chosen);
  return read.success ? read.data : new Refusal(problemsOf(read.error)[0]!.message);
}

/** Whether any cell runs a script. */
export function hasScript(source: Pick<ScenarioSource, 'engine'>, cells: readonly Cell[]): boolean {
  return cells.some((cell) => engineOf(source, cell) === 'k6');
}

/** What only the built-in engine reads, and why a script has no use for it. */
const HTTP_ONLY: Readonly<Partial<Record<keyof ScenarioSource, string>>> = {
  request: 'a script makes its own requests',
  requests: 'a script makes its own requests',
  urls: 'a script makes its own requests',
  data: 'a script opens its own files',
  load: 'a script has its own load; vus, iterations and duration go into k6',
  warmup: 'a script has its own load, and no warm-up',
  dns: 'a script has options of its own for it',
  tls: 'a script has options of its own for it',
};

const TARGETS_MISSING =
  'is missing; expected a mapping of names to URLs such as { httpd: "http://10.0.0.5:8080" }';

/** Parts that no cell has a use for, or that one is missing. */
export function engineProblems(source: ScenarioSource, cells: readonly Cell[]): Problem[] {
  const engines = cells.map((cell) => engineOf(source, cell));
  // What is wrong with an engine is said of its cell.
  if (engines.some((one) => one instanceof Refusal)) return [];
  const { k6, targets } = source;
  const problems: Problem[] = [];
  if (engines.includes('http')) {
    if (targets === undefined) problems.push({ path: ['targets'], message: TARGETS_MISSING });
  } else {
    for (const [key, why] of Object.entries(HTTP_ONLY)) {
      if (source[key as keyof ScenarioSource] === undefined) continue;
      problems.push({ path: [key], message: `with engine: k6 ${why}; remove it`, atKey: true });
    }
  }
  if (k6 !== undefined && !engines.includes('k6'))
    problems.push({ path: ['k6'], message: 'no cell runs a script; add engine: k6', atKey: true });
  const { script, files } = (k6 ?? {}) as { script?: unknown; files?: unknown };
  for (const { path } of [...referencesIn(script, ['k6', 'script']), ...referencesIn(files, ['k6', 'files'])])
    problems.push({ path, message: 'one package is sent for all cells, so it cannot depend on an axis' });
  return problems;
}
