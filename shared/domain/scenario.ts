/**
 * Scenario: what the user wrote, checked. Its settings are in base units (µs, bytes, a second). `engine`, `k6`,
 * `request`, `requests` and `load` stay as they were written, in `source`, because `${axis}` in them only gets a meaning
 * in a cell; `planTrials` turns them into plans, and a scenario exists only when that works in every cell.
 *
 * Plain data: it survives JSON. `source` is the form that travels, for it is a scenario as a user may write it:
 * `validateScenario(scenario.source, …)` gives the same scenario again.
 */
import { z } from 'zod';
import { dataSchema } from './data-spec.ts';
import {
  count,
  duration,
  durationOrZero,
  entriesOf,
  field,
  flag,
  listField,
  mapping,
  name,
  oneOf,
  Refusal,
  readName,
  refuse,
} from './fields.ts';
import { hooksSchema } from './hooks.ts';
import { readHttpUrl } from './http-url.ts';
import { isKnownByRequest } from './metric-name.ts';
import { show } from './problem.ts';
import { reportSchema } from './report-spec.ts';
import type { Cell, Scalar, Target } from './run.ts';
import type { Axis } from './sweep.ts';
import { readThreshold, thresholdProblem } from './threshold-expression.ts';
import { dns, tls } from './transport.ts';
import type { TrialOrder } from './trial-order.ts';
import { urlsSchema } from './url-list.ts';
import { DEFAULT_WORKERS, workersSchema } from './workers-spec.ts';

/** Cells × rounds. */
export const MOST_TRIALS = 10_000;

/**
 * Name → base URL, in the order in which they are written. A bare number cannot be a name: JSON objects put such
 * keys first, and then another target would become the baseline.
 */
const targets = z.unknown().transform((value, context): Target[] => {
  const example = 'a mapping of names to URLs such as { httpd: "http://10.0.0.5:8080" }';
  const entries = entriesOf(value);
  if (entries === undefined || entries.length === 0) {
    const message =
      entries === undefined ? refuse(value, example).message : `no target is given; expected ${example}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
  return entries.map(([targetName, url]) => {
    const nameRefusal = /^\d+$/.test(targetName)
      ? new Refusal(`a target's name cannot be a bare number; write such as "v${targetName}"`)
      : readName(targetName, 'a name');
    const read = readHttpUrl(url);
    const problem = [nameRefusal, read, withQuery(url)].find((result) => result instanceof Refusal);
    if (problem !== undefined)
      context.addIssue({ code: 'custom', message: problem.message, path: [targetName] });
    return { name: targetName, url: String(url) };
  });
});

function withQuery(url: unknown): Refusal | undefined {
  if (typeof url !== 'string' || !/[?#]/.test(url)) return undefined;
  return new Refusal(`${show(url)} is a base URL; move what follows "?" or "#" to request.path`);
}

const AXIS_NAME = /^[A-Za-z][\w-]*$/;

const sweep = z.unknown().transform((value, context): Axis[] => {
  const refuseAt = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', message, path });
  const entries = entriesOf(value);
  if (entries === undefined) {
    refuseAt([], refuse(value, 'a mapping of axes such as { connections: [1, 40] }').message);
    return z.NEVER;
  }
  return entries.map(([axis, values]) => {
    const example = `a list of values such as ${axis === 'target' ? '[httpd, nio]' : '[1, 40]'}`;
    if (!AXIS_NAME.test(axis))
      refuseAt([axis], `${show(axis)} is not a name of letters, digits, "-" and "_"`);
    if (!Array.isArray(values)) {
      refuseAt([axis], refuse(values, example).message);
      return { name: axis, values: [] };
    }
    if (values.length === 0) refuseAt([axis], `the axis has no values; expected ${example}`);
    const seen = new Set<string>();
    values.forEach((one: unknown, i) => {
      const scalar = readAxisValue(one);
      if (scalar instanceof Refusal) refuseAt([axis, i], scalar.message);
      else if (seen.has(String(scalar))) refuseAt([axis, i], `${show(scalar)} is in the axis twice`);
      else seen.add(String(scalar));
    });
    return { name: axis, values: values as Scalar[] };
  });
});

function readAxisValue(value: unknown): Scalar | Refusal {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  return readName(value, 'a text, a number, true or false');
}

const CELL_EXAMPLE = '{ target: nio, size: 32MiB }';

/** Some axes and a value of each. */
const partOfCell = z.unknown().transform((value, context): Cell => {
  const entries = entriesOf(value);
  if (entries === undefined) {
    const { message } = refuse(value, `a mapping of axes to values such as ${CELL_EXAMPLE}`);
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
  for (const [axis, one] of entries) {
    const scalar = readAxisValue(one);
    if (scalar instanceof Refusal)
      context.addIssue({ code: 'custom', message: scalar.message, path: [axis] });
  }
  return Object.fromEntries(entries) as Cell;
});

const cellList = listField(partOfCell, `[${CELL_EXAMPLE}]`).default([]);

const only = z.unknown().transform((value, context): Record<string, Scalar[]> => {
  const entries = entriesOf(value);
  const refuseAt = (path: (string | number)[], message: string) =>
    context.addIssue({ code: 'custom', message, path });
  if (entries === undefined) {
    refuseAt([], refuse(value, 'a mapping of axes to lists of values such as { size: [4KiB] }').message);
    return z.NEVER;
  }
  const read = entries.map(([axis, values]): [string, Scalar[]] => {
    if (!Array.isArray(values) || values.length === 0) {
      refuseAt([axis], refuse(values, 'a list of values such as [4KiB]').message);
      return [axis, []];
    }
    values.forEach((one: unknown, i) => {
      const scalar = readAxisValue(one);
      if (scalar instanceof Refusal) refuseAt([axis, i], scalar.message);
    });
    return [axis, values as Scalar[]];
  });
  return Object.fromEntries(read);
});

const seed = field((value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : refuse(value, 'a whole number, 0 or more'),
);

const warmup = mapping(
  { duration: durationOrZero.optional(), requests: count().optional() },
  '{ duration: 5s }',
).superRefine(({ duration: time, requests }, context) => {
  if (time !== undefined || requests !== undefined) return;
  context.addIssue({
    code: 'custom',
    message: 'says nothing; expected { duration: 5s } or { requests: 1000 }',
  });
});

const ratio = field((value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? value : refuse(value, 'a number from 0 to 1'),
);

const dnf = mapping(
  { errorRatio: ratio.default(0.5), stall: duration.optional() },
  '{ errorRatio: 0.5, stall: 10s }',
).transform(({ errorRatio, stall }) => ({ errorRatio, ...(stall !== undefined && { stallUs: stall }) }));
/**
 * From where on a trial does not count: more than this share failed, or no reply came for this long; absent: for 10 s, or
 * as long as its requests may take where that is longer.
 */
export type DnfSpec = z.output<typeof dnf>;
export const DEFAULT_DNF: DnfSpec = { errorRatio: 0.5 };

const expression = field((value) => {
  if (typeof value !== 'string') return refuse(value, 'an expression such as "p(99) < 200ms"');
  const read = readThreshold(value);
  return 'problem' in read ? new Refusal(thresholdProblem(value, read)) : value;
});

const threshold = z.preprocess(
  (value) => (typeof value === 'string' ? { that: value } : value),
  mapping(
    {
      that: expression,
      request: name('the name of a request').optional(),
      abort: flag.default(false),
      after: durationOrZero.default(0),
    },
    '{ that: "errors < 1%", abort: true }, or a text such as "errors < 1%"',
  ).transform(({ that, request, abort, after }, context) => {
    const read = readThreshold(that);
    if (request !== undefined && !('problem' in read) && !isKnownByRequest(read.metric)) {
      const message = `${that.trim().split(/[\s<>=!]/)[0]} is measured of the whole, not of one request; remove "request"`;
      context.addIssue({ code: 'custom', message, path: ['that'] });
    }
    return { that, ...(request !== undefined && { request }), abort, afterUs: after };
  }),
);
/**
 * A threshold as the scenario states it, of all requests or of those of one name; `afterUs` is when an abort may happen
 * at the earliest.
 */
export type ThresholdSpec = z.output<typeof threshold>;

export const scenarioSchema = mapping(
  {
    name: name('a name for the report').optional(),
    engine: z.unknown().optional(),
    k6: z.unknown().optional(),
    targets: targets.default([]),
    sweep: sweep.default([]),
    exclude: cellList,
    include: cellList,
    only: only.default({}),
    order: oneOf('interleaved', 'sequential', 'shuffled').default('interleaved'),
    seed: seed.optional(),
    request: z.unknown().optional(),
    requests: z.unknown().optional(),
    urls: urlsSchema.optional(),
    data: dataSchema.optional(),
    load: z.unknown().optional(),
    dns,
    tls: tls.optional(),
    warmup: warmup.optional(),
    cooldown: durationOrZero.default(0),
    dnf: dnf.default(DEFAULT_DNF),
    rounds: count(MOST_TRIALS).default(1),
    workers: workersSchema.default(DEFAULT_WORKERS),
    thresholds: listField(threshold, '["p(99) < 200ms", "errors < 1%"]').default([]),
    onWorkerLoss: oneOf('abort', 'shrink').default('abort'),
    hooks: hooksSchema.optional(),
    report: reportSchema.default([]),
  },
  '{ targets: { web: "http://127.0.0.1:8080" }, load: { … } }',
);

export const SCENARIO_KEYS: ReadonlySet<string> = new Set(Object.keys(scenarioSchema.shape));

/** A scenario as users write it, already checked: what is posted to a coordinator and queued. */
export type ScenarioSource = z.input<typeof scenarioSchema>;

export interface Scenario
  extends Omit<
    z.output<typeof scenarioSchema>,
    'name' | 'engine' | 'k6' | 'request' | 'requests' | 'load' | 'warmup' | 'cooldown' | 'order' | 'seed'
  > {
  name: string;
  /** Load before the measured part of each trial; 0 for none. With `warmupRequests` the most that it may take. */
  warmupUs: number;
  /** So many requests before the measured part. */
  warmupRequests?: number;
  /** Between the end of a trial and the next. */
  cooldownUs: number;
  order: TrialOrder;
  /** With requests and load as templates, and with what was in files in place of the files' names. */
  source: ScenarioSource;
}
