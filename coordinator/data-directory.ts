/**
 * Where a coordinator keeps what must outlive it:
 *
 *     <data>/runs/<id>/journal.jsonl   everything that a run's report is made from
 *     <data>/runs/<id>/status.json     its state, for lists
 *     <data>/scripts/<sha256>.tar      packages of k6 scripts, see scripts/store.ts
 *     <data>/redis/                    append-only file of the coordinator's own redis-server
 *     <data>/lab-id                    names its queues in Redis
 *     <data>/token                     what workers and clients show, where the coordinator made it
 *     <data>/coordinator.lock          process id of the coordinator that owns the directory, and the boot it is of
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fromEnvironment } from '../shared/environment.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';

export class DataDirectory {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** `--data`, else `$BROADSIDE_DATA`, else `~/.broadside`. */
  static defaultRoot(): string {
    return fromEnvironment('BROADSIDE_DATA') ?? path.join(os.homedir(), '.broadside');
  }

  /** To read from; nothing is made, and it need not be there. */
  static at(root: string): DataDirectory {
    return new DataDirectory(path.resolve(root));
  }

  /** @throws BroadsideError DATA_DIR_UNUSABLE when it cannot be made or written to */
  static async open(root: string): Promise<DataDirectory> {
    const directory = DataDirectory.at(root);
    try {
      await mkdir(directory.runs, { recursive: true, mode: 0o700 });
      await access(directory.runs, constants.W_OK | constants.X_OK);
      // access() does not know of read-only mounts and full quotas: write something.
      const probe = path.join(directory.runs, `.probe-${process.pid}`);
      await (await open(probe, 'w')).close();
      await rm(probe);
    } catch (cause) {
      throw new BroadsideError(
        'DATA_DIR_UNUSABLE',
        `the data directory ${directory.root} cannot be written to: ${messageOf(cause)}`,
        { hint: 'choose another with --data DIR (or $BROADSIDE_DATA)', cause },
      );
    }
    return directory;
  }

  get runs(): string {
    return path.join(this.root, 'runs');
  }

  get redis(): string {
    return path.join(this.root, 'redis');
  }

  run(id: string): string {
    return path.join(this.runs, id);
  }

  /** The same as long as the directory lives, so that a coordinator finds its queues again. Call it under `lock`. */
  async labId(): Promise<string> {
    const file = path.join(this.root, 'lab-id');
    const known = (await readFile(file, 'utf8').catch(() => '')).trim();
    if (/^[0-9a-f-]{36}$/.test(known)) return known;
    const made = randomUUID();
    await writeFile(file, `${made}\n`, { mode: 0o600 });
    return made;
  }

  /**
   * The token that a coordinator makes for itself; the same as long as the directory lives, so that its workers are let in
   * again after it was started anew. Call it under `lock`.
   */
  async keptToken(make: () => string): Promise<string> {
    const file = path.join(this.root, 'token');
    const known = (await readFile(file, 'utf8').catch(() => '')).trim();
    if (/^[\w-]{24}$/.test(known)) return known;
    const made = make();
    await writeFile(file, `${made}\n`, { mode: 0o600 });
    return made;
  }

  /**
   * Takes the directory for this process until it ends. A lock whose process is gone is taken over, and so is one of before
   * the machine was booted: its process id may be any other's now.
   * @returns gives it back
   * @throws BroadsideError DATA_DIR_LOCKED
   */
  async lock(): Promise<() => Promise<void>> {
    const file = path.join(this.root, 'coordinator.lock');
    const boot = await bootId();
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const handle = await open(file, 'wx', 0o600);
        await handle.writeFile(`${process.pid}\n${boot}\n`);
        await handle.close();
        return () => rm(file, { force: true });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
        const [pid = '', itsBoot = ''] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
        const owner = Number(pid);
        const booted = itsBoot !== '' && boot !== '' && itsBoot !== boot;
        // In a container the next coordinator often gets the same process id as the one that was killed.
        if (!booted && owner !== process.pid && isAlive(owner)) {
          throw new BroadsideError(
            'DATA_DIR_LOCKED',
            `the data directory ${this.root} belongs to the running coordinator with process id ${owner}`,
            { hint: 'stop that one, or give this one another directory with --data DIR' },
          );
        }
        await rm(file, { force: true });
      }
    }
    throw new BroadsideError(
      'DATA_DIR_LOCKED',
      `another coordinator is taking the data directory ${this.root}`,
    );
  }
}

/** The same until the kernel starts anew; empty where it does not say. */
async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const RUN_ID = /^\d{8}-\d{6}-[0-9a-f]{4}$/;

/** `20090214-233130-9f3c`: sorts by time, fits a file name, can be typed. */
export function newRunId(now = new Date()): string {
  const time = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${time}-${randomBytes(2).toString('hex')}`;
}

/** Run ids come from the network and become paths. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}
