/** Whether a second load thread is worth a second core: CPU-bound work on a worker of one thread, and on one of two. */
import { createHash } from 'node:crypto';
import type { Scope } from '../support/scope.ts';
import { startBroadside } from './broadside.ts';
import { cpuPerRequest, type Measured } from './contender.ts';
import { type Pair, ratiosOf, type Spread, spreadOf, takeTurns } from './turns.ts';

export interface ThreadScaling {
  /** Of each reply; its SHA-256 is compared. */
  bodyBytes: number;
  connections: number;
  /** µs a request of the worker's process, medians. */
  cpuPerRequest: { one?: number; two?: number };
  /**
   * How many times the requests of one thread two threads carry out when each has a core: twice the CPU time for
   * twice the requests, were they to take no more each. 2 × CPU a request on one thread / CPU a request on two.
   */
  scaling?: Spread;
}

export const THREADS_BODY = 256 * 1024;
const CONNECTIONS = 16;

/**
 * In turns. It is CPU time that is compared and not rates: where nginx has one core of two, both threads share the
 * other, and a rate would say nothing of what they do with a core each.
 * @param body what is at `url`
 * @param said told of each turn
 */
export async function measureThreads(
  within: Scope,
  core: number | undefined,
  { url, body, seconds, rounds }: { url: string; body: Buffer; seconds: number; rounds: number },
  said: (turn: string) => void,
): Promise<ThreadScaling> {
  const scope = within.inner();
  try {
    const sha256 = createHash('sha256').update(body).digest('hex');
    const two = await startBroadside(scope, core, 2);
    const one = await startBroadside(scope, core, 1);
    const load = { url, bodyBytes: body.length, connections: CONNECTIONS, seconds, sha256 };
    const turns = await takeTurns(two, [one], rounds, async (contender, round) => {
      const measured = await contender.run(load);
      if (measured.failed > 0) throw new Error(`${measured.failed} bodies were not as they should be`);
      said(`${contender === two ? 'two threads' : 'one thread'}, round ${round} of ${rounds}`);
      return measured;
    });
    const { pairs, failure } = turns.peers[0]!;
    if (failure !== undefined) throw new Error(failure);
    return { bodyBytes: body.length, connections: CONNECTIONS, ...scalingOf(turns.ours, pairs) };
  } finally {
    await scope.close();
  }
}

/** @param pairs one thread as the peer, two as ours */
export function scalingOf(
  two: readonly Measured[],
  pairs: readonly Pair[],
): Pick<ThreadScaling, 'cpuPerRequest' | 'scaling'> {
  const median = (runs: readonly Measured[]): number | undefined =>
    spreadOf(runs.flatMap((run) => cpuPerRequest(run) ?? []))?.median;
  const medians = { one: median(pairs.map(({ peer }) => peer)), two: median(two) };
  const more = ratiosOf(pairs, cpuPerRequest);
  return {
    cpuPerRequest: {
      ...(medians.one !== undefined && { one: medians.one }),
      ...(medians.two !== undefined && { two: medians.two }),
    },
    ...(more !== undefined && {
      scaling: { median: 2 / more.median, min: 2 / more.max, max: 2 / more.min },
    }),
  };
}
