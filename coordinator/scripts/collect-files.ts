/** The files of a script: itself, what it imports and opens, and what that does in turn. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BroadsideError } from '../../shared/errors.ts';
import { MOST_PACKAGE_BYTES, tooLarge } from '../../shared/script-package.ts';
import { findReferences, type ScriptReference } from './references.ts';

export interface ScriptFiles {
  /** Absolute; all files are in it. */
  root: string;
  /** The script, from the root, with `/`. */
  entry: string;
  /** Sorted, from the root, with `/`; the entry is one of them. */
  files: string[];
  /** Of k6 that it imports, sorted: `k6/x/sql`. */
  extensions: string[];
  /** For people: names that could not be followed. */
  warnings: string[];
}

const CODE = /\.[cm]?[jt]s$/;
const MOST_FILES = 10_000;

/**
 * @param script from the working directory, or absolute
 * @param root the folder that nothing may lead out of
 * @param besides files and folders besides, from the script's scenario's folder
 * @throws BroadsideError SCENARIO_INVALID: `login.js:3:8: "./a.js": there is no such file`, the first of all problems
 */
export async function collectFiles(
  script: string,
  root: string,
  besides: readonly string[] = [],
): Promise<ScriptFiles> {
  const collection = new Collection(root, path.resolve(script));
  collection.take(path.resolve(script), { from: script });
  for (const file of besides) await collection.takeAll(path.resolve(file));
  collection.follow();
  return collection.result();
}

interface Origin {
  /** The file that names it, for people. */
  from: string;
  place?: ScriptReference;
}

class Collection {
  private readonly root: string;
  private readonly entry: string;
  private readonly files = new Map<string, number>();
  private readonly unread: string[] = [];
  private readonly problems: string[] = [];
  private readonly warnings: string[] = [];
  private readonly extensions = new Set<string>();

  constructor(root: string, entry: string) {
    this.root = path.resolve(root);
    this.entry = entry;
  }

  result(): ScriptFiles {
    if (this.problems.length > 0) {
      const others = this.problems.length - 1;
      const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'problem' : 'problems'})`;
      throw new BroadsideError('SCENARIO_INVALID', `${this.problems[0]}${more}`);
    }
    const name = (file: string): string => path.relative(this.root, file).split(path.sep).join('/');
    return {
      root: this.root,
      entry: name(this.entry),
      files: [...this.files.keys()].map(name).sort(),
      extensions: [...this.extensions].sort(),
      warnings: this.warnings,
    };
  }

  /** Whether there is such a file; what may not be sent is a problem. */
  take(file: string, origin: Origin): boolean {
    if (this.files.has(file)) return true;
    const size = sizeOf(file);
    if (size === undefined) return false;
    if (!this.isInside(file)) {
      const message = `is outside of ${this.root}; what a script needs is sent to workers from there alone`;
      this.refuse(origin, `${message} (to send more: --script-root DIR)`);
      return true;
    }
    this.files.set(file, size);
    if (CODE.test(file) || file === this.entry) this.unread.push(file);
    const total = [...this.files.values()].reduce((sum, one) => sum + one, 0);
    if (total > MOST_PACKAGE_BYTES || this.files.size > MOST_FILES) throw tooLarge();
    return true;
  }

  /** A file, or all that is in a folder. */
  async takeAll(what: string): Promise<void> {
    if (!statSync(what).isDirectory()) {
      this.take(what, { from: what });
      return;
    }
    for (const entry of await readdir(what, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) continue;
      const file = path.join(entry.parentPath, entry.name);
      this.take(file, { from: file });
    }
  }

  /** Reads what there is to read, until nothing new is named. */
  follow(): void {
    for (let file = this.unread.pop(); file !== undefined; file = this.unread.pop()) this.read(file);
  }

  private read(file: string): void {
    const from = this.shown(file);
    const found = findReferences(readFileSync(file, 'utf8'), /\.[cm]?ts$/.test(file));
    if ('message' in found) {
      this.problems.push(`${from}:${found.line}:${found.column}: ${found.message}`);
      return;
    }
    for (const { call, line } of found.unknown) {
      const name = call === 'open' ? 'file' : 'module';
      this.warnings.push(
        `${from}:${line}: which ${name} ${call}() takes is known when the script runs; if it is a local one, name it in k6.files`,
      );
    }
    for (const reference of found.references) this.resolve(file, reference);
  }

  private resolve(file: string, place: ScriptReference): void {
    const { kind, name } = place;
    const origin = { from: this.shown(file), place };
    if (name.startsWith('k6/x/')) this.extensions.add(name);
    if (/^(k6|k6\/.*|https?:\/\/.*)$/.test(name)) return;
    if (kind === 'module' && !/^(\.{0,2}\/|file:\/\/)/.test(name)) {
      this.refuse(
        origin,
        'is neither a module of k6 nor a path; a local one begins with ./, others have to be bundled',
      );
      return;
    }
    const named = name.startsWith('file://') ? fileURLToPath(name) : name;
    // k6 opens files relative to the script that was started as well.
    const folders = kind === 'file' ? [path.dirname(file), path.dirname(this.entry)] : [path.dirname(file)];
    const taken = [...new Set(folders)].map((folder) => this.take(path.resolve(folder, named), origin));
    if (!taken.includes(true)) this.refuse(origin, 'there is no such file');
  }

  private refuse({ from, place }: Origin, why: string): void {
    const where =
      place === undefined ? from : `${from}:${place.line}:${place.column}: ${JSON.stringify(place.name)}`;
    this.problems.push(place !== undefined && why.startsWith('is ') ? `${where} ${why}` : `${where}: ${why}`);
  }

  /** From the working directory, as editors and shells have it. */
  private shown(file: string): string {
    return path.relative(process.cwd(), file) || file;
  }

  /** Also behind symbolic links. */
  private isInside(file: string): boolean {
    return isIn(this.root, file) && isIn(realpathSync(this.root), realpathSync(file));
  }
}

function isIn(folder: string, file: string): boolean {
  const from = path.relative(folder, file);
  return from !== '' && from.split(path.sep)[0] !== '..' && !path.isAbsolute(from);
}

function sizeOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : undefined;
}
