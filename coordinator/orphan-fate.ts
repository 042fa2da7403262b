/** What becomes of a run whose coordinator is gone: it goes on where that can be, or it has failed. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ScenarioSource } from '../shared/domain/scenario.ts';
import { validateScenario } from '../shared/domain/validate-scenario.ts';
import { messageOf } from '../shared/errors.ts';
import type { DataDirectory } from './data-directory.ts';
import { rebuildRun, whyNotTakenUp } from './interrupted-run.ts';
import { JOURNAL_FILE } from './journal.ts';
import { readJournal } from './journal-file.ts';
import type { RunEndedRecord } from './journal-records.ts';
import type { LeftRun } from './run-controller.ts';
import type { RunStatus } from './run-status.ts';

export type Fate =
  /** It begins, as nothing of it has begun. */
  | { is: 'queued' }
  | { is: 'taken-up'; left: LeftRun }
  /** It had ended before; only its state was not kept any more. */
  | { is: 'ended'; end: RunEndedRecord }
  | { is: 'failed'; reason: string };

const GONE = 'its coordinator ended before it did';

/** Of a run whose queue should have outlived its coordinator. */
function placeGone({ id, state }: RunStatus): string {
  const gone = 'its place in the queue is gone: its Redis was emptied, or is another one';
  return state === 'queued'
    ? `${gone}; submit it again`
    : `${GONE}, and ${gone}; what it has finished is taken over by \`coordinator run SCENARIO --resume ${id}\``;
}

/** @param source as its place in the queue has it; undefined where it has none, and nobody knows what is left to run */
export async function fateOf(
  status: RunStatus,
  source: ScenarioSource | undefined,
  data: DataDirectory,
): Promise<Fate> {
  const { id, state, stays } = status;
  if (source === undefined) return { is: 'failed', reason: stays === true ? placeGone(status) : GONE };
  if (state === 'queued') return { is: 'queued' };
  const directory = data.run(id);
  try {
    const written = await stat(path.join(directory, JOURNAL_FILE)).catch(() => undefined);
    if (written === undefined) return { is: 'queued' };
    const interrupted = await rebuildRun(readJournal(directory));
    if (interrupted === undefined) return { is: 'queued' };
    if (interrupted.ended !== undefined) return { is: 'ended', end: interrupted.ended };
    const why = whyNotTakenUp(validateScenario(source, `run ${id}`), interrupted);
    if (why !== undefined) return { is: 'failed', reason: `${GONE}; ${why}` };
    const awayFromUs = Math.round(written.mtimeMs * 1_000);
    return { is: 'taken-up', left: { ...interrupted, awayFromUs, records: () => readJournal(directory) } };
  } catch (error) {
    return { is: 'failed', reason: `${GONE}; ${messageOf(error)}` };
  }
}
