/** What lists show of a run, kept beside its journal so that it outlives the coordinator. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunEstimate } from '../shared/domain/estimate.ts';
import type { RunState } from '../shared/domain/run.ts';
import { type DataDirectory, isAlive, isRunId } from './data-directory.ts';

export interface RunStatus {
  id: string;
  name: string;
  /** Whose workers it takes. */
  pools: string[];
  state: RunState;
  trials: number;
  /** Of those that are to be run: without what a resumed run takes over. */
  estimate: RunEstimate;
  /** µs since the epoch. */
  submittedUs: number;
  startedUs?: number;
  endedUs?: number;
  /** Why it failed or was cancelled. */
  reason?: string;
  /** Process id of the coordinator that has it. */
  owner: number;
  /** Its queue outlives its coordinator: the next one on the directory goes on with it, and nobody else settles it. */
  stays?: true;
}

export class RunStatusStore {
  private readonly data: DataDirectory;
  private readonly known = new Map<string, RunStatus>();

  private constructor(data: DataDirectory) {
    this.data = data;
  }

  static async load(data: DataDirectory): Promise<RunStatusStore> {
    const store = new RunStatusStore(data);
    for (const id of (await readdir(data.runs)).filter(isRunId)) {
      const status = parse(await readFile(store.file(id), 'utf8').catch(() => ''));
      if (status !== undefined) store.known.set(id, status);
    }
    return store;
  }

  get(id: string): RunStatus | undefined {
    return this.known.get(id);
  }

  /** Oldest first. */
  all(): RunStatus[] {
    return [...this.known.values()].sort((a, b) => a.submittedUs - b.submittedUs);
  }

  /**
   * Runs that a coordinator which is gone left unfinished. Asked for before this process has any of its own: one with
   * its process id is an earlier one's. Those that stay are all an earlier one's, whatever has its process id now: they are
   * for whoever has locked the directory.
   */
  orphans(): RunStatus[] {
    return this.all().filter(
      ({ state, owner, stays }) =>
        (state === 'queued' || state === 'running') &&
        (stays === true || owner === process.pid || !isAlive(owner)),
    );
  }

  async put(status: RunStatus): Promise<void> {
    this.known.set(status.id, status);
    await mkdir(this.data.run(status.id), { recursive: true, mode: 0o700 });
    // Whole or not at all: lists are read while this is written.
    const temporary = `${this.file(status.id)}.new`;
    await writeFile(temporary, `${JSON.stringify(status)}\n`, { mode: 0o600 });
    await rename(temporary, this.file(status.id));
  }

  private file(id: string): string {
    return path.join(this.data.run(id), 'status.json');
  }
}

/** A machine that lost its power may have left half a file; its run is not listed, and its journal is still there. */
function parse(text: string): RunStatus | undefined {
  try {
    const status = JSON.parse(text) as Partial<RunStatus> | null;
    return typeof status?.id === 'string' ? (status as RunStatus) : undefined;
  } catch {
    return undefined;
  }
}
