/** A lab of real processes for a test: a coordinator with its own Redis, and workers. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Report } from '../../coordinator/report/schema.ts';
import { type CliProcess, type CliResult, runCli, startCli } from './cli.ts';

export async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'broadside-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export interface Lab {
  url: string;
  data: string;
  coordinator: CliProcess;
  workers: Map<string, CliProcess>;
  /** Starts one more worker and waits until it has joined. */
  addWorker(name: string, args?: readonly string[], url?: string): Promise<CliProcess>;
  /** `coordinator run … --coordinator <this lab>`. */
  run(args: readonly string[]): Promise<CliResult>;
  start(args: readonly string[]): CliProcess;
}

/** Ends with the test. */
export async function startLab(
  t: TestContext,
  workerNames: readonly string[],
  args: readonly string[] = [],
): Promise<Lab> {
  const data = await temporaryDirectory(t);
  const coordinator = startCli('coordinator', ['start', '--port', '0', '--data', data, ...args]);
  const workers = new Map<string, CliProcess>();
  t.after(async () => {
    const all = [...workers.values(), coordinator];
    for (const { child } of all) child.kill('SIGTERM');
    const timer = setTimeout(() => all.forEach(({ child }) => child.kill('SIGKILL')), 10_000);
    await Promise.all(all.map(({ ended }) => ended));
    clearTimeout(timer);
  });
  const [, url] = await coordinator.says(/^Broadside coordinator on (http:\S+)$/m);
  const remote = (more: readonly string[]): string[] => ['run', ...more, '--coordinator', url!];
  const lab: Lab = {
    url: url!,
    data,
    coordinator,
    workers,
    addWorker: async (name, more = [], at = url!) => {
      const worker = startCli('worker', ['start', '--coordinator', at, '--name', name, ...more]);
      workers.set(name, worker);
      await worker.says(/joined/);
      return worker;
    },
    run: (more) => runCli('coordinator', remote(more)),
    start: (more) => startCli('coordinator', remote(more)),
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
