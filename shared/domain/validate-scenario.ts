/** The checks that need more than one part of a scenario, and the way in for scenarios without a text. */
import { basename, extname } from 'node:path';
import { cellProblems, cellsToTry, tooMuchText } from './cells-to-try.ts';
import { engineProblems, hasScript } from './engine-choice.ts';
import { problemsOf } from './fields.ts';
import { hookProblems } from './hooks.ts';
import { readMetric } from './metric-name.ts';
import { readCell } from './plan-trials.ts';
import { didYouMean, type Problem, ScenarioProblems, scenarioError, show, TOO_DEEP } from './problem.ts';
import { columnReferences, referenceProblems } from './references.ts';
import { type TableSpec, tableProblems } from './report-spec.ts';
import {
  columnProblems,
  dataProblems,
  requestsGivenTwice,
  thresholdProblems,
  urlProblems,
} from './request-references.ts';
import type { Cell, Target } from './run.ts';
import { type Scenario, type ScenarioSource, scenarioSchema } from './scenario.ts';
import { searchProblems } from './search-problems.ts';
import type { Axis } from './sweep.ts';
import { parseThreshold } from './threshold-expression.ts';
import { seedOf } from './trial-order.ts';
import { type UrlEntry, urlPaths, urlRequests } from './url-list.ts';
import { expandVariables, hasVariables } from './variables.ts';

/**
 * Checks a scenario that came as an object (JSON).
 * @throws BroadsideError SCENARIO_INVALID naming the first problem by its keys.
 */
export function validateScenario(value: unknown, sourceName: string): Scenario {
  try {
    return scenarioOrThrow(value, sourceName);
  } catch (error) {
    if (error instanceof ScenarioProblems) throw scenarioError(error.problems, sourceName);
    throw error;
  }
}

/** @throws ScenarioProblems with all that is wrong */
export function scenarioOrThrow(value: unknown, sourceName: string): Scenario {
  try {
    // What came as a text has its variables in place already, and rows from files that are taken as they are.
    return check(hasVariables(value) ? expandVariables(value) : value, sourceName);
  } catch (error) {
    // The walks below go as deep as the scenario does.
    if (error instanceof RangeError) throw new ScenarioProblems([{ path: [], message: TOO_DEEP }]);
    throw error;
  }
}

function check(value: unknown, sourceName: string): Scenario {
  const read = scenarioSchema.safeParse(value);
  const problems = read.success ? [] : problemsOf(read.error);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new ScenarioProblems(problems);
  const source = value as ScenarioSource;

  // Parts are looked at one by one, so that a mistake in one does not hide those in the others.
  const { shape } = scenarioSchema;
  const sweep = shape.sweep.safeParse(source.sweep);
  const targets = shape.targets.safeParse(source.targets);
  const report = shape.report.safeParse(source.report);
  const rounds = shape.rounds.safeParse(source.rounds);
  const data = shape.data.safeParse(source.data);
  const urls = shape.urls.safeParse(source.urls);
  problems.push(...requestsGivenTwice(source));
  if (targets.success) problems.push(...tlsProblems(source, targets.data));
  if (urls.success && targets.success) problems.push(...urlProblems(urls.data, targets.data));
  if (sweep.success) {
    problems.push(...referenceProblems(source, sweep.data));
    problems.push(...hookProblems(shape.hooks.safeParse(source.hooks).data, sweep.data));
    if (data.success) {
      const references = columnReferences(source);
      const workers = shape.workers.safeParse(source.workers);
      problems.push(...columnProblems(references, data.data?.columns));
      if (data.data !== undefined) problems.push(...dataProblems(data.data, references, workers.data?.count));
    }
    if (targets.success) problems.push(...targetProblems(targets.data, sweep.data));
    if (report.success) problems.push(...reportProblems(source, report.data, sweep.data, targets.data ?? []));
    problems.push(...orderProblems(source));
    const cells = cellsToTry(source, sweep.data, targets.data, rounds.data ?? 1);
    const tooMuch = 'problems' in cells ? cells.problems : tooMuchText(source, cells.cells.length);
    problems.push(...tooMuch);
    if (tooMuch.length === 0 && 'cells' in cells)
      problems.push(
        ...engineProblems(source, cells.cells),
        ...searchProblems(source, sweep.data, cells.cells),
        ...cellProblems(source, cells.cells),
      );
    const thresholds = shape.thresholds.safeParse(source.thresholds);
    if (problems.length === 0 && 'cells' in cells && !hasScript(source, cells.cells))
      problems.push(...scriptMetricProblems(source, thresholds.data ?? [], report.data ?? []));
    // The names of a script's requests are known when it has made them.
    if (problems.length === 0 && thresholds.success && 'cells' in cells && !hasScript(source, cells.cells)) {
      const names = requestNames(source, cells.cells, urls.data);
      problems.push(
        ...thresholdProblems(
          thresholds.data.map(({ request }) => request),
          names,
        ),
      );
    }
  }
  if (!read.success || problems.length > 0) throw new ScenarioProblems(problems);

  const { name, engine, k6, request, requests, load, warmup, cooldown, order, seed, ...settings } = read.data;
  const given = name ?? (basename(sourceName, extname(sourceName)) || 'scenario');
  const named: ScenarioSource = JSON.parse(JSON.stringify({ ...source, name: given }));
  return {
    name: given,
    ...settings,
    order: order === 'shuffled' ? { name: order, seed: seed ?? seedOf(settings.sweep) } : { name: order },
    warmupUs: warmup?.duration ?? (warmup?.requests === undefined ? 0 : LONGEST_WARMUP_US),
    ...(warmup?.requests !== undefined && { warmupRequests: warmup.requests }),
    cooldownUs: cooldown,
    source: named,
  };
}

/** Where no cell runs a script. */
function scriptMetricProblems(
  { report }: ScenarioSource,
  thresholds: readonly { that: string }[],
  tables: readonly TableSpec[],
): Problem[] {
  const message = 'is a metric of k6 scripts, and no cell runs one; add engine: k6';
  const isOfScript = (metric: ReturnType<typeof readMetric>) => 'name' in metric && metric.name === 'script';
  const judged = thresholds.flatMap(({ that }, i): Problem[] => {
    if (!isOfScript(parseThreshold(that).metric)) return [];
    return [{ path: ['thresholds', i], message: `${show(that)} ${message}` }];
  });
  const shown = tables.flatMap(({ metric }, i): Problem[] => {
    if (metric === undefined || !isOfScript(readMetric(metric))) return [];
    return [
      {
        path: Array.isArray(report) ? ['report', i, 'metric'] : ['report', 'metric'],
        message: `${show(metric)} ${message}`,
      },
    ];
  });
  return [...judged, ...shown];
}

/** In any cell; only of scenarios whose cells are checked. */
function requestNames(source: ScenarioSource, cells: readonly Cell[], urls?: UrlEntry[]): Set<string> {
  const specs = cells.flatMap((cell) => {
    const spec = readCell(source, cell);
    return 'requests' in spec ? spec.requests : [];
  });
  const paths = urlPaths(urls ?? [], []).filter((path) => typeof path === 'string');
  const all = paths.length === 0 ? specs : urlRequests(paths, specs[0]!);
  return new Set(all.map(({ name }) => name));
}

function tlsProblems({ tls }: ScenarioSource, targets: readonly Target[]): Problem[] {
  if (tls === undefined || targets.some(({ url }) => /^https:/i.test(url))) return [];
  const message = 'no target has TLS; begin its URL with https://, or remove "tls"';
  return [{ path: ['tls'], message, atKey: true }];
}

function targetProblems(targets: readonly Target[], axes: readonly Axis[]): Problem[] {
  const names = targets.map((target) => target.name);
  const axis = axes.findIndex(({ name }) => name === 'target');
  if (axis < 0) {
    if (names.length <= 1) return [];
    const all = names.join(', ');
    const message = `no trial would use this target; add target: [${all}] to sweep, or remove it`;
    return [{ path: ['targets', names[1]!], message, atKey: true }];
  }
  return axes[axis]!.values.flatMap((value, i) => {
    if (names.includes(String(value))) return [];
    const message = `${show(value)} is not a name in targets${didYouMean(String(value), names)}`;
    return [{ path: ['sweep', 'target', i], message }];
  });
}

function reportProblems(
  { report }: ScenarioSource,
  tables: readonly TableSpec[],
  axes: readonly Axis[],
  targets: readonly Target[],
): Problem[] {
  return tables.flatMap((spec, i) =>
    tableProblems(spec, axes, targets, Array.isArray(report) ? ['report', i] : ['report']),
  );
}

/** What a warm-up of a number of requests may take when the scenario does not say. */
const LONGEST_WARMUP_US = 60_000_000;

function orderProblems({ order, seed }: ScenarioSource): Problem[] {
  if (seed === undefined || order === 'shuffled') return [];
  const message = 'only a shuffled order has a seed; add order: shuffled, or remove it';
  return [{ path: ['seed'], message, atKey: true }];
}
