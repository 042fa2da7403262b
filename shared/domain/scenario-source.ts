/** Scenarios as text and files: every problem is reported as `file:line:column`. */
import { basename, dirname, resolve } from 'node:path';
import { BroadsideError, messageOf } from '../errors.ts';
import { type Locate, type Path, ScenarioProblems, scenarioError } from './problem.ts';
import { readUpTo } from './read-file.ts';
import { bodyGivenTwice } from './request-spec.ts';
import type { Scenario } from './scenario.ts';
import { applySetting, readSetting, type Setting } from './scenario-settings.ts';
import { insertTlsFiles } from './tls-files.ts';
import { formatSize } from './units.ts';
import { scenarioOrThrow } from './validate-scenario.ts';
import { parseYaml } from './yaml-source.ts';

export const MOST_SCENARIO_BYTES = 1024 ** 2;
export const MOST_BODY_BYTES = 32 * 1024 ** 2;

export interface SourceOptions {
  /**
   * The folder that `request.bodyFile` and the files of `tls` may be read from. Without it body files are refused, for a coordinator must
   * not read its own files for whoever submits a scenario.
   */
  bodyFilesIn?: string;
  /** `key=value` each, see `readSetting`. */
  set?: readonly string[];
}

/**
 * Reads a scenario file; `request.bodyFile` and the files of `tls` are looked for beside it.
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
  return parseScenario(text, path, { bodyFilesIn: dirname(path), ...options });
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
  const settings = (options.set ?? []).map(readSetting);
  const { value, locate } = parseYaml(text, fileName);
  try {
    const changed = settings.reduce(applySetting, value);
    const folder = options.bodyFilesIn;
    const whole = folder === undefined ? changed : insertTlsFiles(insertBodyFile(changed, folder), folder);
    return scenarioOrThrow(whole, basename(fileName));
  } catch (error) {
    if (!(error instanceof ScenarioProblems)) throw error;
    throw scenarioError(error.problems, fileName, locateAlso(settings, locate));
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

/**
 * A body file's bytes as base64.
 * @throws BroadsideError FILE_UNREADABLE
 */
export function readBodyFile(path: string): string {
  const bytes = readUpTo(path, MOST_BODY_BYTES);
  if (bytes !== undefined) return bytes.toString('base64');
  const limit = formatSize(MOST_BODY_BYTES);
  throw new BroadsideError(
    'FILE_UNREADABLE',
    `${path} is larger than ${limit}, the most that a body may have`,
  );
}

/** The scenario with the body in place of its file's name; what is not of the form is left to the schema. */
function insertBodyFile(value: unknown, folder: string): unknown {
  const request = isObject(value) ? value.request : undefined;
  if (!isObject(value) || !isObject(request) || typeof request.bodyFile !== 'string') return value;
  const path: Path = ['request', 'bodyFile'];
  const other = ['body', 'bodyBase64'].find((key) => request[key] !== undefined);
  if (other !== undefined) {
    throw new ScenarioProblems([{ path, message: bodyGivenTwice(other, 'bodyFile') }]);
  }
  if (request.bodyFile.includes('${')) {
    const message = 'one file is read for all cells, so it cannot depend on an axis';
    throw new ScenarioProblems([{ path, message }]);
  }
  const { bodyFile, ...rest } = request;
  try {
    return { ...value, request: { ...rest, bodyBase64: readBodyFile(resolve(folder, bodyFile as string)) } };
  } catch (error) {
    throw new ScenarioProblems([{ path, message: messageOf(error) }]);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
