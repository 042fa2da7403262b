/** From a scenario to its trials: cells substituted, everything in base units, in the order of execution. */
import { BroadsideError } from '../errors.ts';
import { chosenCells } from './cell-choice.ts';
import { ENGINE_AXIS, engineOf } from './engine-choice.ts';
import { problemsOf, Refusal } from './fields.ts';
import { type HttpUrl, readHttpUrl } from './http-url.ts';
import { type K6Spec, k6Schema } from './k6-spec.ts';
import { isOpenLoop, type ScheduledLoad } from './load-plan.ts';
import { readLoad } from './load-spec.ts';
import { type Metric, readMetric } from './metric-name.ts';
import type { Problem } from './problem.ts';
import { type EncodeBody, requestPlan } from './request-plan.ts';
import { requestSchema, requestsSchema, type WeightedRequestSpec } from './request-spec.ts';
import type { Cell, Target, TrialPlan } from './run.ts';
import type { Scenario, ScenarioSource } from './scenario.ts';
import { scriptPlan } from './script-plan.ts';
import type { CellSearch, SearchSpec } from './search.ts';
import { hasSearch, readSearch } from './search-spec.ts';
import { substitute } from './sweep.ts';
import { parseThreshold } from './threshold-expression.ts';
import { transportPlan } from './transport.ts';
import { orderTrials } from './trial-order.ts';
import { urlPaths, urlRequests, urlRows, withPathFromRows } from './url-list.ts';

export { redactForJournal } from './redact.ts';

export interface HttpCell {
  engine: 'http';
  /** At least one; with a list of URLs, what its requests have in common. */
  requests: WeightedRequestSpec[];
  load: ScheduledLoad;
  /** Where connections or rate are searched; `load` then has the cell's own, or those that the search begins with. */
  search?: SearchSpec;
}

export interface ScriptCell {
  engine: 'k6';
  k6: K6Spec;
}

export type CellSpec = HttpCell | ScriptCell;

type CellSource = Pick<ScenarioSource, 'engine' | 'k6' | 'request' | 'requests' | 'load'>;

/** Requests and load as they are in one cell, or what is wrong with them there. */
export function readCell(source: CellSource, cell: Cell): CellSpec | Problem[] {
  const engine = engineOf(source, cell);
  if (engine instanceof Refusal) {
    const path = source.engine === undefined ? ['sweep', ENGINE_AXIS] : ['engine'];
    return [{ path, message: engine.message }];
  }
  if (engine === 'k6') return readScript(source, cell);
  const requests = readRequests(source, cell);
  const load = readSearchedLoad(substitute(source.load, cell), cell);
  if (requests.specs !== undefined && !Array.isArray(load))
    return { engine, requests: requests.specs, ...load };
  return [...(requests.problems ?? []), ...(Array.isArray(load) ? load : [])];
}

function readSearchedLoad(value: unknown, cell: Cell): Pick<HttpCell, 'load' | 'search'> | Problem[] {
  const read = readSearch(value);
  if (Array.isArray(read)) return read;
  const { over, from } = read?.search ?? {};
  const load = readLoad(over === undefined ? value : { ...read!.load, [over]: cell[over] ?? from });
  if (Array.isArray(load)) return load;
  return { load, ...(read !== undefined && { search: read.search }) };
}

/** That its thresholds and tables name. */
export function metricsOf({ thresholds, report }: Pick<Scenario, 'thresholds' | 'report'>): Metric[] {
  const named = report.flatMap(({ metric }) => (metric === undefined ? [] : [readMetric(metric)]));
  return [
    ...thresholds.map(({ that }) => parseThreshold(that).metric),
    ...named.flatMap((metric) => ('problem' in metric ? [] : [metric])),
  ];
}

function readScript({ k6 }: CellSource, cell: Cell): CellSpec | Problem[] {
  const read = k6Schema.safeParse(substitute(k6, cell));
  if (!read.success) return problemsOf(read.error, ['k6']);
  return { engine: 'k6', k6: read.data };
}

function readRequests(
  { request = {}, requests }: CellSource,
  cell: Cell,
): { specs?: WeightedRequestSpec[]; problems?: Problem[] } {
  if (requests !== undefined) {
    const read = requestsSchema.safeParse(substitute(requests, cell));
    return read.success ? { specs: read.data } : { problems: problemsOf(read.error, ['requests']) };
  }
  const read = requestSchema.safeParse(substitute(request, cell));
  if (!read.success) return { problems: problemsOf(read.error, ['request']) };
  return { specs: [{ ...read.data, name: read.data.name ?? 'request', weight: 1 }] };
}

/**
 * The trials in the order of execution, each cell once a round; of a search the one that each cell begins with.
 * URLs carry no userinfo: it has become an `Authorization` header.
 */
export function planTrials(scenario: Scenario): TrialPlan[] {
  const plan = cellPlanner(scenario);
  const cells = chosenCells(scenario).map(plan);
  return orderTrials(cells, scenario.rounds, scenario.order).map(({ planned, round }, index) => ({
    index,
    round,
    ...planned,
  }));
}

/** For a look at what they need: as `planTrials`, but of a search the one that takes the most. */
export function heaviestTrials(scenario: Scenario): TrialPlan[] {
  const searches = searchesOf(scenario);
  if (searches.length === 0) return planTrials(scenario);
  const plan = cellPlanner(scenario);
  return searches.map(({ cell, spec }, index) => ({
    index,
    round: 1,
    ...plan({ ...cell, [spec.over]: spec.to }),
  }));
}

/** Of a cell, once; in a search it may have an axis more, the value to try. */
export function cellPlanner(scenario: Scenario): (cell: Cell) => PlannedCell {
  const encode = sharingEncoder();
  const targets = new Map(scenario.targets.map((target) => [target.name, readTarget(target)]));
  const paths = readPaths(scenario);
  const data = scenario.data ?? (paths && urlRows(paths));
  return (cell) => {
    const spec = readCell(scenario.source, cell);
    if (Array.isArray(spec))
      throw new BroadsideError('INTERNAL', 'a cell of a checked scenario does not plan');
    const name = String(cell.target ?? scenario.targets[0]?.name);
    if (spec.engine === 'k6') {
      const target = scenario.targets.find((one) => one.name === name);
      return { cell, ...scriptPlan(spec.k6, target, metricsOf(scenario)) };
    }
    const { url, ...target } = targets.get(name)!;
    const specs = paths === undefined ? spec.requests : urlRequests(paths, spec.requests[0]!);
    const requests = specs.map((request) => requestPlan(request, url, encode, scenario.data?.columns));
    const prefix = url.base.slice(url.origin.length);
    const fromRows = paths !== undefined && data !== undefined;
    const transport = transportPlan(scenario, url.origin.startsWith('https:'));
    const { search } = spec;
    return {
      cell: search === undefined ? cell : { ...cell, [search.over]: cell[search.over] ?? search.from },
      target: { name: target.name, url: url.base },
      engine: spec.engine,
      requests: fromRows ? requests.map((request) => withPathFromRows(request, prefix)) : requests,
      ...(data !== undefined && { data }),
      ...(transport !== undefined && { transport }),
      load: spec.load,
      ...warmupPlan(scenario, spec.load),
    };
  };
}

/** One a cell, in the sweep's order; none where the scenario searches nothing. */
export function searchesOf(
  scenario: Pick<Scenario, 'source' | 'sweep' | 'exclude' | 'include' | 'only'>,
): CellSearch[] {
  if (!hasSearch(scenario.source.load)) return [];
  return chosenCells(scenario).flatMap((cell) => {
    const spec = readCell(scenario.source, cell);
    return 'search' in spec && spec.search !== undefined ? [{ cell, spec: spec.search }] : [];
  });
}

export type PlannedCell = Omit<TrialPlan, 'index' | 'round'>;

/** An open loop's warm-up of a number of requests is one of the time in which so many arrive. */
function warmupPlan(
  { warmupUs, warmupRequests }: Scenario,
  load: ScheduledLoad,
): Pick<TrialPlan, 'warmupUs' | 'warmupRequests'> {
  if (warmupRequests === undefined) return { warmupUs };
  if (!isOpenLoop(load)) return { warmupUs, warmupRequests };
  const rate = Math.max(1, load.executor === 'constant-arrival-rate' ? load.rate : load.startRate);
  return { warmupUs: Math.min(warmupUs, Math.ceil((warmupRequests / rate) * 1e6)) };
}

/** Of a list of URLs. */
function readPaths({ urls, targets }: Scenario): string[] | undefined {
  if (urls === undefined) return undefined;
  const paths = urlPaths(urls, targets);
  if (isPaths(paths)) return paths;
  throw new BroadsideError('INTERNAL', 'the URLs of a checked scenario do not plan');
}

function isPaths(read: string[] | Problem[]): read is string[] {
  return read.every((entry) => typeof entry === 'string');
}

function readTarget({ name, url }: Target): { name: string; url: HttpUrl } {
  const read = readHttpUrl(url);
  if (read instanceof Refusal) throw new BroadsideError('INTERNAL', read.message);
  return { name, url: read };
}

/** Ten thousand cells with one body of a MiB must not hold it ten thousand times. */
function sharingEncoder(): EncodeBody {
  const encoded = new Map<string, string>();
  return (text) => {
    const known = encoded.get(text) ?? Buffer.from(text).toString('base64');
    encoded.set(text, known);
    return known;
  };
}

/**
 * How long a trial takes in µs, warm-up included; absent where only a number of requests ends it, for that depends
 * on the target. With both a duration and a number of requests it is the most that it can take; a warm-up of a number of
 * requests is left out.
 */
export function estimateTrialUs({
  load,
  warmupUs,
  warmupRequests,
}: Pick<TrialPlan, 'load' | 'warmupUs' | 'warmupRequests'>): number | undefined {
  if (load.durationUs === undefined) return undefined;
  return (warmupRequests === undefined ? warmupUs : 0) + load.durationUs;
}
