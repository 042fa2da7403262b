/** A lab of real processes for a test: a coordinator with its own Redis, and workers. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Report } from '../../coordinator/report/schema.ts';
import { type CliProcess, type CliResult, endCli, runCli, startCli } from './cli.ts';
import type { Cleanups } from './scope.ts';

export async function temporaryDirectory(t: Cleanups): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'broadside-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export interface WorkerOptions {
  /** Where it finds the coordinator, if not at the lab's own URL. */
  url?: string;
  env?: Record<string, string>;
}

export interface Lab {
  url: string;
  data: string;
  coordinator: CliProcess;
  workers: Map<string, CliProcess>;
  /** Starts one more worker and waits until it has joined. */
  addWorker(name: string, args?: readonly string[], more?: WorkerOptions): Promise<CliProcess>;
  /** `coordinator run … --coordinator <this lab>`. */
  run(args: readonly string[]): Promise<CliResult>;
  start(args: readonly string[]): CliProcess;
}

/**
 * Ends with the test.
 * @param core keep all of it on this core
 */
export async function startLab(
  t: Cleanups,
  workerNames: readonly string[],
  args: readonly string[] = [],
  core?: number,
): Promise<Lab> {
  const data = await temporaryDirectory(t);
  const coordinator = startCli('coordinator', ['start', '--port', '0', '--data', data, ...args], {}, core);
  const workers = new Map<string, CliProcess>();
  t.after(() => Promise.all([...workers.values(), coordinator].map(endCli)));
  const [, url] = await coordinator.says(/^Broadside coordinator on (http:\S+)$/m);
  const remote = (more: readonly string[]): string[] => ['run', ...more, '--coordinator', url!];
  const lab: Lab = {
    url: url!,
    data,
    coordinator,
    workers,
    addWorker: async (name, more = [], { url: at = url!, env = {} } = {}) => {
      const worker = startCli('worker', ['start', '--coordinator', at, '--name', name, ...more], env, core);
      workers.set(name, worker);
      await worker.says(/joined/);
      return worker;
    },
    run: (more) => runCli('coordinator', remote(more), {}, core),
    start: (more) => startCli('coordinator', remote(more), {}, core),
  };
  await Promise.all(workerNames.map((name) => lab.addWorker(name)));
  return lab;
}

/** The report of a run that was asked for with `--format json`. */
export function reportOf(result: CliResult): Report {
  try {
    return JSON.parse(result.stdout) as Report;
  } catch {
    throw new Error(`no report; exit ${result.code}\nstdout: ${result.stdout}\nstderr: ${result.stderr}`);
  }
}
