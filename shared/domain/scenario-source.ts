/** Scenarios as text and files: every problem is reported as `file:line:column`. */
import { basename, dirname } from 'node:path';
import { BroadsideError } from '../errors.ts';
import { atFileNames } from './file-problems.ts';
import { type Locate, type Path, ScenarioProblems, scenarioError } from './problem.ts';
import { readUpTo } from './read-file.ts';
import { SCENARIO_KEYS, type Scenario } from './scenario.ts';
import { insertFiles } from './scenario-files.ts';
import { applySetting, readSetting, type Setting } from './scenario-settings.ts';
import { insertTlsFiles } from './tls-files.ts';
import { formatSize } from './units.ts';
import { scenarioOrThrow } from './validate-scenario.ts';
import { settingOfVariable } from './variable-setting.ts';
import { expandVariables } from './variables.ts';
import { parseYaml } from './yaml-source.ts';

export const MOST_SCENARIO_BYTES = 1024 ** 2;

export interface SourceOptions {
  /**
   * The folder that the files of bodies, rows, URLs and TLS are read from. Without it they are refused, for a
   * coordinator must not read its own files for whoever submits a scenario.
   */
  filesIn?: string;
  /** `key=value` each, see `readSetting`. */
  set?: readonly string[];
}

/**
 * Reads a scenario file; the files that it names are looked for beside it.
 * @throws BroadsideError FILE_UNREADABLE, or as `parseScenario`
 */
export function readScenario(path: string, options: Pick<SourceOptions, 'set'> = {}): Scenario {
  const bytes = readUpTo(path, MOST_SCENARIO_BYTES);
  if (bytes === undefined) throw tooLarge(path);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BroadsideError('SCENARIO_INVALID', `${path}: is not UTF-8 text; a scenario is a YAML file`);
  }
  return parseScenario(text, path, { filesIn: dirname(path), ...options });
}

/**
 * Parses and checks a scenario. JSON is YAML, and is taken too.
 * @param fileName for messages, and for the scenario's name where it gives none
 * @throws BroadsideError SCENARIO_INVALID: `file:line:column: what is wrong, where; what is expected`; USAGE for a
 * `set` that cannot be applied
 */
export function parseScenario(text: string, fileName: string, options: SourceOptions = {}): Scenario {
  // Before parsing: a parser needs many times the memory of its text.
  if (Buffer.byteLength(text) > MOST_SCENARIO_BYTES) throw tooLarge(fileName);
  const given = (options.set ?? []).map(readSetting);
  const { value, locate } = parseYaml(text, fileName);
  const settings = given.map((setting) => settingOfVariable(value, setting, SCENARIO_KEYS));
  let changed: unknown;
  try {
    changed = expandVariables(settings.reduce(applySetting, value), value);
    const folder = options.filesIn;
    const whole = folder === undefined ? changed : insertTlsFiles(insertFiles(changed, folder), folder);
    return scenarioOrThrow(whole, basename(fileName));
  } catch (error) {
    if (!(error instanceof ScenarioProblems)) throw error;
    throw scenarioError(atFileNames(error.problems, changed), fileName, locateAlso(settings, locate));
  }
}

/** What a flag has set is not to be looked for in the text; nor is a key that only the flag has. */
function locateAlso(settings: readonly Setting[], locate: Locate): Locate {
  return (path, atKey) => {
    const from = settings.find(
      (setting) => begins(path, setting.path) || (atKey && begins(setting.path, path)),
    );
    return from?.text ?? locate(path, atKey);
  };
}

function begins(path: Path, start: Path): boolean {
  return start.every((key, i) => key === path[i]);
}

function tooLarge(fileName: string): BroadsideError {
  const limit = formatSize(MOST_SCENARIO_BYTES);
  return new BroadsideError(
    'SCENARIO_INVALID',
    `${fileName}: is larger than ${limit}, which no scenario needs; put a large body into a file of its own (request.bodyFile)`,
  );
}
