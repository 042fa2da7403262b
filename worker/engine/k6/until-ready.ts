/** The wait for a k6 process to have its VUs. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../shared/clock.ts';
import type { ProcessGroup } from './process-group.ts';
import type { RestClient } from './rest-client.ts';

/** Without a sign of progress until k6 is ready: its API comes up, its VUs become more. */
const SILENT_MS = 20_000;
const POLL_MS = 50;

/**
 * @returns false when k6 has ended
 * @throws Error when nothing has happened for `silentMs`; it is killed then
 */
export async function untilReady(
  group: ProcessGroup,
  rest: RestClient,
  clock: Clock,
  silentMs = SILENT_MS,
): Promise<boolean> {
  let aliveUs = clock.now();
  let seen = '';
  while (group.exit === undefined) {
    const status = await rest.status(silentMs).catch(() => undefined);
    if (status?.ready) return true;
    const sign = status === undefined ? 'no answer' : `${status.vusMax}`;
    if (sign !== seen) aliveUs = clock.now();
    seen = sign;
    if (clock.now() - aliveUs > silentMs * 1_000) {
      group.kill();
      const at = status === undefined ? 'its API did not answer' : `it has ${status.vusMax} of its VUs`;
      throw new Error(`k6 did not become ready: nothing happened for ${silentMs / 1_000} s (${at})`);
    }
    await Promise.race([sleep(POLL_MS), group.exited]);
  }
  return false;
}
