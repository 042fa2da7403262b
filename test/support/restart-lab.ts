/** A lab whose coordinator is killed, and started again in its place. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Ledger } from '../../shared/metrics/ledger.ts';
import { type CliProcess, endCli, startCli } from './cli.ts';
import { type Lab, startLab, temporaryDirectory } from './lab.ts';
import { freePort } from './nginx.ts';
import { startRedis } from './redis.ts';
import { Scope } from './scope.ts';

export interface RestartLab {
  lab: Lab;
  /** Ends the coordinator at once. */
  kill(): Promise<void>;
  /** Starts another one in its place. */
  restart(): CliProcess;
}

/** Ends with the test. */
export async function startRestartLab(
  t: TestContext,
  workers: readonly string[],
  { args = [], ownRedis = true }: { args?: string[]; ownRedis?: boolean } = {},
): Promise<RestartLab> {
  // Last first: nobody writes any more into what is taken away.
  const scope = new Scope();
  t.after(() => scope.close());
  const at = ['--port', String(await freePort()), ...args];
  if (!ownRedis) at.push('--redis', await startRedis(scope));
  const lab = await startLab(scope, workers, at);
  let coordinator = lab.coordinator;
  return {
    lab,
    kill: async () => {
      coordinator.child.kill('SIGKILL');
      await coordinator.ended;
    },
    restart: () => {
      coordinator = startCli('coordinator', ['start', '--data', lab.data, ...at]);
      const started = coordinator;
      scope.after(() => endCli(started));
      return coordinator;
    },
  };
}

/** A scenario for one target, with these lines of YAML. */
export async function scenarioFile(t: TestContext, url: string, lines: readonly string[]): Promise<string> {
  const file = path.join(await temporaryDirectory(t), 'scenario.yaml');
  await writeFile(
    file,
    [`targets: { it: "${new URL(url).origin}" }`, 'request: { path: / }', ...lines].join('\n'),
  );
  return file;
}

/** Requests that a trial accounts for. */
export function accounted({ completed, failed, inFlight }: Ledger): number {
  return completed + failed + inFlight;
}
