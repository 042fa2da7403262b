/**
 * Converters of other people, each a program of its own that the user has: looked for in the PATH and among the packages
 * of the working directory (`./node_modules/.bin`), started, and never fetched.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { BroadsideError } from '../../shared/errors.ts';

export interface Converter {
  /** Names of the program; the first that is there is taken. */
  programs: string[];
  /** How to come by it. */
  install: string;
  /** @param into an empty folder; the script goes to `script.js` there */
  args(file: string, into: string): string[];
  /** What is not in the script, by name. */
  dropped(text: string): string[];
}

const CONVERTED_WITHIN_MS = 120_000;
const MOST_WORDS = 64 * 1024;

/**
 * Runs it.
 * @returns what it printed
 * @throws BroadsideError USAGE where it is not installed, FILE_UNREADABLE with its words when it fails
 */
export async function convert(converter: Converter, file: string, into: string): Promise<string> {
  const program = converter.programs.map(find).find((found) => found !== undefined);
  if (program === undefined) {
    const names = converter.programs.join(' or ');
    throw new BroadsideError('USAGE', `import: ${names} is not in the PATH, nor in ./node_modules/.bin`, {
      hint: `it is a program of its own; install it with: ${converter.install}`,
    });
  }
  const child = spawn(program, converter.args(file, into), {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let words = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      if (words.length < MOST_WORDS) words += part;
    });
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, CONVERTED_WITHIN_MS);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (code === 0) return words.trim();
    const how = code === null ? `was ended by ${signal}` : `ended with ${code}`;
    throw new BroadsideError('FILE_UNREADABLE', `${file}: ${path.basename(program)} ${how}: ${words.trim()}`);
  } finally {
    clearTimeout(timer);
  }
}

function find(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), path.resolve('node_modules', '.bin')];
  return folders
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
