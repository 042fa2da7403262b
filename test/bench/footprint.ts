/** What Broadside takes besides CPU: memory by connections, and the time to set up a lab for one request. */
import { endCli, startCli } from '../support/cli.ts';
import { temporaryDirectory } from '../support/lab.ts';
import type { Scope } from '../support/scope.ts';
import { startBroadside } from './broadside.ts';

/** Peak resident bytes of a fresh worker under so many connections; undefined where the system does not tell. */
export async function workerMemory(
  within: Scope,
  core: number | undefined,
  url: string,
  connections: number,
  seconds: number,
): Promise<number | undefined> {
  const scope = within.inner();
  try {
    const broadside = await startBroadside(scope, core);
    const { failed, residentBytes } = await broadside.run({ url, bodyBytes: 0, connections, seconds });
    if (failed > 0) throw new Error(`${failed} requests failed on ${connections} connections`);
    return residentBytes;
  } finally {
    await scope.close();
  }
}

/** Wall times in ms of `coordinator run -n 1 URL` with a lab of its own, one after another, not pinned. */
export async function embeddedStarts(within: Scope, url: string, times: number): Promise<number[]> {
  const scope = within.inner();
  try {
    const data = await temporaryDirectory(scope);
    const walls: number[] = [];
    for (let i = 0; i < times; i++) {
      const run = startCli('coordinator', ['run', url, '-n', '1', '--data', data]);
      scope.after(() => endCli(run));
      const result = await run.ended;
      if (result.code !== 0)
        throw new Error(`coordinator run -n 1 ended with ${result.code}: ${result.stderr}`);
      walls.push(result.tookMs);
    }
    return walls;
  } finally {
    await scope.close();
  }
}
