/** The k6 binary that the operator provides: which one it is, and what it can do. It is asked once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { BroadsideError, messageOf } from './errors.ts';
import {
  ANY_EXTENSION,
  compareVersions,
  fetchesExtensions,
  type K6Facts,
  k6Environment,
  OLDEST_K6,
} from './k6-version.ts';

export interface K6Binary extends K6Facts {
  path: string;
}

/** How long `k6 version` may take; it needs a tenth of a second. */
const ANSWER_WITHIN_MS = 10_000;
const MOST_ANSWER_BYTES = 256 * 1024;

export interface K6Search {
  /** By a flag: goes before `$K6_BIN`, and that before the PATH. */
  given?: string | undefined;
  env?: NodeJS.ProcessEnv;
  /** For each of at most two calls of it. */
  withinMs?: number;
  /** Hears why the one in the PATH, which nobody named, is left alone. */
  warn(message: string): void;
}

/**
 * @returns undefined where there is none
 * @throws BroadsideError K6_UNUSABLE for one that is named and is no k6 that can be driven
 */
export async function findK6({
  given,
  env = process.env,
  withinMs = ANSWER_WITHIN_MS,
  warn,
}: K6Search): Promise<K6Binary | undefined> {
  const found = await findNamed({ given, env, withinMs, warn });
  if (found === undefined || !fetchesExtensions(env)) return found;
  return { ...found, extensions: [...found.extensions, ANY_EXTENSION] };
}

async function findNamed({
  given,
  env,
  withinMs,
  warn,
}: Required<Omit<K6Search, 'given'>> & Pick<K6Search, 'given'>): Promise<K6Binary | undefined> {
  if (given !== undefined) return readK6(given, '--k6', withinMs);
  if (env.K6_BIN !== undefined && env.K6_BIN !== '') return readK6(env.K6_BIN, '$K6_BIN', withinMs);
  const found = (env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, process.platform === 'win32' ? 'k6.exe' : 'k6'))
    .find(isProgram);
  if (found === undefined) return undefined;
  return readK6(found, 'PATH', withinMs).catch((error) => {
    warn(messageOf(error));
    return undefined;
  });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

async function readK6(file: string, from: string, withinMs: number): Promise<K6Binary> {
  const unusable = (why: string): BroadsideError =>
    new BroadsideError('K6_UNUSABLE', `${from}: ${file} ${why}`, {
      hint: 'name another with --k6 PATH or $K6_BIN; see https://grafana.com/docs/k6/latest/set-up/install-k6',
    });
  if (!isProgram(file)) throw unusable('is not there, or is no program');
  const binary = path.resolve(file);
  // Some versions take `--json` and print text all the same; others refuse it.
  for (const args of [['version', '--json'], ['version']]) {
    const answer = await ask(binary, args, withinMs).catch((error) => {
      throw unusable(`cannot be asked for its version: ${messageOf(error)}`);
    });
    if (answer === undefined)
      throw unusable(`did not answer \`${args.join(' ')}\` within ${withinMs / 1_000} s; it was ended`);
    const facts = readVersionAnswer(answer);
    if (facts === undefined) continue;
    if (compareVersions(facts.version, OLDEST_K6) < 0)
      throw unusable(`is k6 ${facts.version}, and ${OLDEST_K6} is the oldest that can be driven`);
    return { path: binary, ...facts };
  }
  throw unusable('is not k6: `version` did not answer as k6 does');
}

/** What it printed; undefined when that took too long. Rejects when it cannot be started. */
async function ask(file: string, args: string[], withinMs: number): Promise<string | undefined> {
  // A group of its own: what it starts ends with it.
  const child = spawn(file, args, {
    env: k6Environment(process.env),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < MOST_ANSWER_BYTES) text += part;
  });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    child.stdout.destroy();
  };
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, withinMs);
  try {
    await once(child, 'close');
    return late ? undefined : text;
  } finally {
    clearTimeout(timer);
    end();
  }
}

interface JsonAnswer {
  version: string;
  go_version: string;
  extensions?: { module: string; imports?: string[]; outputs?: string[]; subcommands?: string[] }[];
}

/**
 * What `k6 version` or `k6 version --json` (1.0 and later) says; undefined for an answer that is not k6's.
 *
 *     k6 v1.8.1 (commit/73b044f9f9, go1.25.12, linux/amd64)
 *     Extensions:
 *       github.com/grafana/xk6-sql v1.0.0, k6/x/sql [js]
 */
export function readVersionAnswer(answer: string): K6Facts | undefined {
  const json = readJson(answer);
  if (json !== undefined) {
    const extensions = (json.extensions ?? []).flatMap(({ module, imports = [], outputs = [] }) => [
      module,
      ...imports,
      ...outputs,
    ]);
    return { version: json.version.replace(/^v/, ''), extensions: sorted(extensions) };
  }
  // The first word is the name of the file.
  const [first = '', ...lines] = answer.trim().split('\n');
  const version = /^\S+ v(\d+\.\d+\.\d+\S*) \(.*\bgo\d+\.\d+.*\)$/.exec(first.trim())?.[1];
  if (version === undefined) return undefined;
  const extensions = lines.flatMap((line) => {
    const [, module, name] = /^\s+(\S+) [^,]+, (\S+) \[\w+\]/.exec(line) ?? [];
    return module === undefined || name === undefined ? [] : [module, name];
  });
  return { version, extensions: sorted(extensions) };
}

function readJson(answer: string): JsonAnswer | undefined {
  try {
    const read = JSON.parse(answer) as Partial<JsonAnswer> | null;
    if (typeof read?.version !== 'string' || typeof read.go_version !== 'string') return undefined;
    return read as JsonAnswer;
  } catch {
    return undefined;
  }
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
