/** What a coordinator that starts takes for runs of one that is gone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { DataDirectory } from '../../coordinator/data-directory.ts';
import { type RunStatus, RunStatusStore } from '../../coordinator/run-status.ts';
import { temporaryDirectory } from '../support/lab.ts';

const ID = '20090214-233130-9f3c';

const CASES: [sentence: string, status: (other: number) => Partial<RunStatus>, isOrphan: boolean][] = [
  ['under way, of a process that lives', (owner) => ({ owner }), false],
  ['under way, of an earlier process with the own id', () => ({ owner: process.pid }), true],
  [
    'one that stays, whose owner’s id some process has got after a reboot',
    (owner) => ({ owner, stays: true }),
    true,
  ],
  ['one that stays, and has ended', (owner) => ({ owner, stays: true, state: 'completed' }), false],
];
for (const [sentence, status, isOrphan] of CASES) {
  test(`a run: ${sentence}: ${isOrphan ? 'an orphan' : 'none'}`, async (t) => {
    const other = spawn('sleep', ['60']);
    t.after(() => other.kill());
    await once(other, 'spawn');
    const data = await DataDirectory.open(await temporaryDirectory(t));
    const statuses = await RunStatusStore.load(data);
    await statuses.put({
      ...{ id: ID, name: 'n', pools: [], state: 'running', trials: 1, submittedUs: 1 },
      estimate: { trials: 1 } as RunStatus['estimate'],
      ...status(other.pid!),
    } as RunStatus);
    const orphans = (await RunStatusStore.load(data)).orphans();
    assert.deepEqual(
      orphans.map(({ id }) => id),
      isOrphan ? [ID] : [],
    );
  });
}
