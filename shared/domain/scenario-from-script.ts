/**
 * A scenario from a k6 script and the letters of `k6 run`. It goes through the same checks as a file; only the words of
 * the errors name flags instead of keys.
 */
import { basename } from 'node:path';
import { BroadsideError } from '../errors.ts';
import { show } from './problem.ts';
import { lookForScript } from './read-file.ts';
import type { Scenario, ScenarioSource } from './scenario.ts';
import { escapeReferences } from './sweep.ts';
import { validateScenario } from './validate-scenario.ts';

/** As commander hands them over. */
export interface ScriptFlags {
  vus?: string;
  iterations?: string;
  duration?: string;
  /** `NAME=value` each. */
  env?: string[];
  tag?: string[];
  workers?: number;
  wait?: string;
}

/** Whether a name is that of a script, or of an archive that `k6 archive` has made. */
export function isScript(name: string): boolean {
  return /\.([cm]?[jt]s|tar)$/i.test(name);
}

/**
 * @param file from the working directory; the scenario names it without its folder
 * @throws BroadsideError USAGE naming the flag and the expected form, or FILE_UNREADABLE
 */
export function scenarioFromScript(file: string, flags: ScriptFlags): Scenario {
  lookForScript(file);
  const { vus, iterations, duration, env, tag, workers, wait } = flags;
  const source: ScenarioSource = {
    name: basename(file),
    engine: 'k6',
    k6: {
      script: escapeReferences(basename(file)),
      ...(env !== undefined && { env: pairs('-e', env) }),
      ...(tag !== undefined && { tags: pairs('--tag', tag) }),
      ...(vus !== undefined && { vus: number('-u', vus, 'VUs') }),
      ...(iterations !== undefined && { iterations: number('-i', iterations, 'iterations') }),
      ...(duration !== undefined && { duration }),
    },
    ...((workers !== undefined || wait !== undefined) && {
      workers: { ...(workers !== undefined && { count: workers }), ...(wait !== undefined && { wait }) },
    }),
  };
  try {
    return validateScenario(source, 'command line');
  } catch (error) {
    if (!(error instanceof BroadsideError)) throw error;
    const message = error.message
      .replace('k6.duration:', '-d:')
      .replace('k6.env:', '-e:')
      .replace('k6.tags:', '--tag:');
    throw new BroadsideError('USAGE', message, { cause: error });
  }
}

function pairs(flag: string, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const equals = text.indexOf('=');
      if (equals < 1) throw new BroadsideError('USAGE', `${flag} ${show(text)}: expected NAME=VALUE`);
      return [text.slice(0, equals), escapeReferences(text.slice(equals + 1))];
    }),
  );
}

function number(flag: string, text: string, what: string): number {
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text);
  throw new BroadsideError('USAGE', `${flag} ${show(text)}: expected a whole number of ${what}, 1 or more`);
}
