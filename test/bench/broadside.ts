/** Broadside as a contender: a real coordinator with its Redis, a worker of one thread, and `coordinator run`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BROADSIDE_VERSION } from '../../shared/version.ts';
import { endCli } from '../support/cli.ts';
import { type Lab, reportOf, startLab } from '../support/lab.ts';
import type { Cleanups } from '../support/scope.ts';
import type { BenchLoad, Contender, Measured } from './contender.ts';
import { endedChildrenCpuSeconds, forgetPeak, peakResidentBytes, treeCpuSeconds } from './processes.ts';

/** @param core keep all of it there: the load threads share the core with the worker's main thread and the rest */
export async function startBroadside(
  scope: Cleanups,
  core: number | undefined,
  threads = 1,
): Promise<Contender> {
  const lab = await startLab(scope, [], [], core);
  const worker = await lab.addWorker('bench', ['--threads', String(threads)]);
  return {
    name: 'broadside',
    version: BROADSIDE_VERSION,
    run: (load) => runOnce(scope, lab, worker.child.pid!, load),
  };
}

async function runOnce(scope: Cleanups, lab: Lab, worker: number, load: BenchLoad): Promise<Measured> {
  const roots = [lab.coordinator.child.pid!, worker];
  forgetPeak(worker);
  const chainBefore = chainCpuSeconds(roots);
  const what = load.sha256 === undefined ? flagsOf(load) : [await writeScenario(lab, load)];
  const run = lab.start([...what, '-q', '--format', 'json']);
  scope.after(() => endCli(run));
  const result = await run.ended;
  const chainAfter = chainCpuSeconds(roots);
  if (result.code !== 0)
    throw new Error(`coordinator run ended with ${result.code}: ${result.stderr.trim()}`);
  const { summary, workers, ledger } = reportOf(result).trials[0]!;
  if (!ledger.balanced) throw new Error('the ledger of a run does not balance');
  const seconds = summary.durationUs / 1e6;
  const cpu = workers[0]!.cpu;
  const residentBytes = peakResidentBytes(worker) ?? workers[0]!.residentBytes;
  return {
    requests: summary.status['200'] ?? 0,
    seconds,
    failed: summary.errors.total,
    ...(cpu === undefined ? {} : { cpuSeconds: cpu * seconds }),
    ...(residentBytes === undefined ? {} : { residentBytes }),
    ...(chainBefore === undefined || chainAfter === undefined
      ? {}
      : { chainCpuSeconds: chainAfter - chainBefore }),
  };
}

function flagsOf({ url, connections, seconds }: BenchLoad): string[] {
  return [
    ...[url, '-k', '-c', `${connections}`, '-t', `${seconds}`],
    // The peers look at no certificate.
    ...(url.startsWith('https:') ? ['--insecure'] : []),
  ];
}

/** What a reply has to be is said in a scenario only. */
async function writeScenario({ data }: Lab, load: BenchLoad): Promise<string> {
  const { origin, pathname } = new URL(load.url);
  const file = path.join(data, 'bench.yaml');
  const { connections, seconds, sha256 } = load;
  await writeFile(
    file,
    JSON.stringify({
      name: 'bench',
      targets: { nginx: origin },
      request: { path: pathname, expect: { sha256 } },
      load: { executor: 'constant-connections', connections, duration: `${seconds}s` },
    }),
  );
  return file;
}

/** Of the given processes, all below them, and every `coordinator run` that has ended. */
function chainCpuSeconds(roots: readonly number[]): number | undefined {
  const parts = [endedChildrenCpuSeconds(), ...roots.map(treeCpuSeconds)];
  return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0);
}
