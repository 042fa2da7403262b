/**
 * Script packages at the coordinator: `<data>/scripts/<sha256>.tar`, each looked at when it comes. One that was neither
 * brought nor fetched nor submitted for 30 days is deleted, when a coordinator starts and when another one comes; a run
 * that is resumed later brings it again.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { BroadsideError, messageOf } from '../../shared/errors.ts';
import { isSha256, writeChecked } from '../../shared/script-package.ts';

const UNUSED_FOR_MS = 30 * 24 * 3_600_000;

export class ScriptStore {
  private readonly folder: string;

  /** @param data the coordinator's data directory */
  constructor(data: string) {
    this.folder = path.join(data, 'scripts');
  }

  /** Whether the package is there; that counts as a use. */
  async has(sha256: string): Promise<boolean> {
    return (await this.use(sha256)) !== undefined;
  }

  /**
   * @throws BroadsideError USAGE for a package that is too large, or not what its name says; DATA_DIR_UNUSABLE where there is
   * no room for it
   */
  async put(sha256: string, content: NodeJS.ReadableStream): Promise<void> {
    if (!isSha256(sha256)) throw new BroadsideError('USAGE', 'the name of a script package is its SHA-256');
    const partial = path.join(this.folder, `.${sha256}-${randomUUID()}`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeChecked(content, partial, sha256);
      await rename(partial, this.file(sha256));
    } catch (cause) {
      if (cause instanceof BroadsideError) throw cause;
      throw new BroadsideError(
        'DATA_DIR_UNUSABLE',
        `the script package cannot be kept in ${this.folder}: ${messageOf(cause)}`,
        { cause, hint: 'make room there, or name another data directory with --data' },
      );
    } finally {
      await rm(partial, { force: true });
    }
    await this.dropUnused();
  }

  /** Undefined where there is no such package. */
  async read(sha256: string): Promise<{ bytes: number; content: ReadStream } | undefined> {
    const bytes = await this.use(sha256);
    return bytes === undefined ? undefined : { bytes, content: createReadStream(this.file(sha256)) };
  }

  async dropUnused(now = Date.now()): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      const file = path.join(this.folder, name);
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: now }));
      if (now - mtimeMs > UNUSED_FOR_MS) await rm(file, { force: true });
    }
  }

  private file(sha256: string): string {
    return path.join(this.folder, `${sha256}.tar`);
  }

  /** Its size; undefined where there is none. */
  private async use(sha256: string): Promise<number | undefined> {
    if (!isSha256(sha256)) return undefined;
    const found = await stat(this.file(sha256)).catch(() => undefined);
    if (found === undefined) return undefined;
    const now = new Date();
    await utimes(this.file(sha256), now, now);
    return found.size;
  }
}
