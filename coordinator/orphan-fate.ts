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

/** @param source as its place in the queue has it; undefined where it has none, and nobody knows what is left to run */
export async function fateOf(
  { id, state }: RunStatus,
  source: ScenarioSource | undefined,
  data: DataDirectory,
): Promise<Fate> {
  if (source === undefined) return { is: 'failed', reason: GONE };
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
