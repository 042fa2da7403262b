/** Folders with files in them that are gone when their test, or its suite, is over. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import type { Cleanups } from './scope.ts';

/** What goes into a folder: path → content. Texts that begin as programs do are made executable. */
export type Files = Record<string, string | Uint8Array>;

export function tempDirectory(t: Cleanups, files: Files = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

/** To be called in a `describe`: the folder is there for all of its tests. */
export function suiteFolder(files: Files = {}): string {
  return tempDirectory({ after }, files);
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (typeof content === 'string' && content.startsWith('#!')) chmodSync(file, 0o755);
  }
}
