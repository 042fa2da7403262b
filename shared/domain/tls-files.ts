/** Puts the text of certificates and keys in the place of the names of their files. */
import { resolve } from 'node:path';
import { BroadsideError, messageOf } from '../errors.ts';
import { ScenarioProblems } from './problem.ts';
import { readUpTo } from './read-file.ts';
import { TLS_FILES } from './transport.ts';
import { formatSize } from './units.ts';

export const MOST_PEM_BYTES = 1024 ** 2;

/** @throws BroadsideError FILE_UNREADABLE */
export function readPemFile(path: string): string {
  const bytes = readUpTo(path, MOST_PEM_BYTES);
  if (bytes !== undefined) return bytes.toString('latin1');
  throw new BroadsideError(
    'FILE_UNREADABLE',
    `${path} is larger than ${formatSize(MOST_PEM_BYTES)}, which no certificate or key is`,
  );
}

/**
 * The scenario with the files of its `tls` read from `folder`; what is not of the form is left to the schema.
 * @throws ScenarioProblems for a file that cannot be read
 */
export function insertTlsFiles(value: unknown, folder: string): unknown {
  const written = isObject(value) ? value.tls : undefined;
  if (!isObject(value) || !isObject(written)) return value;
  const tls: Record<string, unknown> = {};
  for (const [key, held] of Object.entries(written)) {
    const textKey = Object.hasOwn(TLS_FILES, key) ? TLS_FILES[key as keyof typeof TLS_FILES] : undefined;
    if (textKey === undefined || typeof held !== 'string' || held === '') {
      tls[key] = held;
      continue;
    }
    const path = ['tls', key];
    if (written[textKey] !== undefined)
      throw new ScenarioProblems([{ path, message: `is given twice, as "${key}" and as "${textKey}"` }]);
    try {
      tls[textKey] = readPemFile(resolve(folder, held));
    } catch (error) {
      throw new ScenarioProblems([{ path, message: messageOf(error) }]);
    }
  }
  return { ...value, tls };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
