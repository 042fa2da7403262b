/** Following a run to its end, also over a coordinator that goes away and comes back: the run goes on with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BroadsideError } from '../../shared/errors.ts';
import type { RunEvent } from '../../shared/protocol/run-events.ts';
import type { CoordinatorClient } from '../client.ts';

const BACK_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 500;

export interface FollowOptions {
  onEvent(event: RunEvent): void;
  /** The coordinator was away, and is back. */
  onBack(): void;
  /** For people. */
  say(line: string): void;
}

/** @throws BroadsideError COORDINATOR_UNREACHABLE when the coordinator does not come back in time */
export async function followRun(
  client: Pick<CoordinatorClient, 'watch'>,
  id: string,
  { onEvent, onBack, say }: FollowOptions,
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
        say(`${error.message}; asking again for ${BACK_WITHIN_MS / 1_000} s`);
      } else if (performance.now() - awaySinceMs > BACK_WITHIN_MS) throw error;
      await sleep(ASK_EVERY_MS);
    }
  }
}
