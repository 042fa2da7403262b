/**
 * The files of bodies, rows and URLs, read where they are, beside the scenario, and put into it: what travels to a
 * coordinator is whole. Scripts travel apart, packed; here they are only looked for. What is not of the form is left to the schema.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../errors.ts';
import { MOST_DATA_BYTES } from './data-spec.ts';
import { type Path, ScenarioProblems } from './problem.ts';
import { lookForScript, readText, readWhole } from './read-file.ts';
import { MOST_BODY_BYTES } from './request-fields.ts';
import { bodyGivenTwice } from './request-spec.ts';
import { MOST_URLS_BYTES } from './url-list.ts';

/**
 * A body file's bytes as base64.
 * @throws BroadsideError FILE_UNREADABLE
 */
export function readBodyFile(path: string): string {
  return readWhole(path, MOST_BODY_BYTES, 'a body').toString('base64');
}

/**
 * `urls` of a scenario, from a file.
 * @throws BroadsideError FILE_UNREADABLE
 */
export function readUrlsFile(folder: string, file: string): { file: string; lines: string } {
  return { file, lines: readText(resolve(folder, file), MOST_URLS_BYTES, 'a list of URLs') };
}

/** @throws ScenarioProblems for a file that cannot be read, at the place that names it */
export function insertFiles(value: unknown, folder: string): unknown {
  if (!isObject(value)) return value;
  const { request, requests, data, urls, k6 } = value;
  const whole = { ...value };
  let room = MOST_BODY_BYTES;
  const withBody = (one: unknown, at: Path): unknown => {
    const path = [...at, 'bodyFile'];
    const read = insertBody(one, folder, path);
    room -= bytesOf(read);
    if (room >= 0 || read === one) return read;
    throw new ScenarioProblems([{ path, message: 'the bodies together are larger than 32 MiB' }]);
  };
  if (request !== undefined) whole.request = withBody(request, ['request']);
  if (Array.isArray(requests)) whole.requests = requests.map((one, i) => withBody(one, ['requests', i]));
  if (isObject(data)) whole.data = insertRows(data, folder);
  if (typeof urls === 'string') whole.urls = reading(['urls'], urls, () => readUrlsFile(folder, urls));
  if (isObject(k6)) lookForFiles(k6, folder);
  return whole;
}

function insertBody(request: unknown, folder: string, path: Path): unknown {
  if (!isObject(request) || typeof request.bodyFile !== 'string') return request;
  const { bodyFile, ...rest } = request;
  const file = bodyFile as string;
  const other = ['body', 'bodyBase64', 'bodySize'].find((key) => rest[key] !== undefined);
  if (other !== undefined) {
    throw new ScenarioProblems([{ path, message: bodyGivenTwice(other, 'bodyFile') }]);
  }
  return { ...rest, bodyBase64: reading(path, file, () => readBodyFile(resolve(folder, file))) };
}

function lookForFiles({ script, files, package: pack }: Record<string, unknown>, folder: string): void {
  if (pack !== undefined) return;
  if (typeof script === 'string' && !script.includes('${'))
    reading(['k6', 'script'], script, () => lookForScript(resolve(folder, script)));
  if (!Array.isArray(files)) return;
  files.forEach((file: unknown, i) => {
    if (typeof file !== 'string' || existsSync(resolve(folder, file))) return;
    const message = `cannot read ${resolve(folder, file)}: there is no such file`;
    throw new ScenarioProblems([{ path: ['k6', 'files', i], message }]);
  });
}

function insertRows(data: Record<string, unknown>, folder: string): unknown {
  const { file, ...rest } = data;
  if (typeof file !== 'string' || file === '') return data;
  const path: Path = ['data', 'file'];
  if (rest.csv !== undefined) {
    throw new ScenarioProblems([
      { path, message: 'the rows are given twice, as "csv" and "file"; keep one' },
    ]);
  }
  return {
    ...rest,
    csv: reading(path, file, () => readText(resolve(folder, file), MOST_DATA_BYTES, 'data')),
  };
}

/** @param file as the scenario names it */
function reading<T>(path: Path, file: string, read: () => T): T {
  if (file.includes('${')) {
    const message = 'one file is read for all cells, so it cannot depend on an axis';
    throw new ScenarioProblems([{ path, message }]);
  }
  try {
    return read();
  } catch (error) {
    throw new ScenarioProblems([{ path, message: messageOf(error) }]);
  }
}

function bytesOf(request: unknown): number {
  const body = isObject(request) ? request.bodyBase64 : undefined;
  return typeof body === 'string' ? Math.floor((body.length * 3) / 4) : 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
