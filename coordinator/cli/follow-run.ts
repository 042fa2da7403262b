/** Following a run to its end, also over a coordinator that goes away and comes back: the run goes on with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BroadsideError } from '../../shared/errors.ts';
import type { RunEvent } from '../../shared/protocol/run-events.ts';
import type { CoordinatorClient } from '../client.ts';

const BACK_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 500;
const ANSWER_WITHIN_MS = 5_000;

export interface FollowOptions {
  onEvent(event: RunEvent): void;
  /** The coordinator was away, and is back. */
  onBack(): void;
  /** For people. */
  say(line: string): void;
  /** How long a coordinator may be away; 30 s. */
  backWithinMs?: number;
}

/**
 * @throws BroadsideError COORDINATOR_UNREACHABLE when the coordinator does not come back in time; RUN_NOT_FOUND or UNAUTHORIZED
 *   when another one does
 */
export async function followRun(
  client: Pick<CoordinatorClient, 'watch' | 'run'>,
  id: string,
  { onEvent, onBack, say, backWithinMs = BACK_WITHIN_MS }: FollowOptions,
): Promise<void> {
  let awaySinceMs: number | undefined;
  const onAnyEvent = (event: RunEvent): void => {
    if (awaySinceMs !== undefined) {
      awaySinceMs = undefined;
      say('the coordinator is back');
      onBack();
    }
    onEvent(event);
  };
  for (;;) {
    try {
      return await client.watch(id, onAnyEvent);
    } catch (error) {
      if (!(error instanceof BroadsideError) || error.code !== 'COORDINATOR_UNREACHABLE') throw error;
      if (awaySinceMs === undefined) {
        awaySinceMs = performance.now();
        say(`${error.message}; asking again for ${backWithinMs / 1_000} s`);
      } else if (performance.now() - awaySinceMs > backWithinMs) throw await whyNot(client, id, error);
      await sleep(ASK_EVERY_MS);
    }
  }
}

/** One that is there, but has not this run or not this token, only cuts the connection of whoever watches. */
function whyNot(client: Pick<CoordinatorClient, 'run'>, id: string, cut: BroadsideError): Promise<unknown> {
  const refusal = client.run(id).then(
    () => cut,
    (error: unknown) => error,
  );
  return Promise.race([refusal, sleep(ANSWER_WITHIN_MS, cut, { ref: false })]);
}
