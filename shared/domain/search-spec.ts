/** `load.search` of a scenario: what is searched, between which values, and what has to hold. */
import { z } from 'zod';
import { count, field, mapping, oneOf, problemsOf, Refusal, rate, refuse } from './fields.ts';
import { MOST_CONNECTIONS } from './load-keys.ts';
import type { Problem } from './problem.ts';
import { gridSize, type SearchSpec } from './search.ts';
import { readThreshold, thresholdProblem } from './threshold-expression.ts';

const EXAMPLE =
  '{ maximize: requestRate, over: connections, from: 1, to: 64, until: "p(99) < 200ms and errors < 0.1%" }';
const MOST_STEPS = 100_000;
const DEFAULT_TOLERANCE = 0.05;
/** Steps of a range of rates, when the scenario does not say. */
const STEPS_OF_RATE = 50;

const EXECUTOR_OF = { connections: 'constant-connections', rate: 'constant-arrival-rate' } as const;
const ELSEWHERE = {
  duration: 'each trial lasts as long as "duration" of load says',
  executor: 'it belongs into load, beside "search"',
};

/** All of them have to hold. */
const conditions = field((value): string[] | Refusal => {
  if (typeof value !== 'string' || value.trim() === '')
    return refuse(value, 'conditions such as "p(99) < 200ms and errors < 0.1%"');
  const parts = value.split(/\band\b/).map((part) => part.trim());
  for (const part of parts) {
    const read = readThreshold(part);
    if ('problem' in read) return new Refusal(thresholdProblem(part, read));
    if (read.metric.name === 'script')
      return new Refusal(
        `${JSON.stringify(part)} is a metric of k6 scripts, in which nothing can be searched`,
      );
  }
  return parts;
});

const tolerance = field((value) =>
  typeof value === 'number' && value > 0 && value < 0.5
    ? value
    : refuse(value, 'a share above 0 and below 0.5, such as 0.05'),
);

const common = {
  maximize: oneOf('requestRate').default('requestRate'),
  over: oneOf('connections', 'rate'),
  until: conditions,
};
const connections = count(MOST_CONNECTIONS);
const overConnections = mapping(
  {
    ...common,
    from: connections.default(1),
    to: connections,
    step: connections.default(1),
    tolerance: tolerance.default(DEFAULT_TOLERANCE),
  },
  EXAMPLE,
  ELSEWHERE,
);
const overRate = mapping({ ...common, from: rate, to: rate, step: rate.optional() }, EXAMPLE, {
  ...ELSEWHERE,
  tolerance: 'it belongs to a search over connections',
});
const anySearch = z.looseObject(
  { over: common.over },
  { error: (issue) => refuse(issue.input, `a mapping such as ${EXAMPLE}`).message },
);

export function hasSearch(load: unknown): load is { search: unknown } {
  return typeof load === 'object' && load !== null && 'search' in load;
}

/**
 * The search, and the load without it, which has the executor that belongs to it. Undefined where nothing is searched;
 * or what is wrong, paths start with `load`.
 */
export function readSearch(
  value: unknown,
): { search: SearchSpec; load: Record<string, unknown> } | Problem[] | undefined {
  if (!hasSearch(value)) return undefined;
  const { search: written, ...load } = value as { search: unknown; executor?: unknown };
  const chosen = anySearch.safeParse(written);
  if (!chosen.success) return problemsOf(chosen.error, ['load', 'search']);
  const { over } = chosen.data;
  const read = (over === 'connections' ? overConnections : overRate).safeParse(written);
  if (!read.success) return problemsOf(read.error, ['load', 'search']);
  const { from, to } = read.data;
  const step = read.data.step ?? roundStep((to - from) / STEPS_OF_RATE);
  const search = { tolerance: DEFAULT_TOLERANCE, ...read.data, step };
  const executor = EXECUTOR_OF[over];
  const problems = [...loadProblems(load, over), ...rangeProblems(search)];
  return problems.length > 0 ? problems : { search, load: { executor, ...load } };
}

function loadProblems(load: Record<string, unknown>, over: SearchSpec['over']): Problem[] {
  const executor = EXECUTOR_OF[over];
  const problems: Problem[] = [];
  if (load.executor !== undefined && load.executor !== executor) {
    const message = `a search over ${over} has executor: ${executor}, not ${String(load.executor)}; change it, or search over ${over === 'rate' ? 'connections' : 'rate'}`;
    problems.push({ path: ['load', 'executor'], message });
  }
  if (load[over] !== undefined) {
    const message = `is what the search is to find; remove it, "from" and "to" are its bounds`;
    problems.push({ path: ['load', over], message, atKey: true });
  }
  return problems;
}

function rangeProblems(search: SearchSpec): Problem[] {
  const { from, to, step } = search;
  if (from >= to)
    return [{ path: ['load', 'search', 'from'], message: `${from} is not below "to", which is ${to}` }];
  if (step > to - from)
    return [{ path: ['load', 'search', 'step'], message: `${step} leads from ${from} beyond ${to} at once` }];
  if (gridSize(search) <= MOST_STEPS) return [];
  const message = `${gridSize(search)} values from ${from} to ${to} by ${step}; at most ${MOST_STEPS} can be searched`;
  return [{ path: ['load', 'search', 'step'], message }];
}

/** Down to 1, 2 or 5 of its power of ten. */
function roundStep(exact: number): number {
  if (!(exact > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(exact));
  const first = [5, 2, 1].find((digit) => digit * power <= exact * (1 + 1e-9))!;
  return Number((first * power).toFixed(6)) || exact;
}
