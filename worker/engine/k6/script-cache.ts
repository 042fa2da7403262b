/**
 * Script packages on a worker: fetched from the coordinator once, kept by their hash, and looked at again each time that
 * they are used. Workers on one machine share them.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ScriptPackage } from '../../../shared/domain/k6-plan.ts';
import { BroadsideError, messageOf } from '../../../shared/errors.ts';
import { hashOf, isSha256, writeChecked } from '../../../shared/script-package.ts';
import { trustingFetch } from '../../../shared/trusting-fetch.ts';
import { cachePath } from '../../cache-folder.ts';

/** What the kept packages may have together; the ones that were not used for longest go first. */
const MOST_KEPT_BYTES = 1024 ** 3;
const FETCH_WITHIN_MS = 60_000;

export interface ScriptCacheOptions {
  coordinator: URL;
  token: string | undefined;
  /** PEM of the authority of the coordinator's certificate. */
  ca?: string | undefined;
  /** Where packages are kept (`$XDG_CACHE_HOME/broadside/scripts`, else `~/.cache/broadside/scripts`). */
  folder?: string;
  mostKeptBytes?: number;
}

/** A package, ready for `k6 run`. */
export interface ReadyScript {
  /** The archive, or the script in its unpacked bundle. */
  file: string;
  /** Of this use alone, and writable; it holds `file`. */
  folder: string;
  /** Deletes `folder`. */
  remove(): Promise<void>;
}

export class ScriptCache {
  private readonly options: ScriptCacheOptions;
  private readonly folder: string;

  constructor(options: ScriptCacheOptions) {
    this.options = options;
    this.folder = options.folder ?? cachePath('scripts');
  }

  /** @throws BroadsideError RUN_FAILED when the package cannot be had, or is not what the plan names */
  async fetch(pack: ScriptPackage): Promise<ReadyScript> {
    if (!isSha256(pack.sha256)) throw failed(pack, 'its name is no SHA-256');
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const kept = path.join(this.folder, `${pack.sha256}.tar`);
    if (!(await this.isKept(kept, pack))) {
      await this.download(kept, pack);
      await this.dropOldest(kept);
    }
    const now = new Date();
    await utimes(kept, now, now).catch(() => {});
    return unpack(kept, pack);
  }

  /** A file that something has changed is as good as none. */
  private async isKept(kept: string, { sha256 }: ScriptPackage): Promise<boolean> {
    const found = await hashOf(kept).catch(() => undefined);
    return found === sha256;
  }

  private async download(kept: string, pack: ScriptPackage): Promise<void> {
    const { coordinator, token, ca } = this.options;
    const partial = path.join(this.folder, `.${pack.sha256}-${randomUUID()}`);
    try {
      const init = {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(FETCH_WITHIN_MS),
      } as RequestInit;
      const response = await trustingFetch(new URL(`/api/scripts/${pack.sha256}`, coordinator), init, ca);
      if (!response.ok || response.body === null)
        throw new Error(`the coordinator answered HTTP ${response.status}`);
      await writeChecked(
        Readable.fromWeb(response.body as import('node:stream/web').ReadableStream),
        partial,
        pack.sha256,
      );
      // Others may fetch the same one; whoever is last leaves the same bytes.
      await rename(partial, kept);
    } catch (cause) {
      const why =
        cause instanceof Error && cause.cause !== undefined ? messageOf(cause.cause) : messageOf(cause);
      throw failed(pack, `it cannot be fetched from ${coordinator.origin}: ${why}`, cause);
    } finally {
      await rm(partial, { force: true });
    }
  }

  private async dropOldest(except: string): Promise<void> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.tar'));
    const files = await Promise.all(
      names.map(async (name) => {
        const file = path.join(this.folder, name);
        const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
        return { file, size, mtimeMs };
      }),
    );
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { file, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= (this.options.mostKeptBytes ?? MOST_KEPT_BYTES)) return;
      if (file === except) continue;
      await rm(file, { force: true });
      total -= size;
    }
  }
}

/** In a folder of this use: the cache may drop the package meanwhile, and a script cannot change what others will run. */
async function unpack(kept: string, pack: ScriptPackage): Promise<ReadyScript> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'broadside-script-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    if (pack.kind === 'archive') {
      const file = path.join(folder, 'script.tar');
      await link(kept, file).catch(() => copyFile(kept, file));
      return { file, folder, remove };
    }
    // Loaded where there is a bundle: most workers never see one.
    const { extract } = await import('tar');
    // Links could lead out of the folder; a bundle has none.
    await extract({
      file: kept,
      cwd: folder,
      strict: true,
      filter: (_path, entry) => 'type' in entry && (entry.type === 'File' || entry.type === 'Directory'),
    });
    const file = path.join(folder, pack.entry ?? '');
    if (!file.startsWith(folder + path.sep) || !(await stat(file).catch(() => undefined))?.isFile())
      throw new Error(`it has no ${pack.entry ?? 'entry'}`);
    return { file, folder, remove };
  } catch (cause) {
    await remove();
    throw failed(pack, `it cannot be unpacked: ${messageOf(cause)}`, cause);
  }
}

function failed({ sha256 }: ScriptPackage, why: string, cause?: unknown): BroadsideError {
  return new BroadsideError('RUN_FAILED', `script package ${sha256.slice(0, 12)}: ${why}`, { cause });
}
