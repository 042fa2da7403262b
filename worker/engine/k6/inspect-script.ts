/** What a script asks for: `k6 inspect --execution-requirements`, in the environment that it will run in. */
import type { ScriptFacts, ScriptThreshold } from '../../../shared/domain/k6-plan.ts';
import { messageOf } from '../../../shared/errors.ts';
import type { K6Command } from './k6-command.ts';
import { exitText, ProcessGroup } from './process-group.ts';
import { ScriptLog } from './script-log.ts';

/** It runs the script's init code once. */
const INSPECT_WITHIN_MS = 30_000;
const MOST_OUTPUT = 16 * 1024 * 1024;
/** Of k6, where the script does not say. */
const DEFAULT_TIMEOUT_US = 60_000_000;

/** `k6 run` takes one VU where nobody says how many; `k6 inspect` does not know that. */
const WITHOUT_VUS = 'scenario default has configuration errors: the number of VUs must be more than 0';

/**
 * @throws Error with what k6 says of the script, where it does not take it
 * @param withinMs how long it may take
 */
export async function inspectScript(
  command: K6Command,
  shorten: (text: string) => string,
  withinMs = INSPECT_WITHIN_MS,
): Promise<ScriptFacts> {
  try {
    return await inspectOnce(command, shorten, withinMs);
  } catch (error) {
    if (command.env.K6_VUS !== undefined || !messageOf(error).includes(WITHOUT_VUS)) throw error;
    return inspectOnce({ ...command, env: { ...command.env, K6_VUS: '1' } }, shorten, withinMs);
  }
}

async function inspectOnce(
  command: K6Command,
  shorten: (text: string) => string,
  withinMs: number,
): Promise<ScriptFacts> {
  const group = new ProcessGroup(command.file, command.args, command.env, command.cwd);
  const log = new ScriptLog(shorten, () => {});
  let output = '';
  group.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MOST_OUTPUT) output += text;
  });
  group.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text));
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    group.kill();
  }, withinMs);
  const exit = await group.exited;
  clearTimeout(timer);
  log.end();
  const said = log.lastError ?? log.kept()?.text;
  if (late) throw new Error(`k6 did not read the script within ${withinMs / 1_000} s`);
  if (exit.code !== 0) throw new Error(said ?? `k6 did not read the script (${exitText(exit)})`);
  try {
    return readFacts(output);
  } catch (error) {
    throw new Error(`${command.file} did not answer as k6 does: ${messageOf(error)}`);
  }
}

interface Inspected {
  setupTimeout?: string | null;
  teardownTimeout?: string | null;
  totalDuration?: string | null;
  maxVUs?: number;
  thresholds?: Record<string, (string | RawThreshold)[]> | null;
  scenarios?: Record<string, InspectedScenario> | null;
}
interface InspectedScenario {
  executor: string;
  startTime?: string | null;
  duration?: string | null;
  stages?: { duration: string }[] | null;
}
interface RawThreshold {
  threshold: string;
  abortOnFail?: boolean;
  delayAbortEval?: string | null;
}

/** @throws Error for what is not k6's answer */
export function readFacts(json: string): ScriptFacts {
  const read = JSON.parse(json) as Inspected;
  const durationUs = durationOf(read.totalDuration);
  const loadUs = loadOf(Object.values(read.scenarios ?? {}));
  return {
    thresholds: Object.entries(read.thresholds ?? {}).flatMap(([metric, list]) =>
      list.map((threshold): ScriptThreshold => {
        const {
          threshold: expression,
          abortOnFail = false,
          delayAbortEval,
        }: RawThreshold = typeof threshold === 'string' ? { threshold } : threshold;
        return { metric, expression, abortOnFail, delayAbortEvalUs: durationOf(delayAbortEval) ?? 0 };
      }),
    ),
    ...(durationUs !== undefined && { durationUs }),
    ...(loadUs !== undefined && { loadUs }),
    ...(read.maxVUs !== undefined && { maxVus: read.maxVUs }),
    setupTimeoutUs: durationOf(read.setupTimeout) ?? DEFAULT_TIMEOUT_US,
    teardownTimeoutUs: durationOf(read.teardownTimeout) ?? DEFAULT_TIMEOUT_US,
    scenarios: Object.fromEntries(
      Object.entries(read.scenarios ?? {}).map(([name, { executor }]) => [name, executor]),
    ),
  };
}

/** Until the last scenario begins no more iterations. */
function loadOf(scenarios: readonly InspectedScenario[]): number | undefined {
  const ends = scenarios.map(({ startTime, duration, stages }) => {
    const lasts =
      durationOf(duration) ?? stages?.reduce((sum, stage) => sum + (durationOf(stage.duration) ?? 0), 0);
    return lasts === undefined ? Number.NaN : (durationOf(startTime) ?? 0) + lasts;
  });
  const loadUs = Math.max(...ends);
  return Number.isFinite(loadUs) ? loadUs : undefined;
}

const UNITS_US: Readonly<Record<string, number>> = {
  d: 86_400e6,
  h: 3_600e6,
  m: 60e6,
  s: 1e6,
  ms: 1e3,
  us: 1,
  µs: 1,
  ns: 1e-3,
};

/** `2m30s`, as Go writes durations, in µs; undefined where there is none. */
export function durationOf(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)/g)];
  return Math.round(parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS_US[unit!]!, 0));
}
