/** Reading the files that a scenario names. */
import { closeSync, openSync, readSync } from 'node:fs';
import { BroadsideError, messageOf } from '../errors.ts';
import { formatSize } from './units.ts';

/**
 * The file's bytes; `undefined` when there are more than `most`. Bounded also where a size is not known, as in pipes.
 * @throws BroadsideError FILE_UNREADABLE
 */
export function readUpTo(path: string, most: number): Buffer | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const parts: Buffer[] = [];
      let total = 0;
      while (total <= most) {
        const part = Buffer.allocUnsafe(Math.min(most + 1 - total, 1024 ** 2));
        const read = readSync(file, part);
        if (read === 0) return Buffer.concat(parts, total);
        parts.push(part.subarray(0, read));
        total += read;
      }
      return undefined;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new BroadsideError('FILE_UNREADABLE', `cannot read ${path}: ${fileProblem(error)}`, {
      cause: error,
    });
  }
}

/**
 * The file's bytes.
 * @param what completes "the most that … may have"
 * @throws BroadsideError FILE_UNREADABLE
 */
export function readWhole(path: string, most: number, what: string): Buffer {
  const bytes = readUpTo(path, most);
  if (bytes !== undefined) return bytes;
  const message = `${path} is larger than ${formatSize(most)}, the most that ${what} may have`;
  throw new BroadsideError('FILE_UNREADABLE', message);
}

/**
 * The file as UTF-8 text.
 * @throws BroadsideError FILE_UNREADABLE
 */
export function readText(path: string, most: number, what: string): string {
  const bytes = readWhole(path, most, what);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BroadsideError('FILE_UNREADABLE', `${path}: is not UTF-8 text`);
  }
}

/** A bundled library has a few MiB, and an archive has the data of its script as well. */
const MOST_SCRIPT_BYTES = 256 * 1024 ** 2;

/**
 * Whether a script is there and can be read; its content is for those who pack it.
 * @throws BroadsideError FILE_UNREADABLE
 */
export function lookForScript(path: string): void {
  readWhole(path, MOST_SCRIPT_BYTES, 'a script');
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  ENOTDIR: 'a part of the path is not a folder',
};

function fileProblem(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return (code !== undefined && FILE_PROBLEMS[code]) || messageOf(error);
}
