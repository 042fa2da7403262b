/** `coordinator run` follows its run over a coordinator that goes away and comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followRun } from '../../../coordinator/cli/follow-run.ts';
import type { RunStatus } from '../../../coordinator/run-status.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import type { RunEvent } from '../../../shared/protocol/run-events.ts';

const RUNNING: RunEvent = { type: 'run-state', runId: 'r1', state: 'running' };
const COMPLETED: RunEvent = { type: 'run-state', runId: 'r1', state: 'completed' };
const GONE = new BroadsideError('COORDINATOR_UNREACHABLE', 'no coordinator answers');

type Watching = { tells: RunEvent[]; fails?: Error };

/**
 * A coordinator that is asked as often as there are answers.
 * @param run what it says of the run, when it is asked
 */
async function follow(
  answers: Watching[],
  run: () => Promise<RunStatus> = () => assert.fail('it was asked'),
  backWithinMs?: number,
): Promise<string[]> {
  const seen: string[] = [];
  const left = [...answers];
  await followRun(
    {
      watch: async (_id, onEvent) => {
        const { tells, fails } = left.shift()!;
        for (const event of tells) onEvent(event);
        if (fails !== undefined) throw fails;
      },
      run,
    },
    'r1',
    {
      onEvent: (event) => seen.push(event.type === 'run-state' ? event.state : event.type),
      onBack: () => seen.push('back'),
      say: (line) => seen.push(line),
      ...(backWithinMs !== undefined && { backWithinMs }),
    },
  );
  assert.equal(left.length, 0);
  return seen;
}

test('a coordinator that stays: its events, and no word more', async () => {
  assert.deepEqual(await follow([{ tells: [RUNNING, COMPLETED] }]), ['running', 'completed']);
});

test('one that is away for two tries: both are said once, and the rest of the events follow', async () => {
  const seen = await follow([
    { tells: [RUNNING], fails: GONE },
    { tells: [], fails: GONE },
    { tells: [RUNNING, COMPLETED] },
  ]);
  assert.deepEqual(seen, [
    'running',
    'no coordinator answers; asking again for 30 s',
    'the coordinator is back',
    'back',
    'running',
    'completed',
  ]);
});

test('what is no absence is not waited for', async () => {
  const refused = new BroadsideError('UNAUTHORIZED', 'the token is wrong');
  await assert.rejects(follow([{ tells: [RUNNING], fails: refused }]), /the token is wrong/);
});

const AWAY: Watching = { tells: [], fails: GONE };
const UNKNOWN = new BroadsideError('RUN_NOT_FOUND', 'there is no run r1');
const TOO_LONG: [sentence: string, run: () => Promise<RunStatus>, said: RegExp][] = [
  ['one that is away for too long is said to be', () => Promise.reject(GONE), /no coordinator answers/],
  [
    'one that is back without the run, which only cuts the connection, is not said to be away',
    () => Promise.reject(UNKNOWN),
    /there is no run r1/,
  ],
  [
    'one that knows the run, and cuts the connection all the same, is',
    () => Promise.resolve({} as RunStatus),
    /no coordinator answers/,
  ],
];
for (const [sentence, run, said] of TOO_LONG) {
  test(sentence, async () => {
    await assert.rejects(follow([AWAY, AWAY], run, 1), said);
  });
}
