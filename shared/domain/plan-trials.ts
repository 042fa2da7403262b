/** From a scenario to its trials: cells substituted, everything in base units, in the order of execution. */
import { BroadsideError } from '../errors.ts';
import { problemsOf, Refusal } from './fields.ts';
import { type HttpUrl, readHttpUrl } from './http-url.ts';
import { readLoad } from './load-spec.ts';
import type { Problem } from './problem.ts';
import { type EncodeBody, type RequestSpec, requestPlan, requestSchema } from './request-spec.ts';
import type { Cell, LoadPlan, Target, TrialPlan } from './run.ts';
import type { Scenario, ScenarioSource } from './scenario.ts';
import { cellsOf, substitute } from './sweep.ts';

export { redactForJournal } from './redact.ts';

export interface CellSpec {
  request: RequestSpec;
  load: LoadPlan;
}

/** `request` and `load` as they are in one cell, or what is wrong with them there. */
export function readCell(source: Pick<ScenarioSource, 'request' | 'load'>, cell: Cell): CellSpec | Problem[] {
  const request = requestSchema.safeParse(
    substitute(source.request === undefined ? {} : source.request, cell),
  );
  const load = readLoad(substitute(source.load, cell));
  const requestProblems = request.success ? [] : problemsOf(request.error, ['request']);
  const loadProblems = Array.isArray(load) ? load : [];
  if (request.success && !Array.isArray(load)) return { request: request.data, load };
  return [...requestProblems, ...loadProblems];
}

/**
 * The trials in the order of execution, rounds outermost: what drifts during a run then hits every cell alike.
 * URLs carry no userinfo: it has become an `Authorization` header.
 */
export function planTrials(scenario: Scenario): TrialPlan[] {
  const encode = sharingEncoder();
  const targets = new Map(scenario.targets.map((target) => [target.name, readTarget(target)]));
  const cells = cellsOf(scenario.sweep).map((cell) => {
    const { url, ...target } = targets.get(String(cell.target ?? scenario.targets[0]!.name))!;
    const spec = readCell(scenario.source, cell);
    if (Array.isArray(spec))
      throw new BroadsideError('INTERNAL', 'a cell of a checked scenario does not plan');
    return {
      cell,
      target: { name: target.name, url: url.base },
      engine: scenario.engine,
      requests: [requestPlan(spec.request, url, encode)],
      load: spec.load,
      warmupUs: scenario.warmupUs,
    };
  });
  const rounds = Array.from({ length: scenario.rounds }, (_, i) => i + 1);
  return rounds.flatMap((round, i) =>
    cells.map((planned, j) => ({ index: i * cells.length + j, round, ...planned })),
  );
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
 * on the target. With both a duration and a number of requests it is the most that it can take.
 */
export function estimateTrialUs(plan: Pick<TrialPlan, 'load' | 'warmupUs'>): number | undefined {
  const { durationUs } = plan.load;
  return durationUs === undefined ? undefined : plan.warmupUs + durationUs;
}
