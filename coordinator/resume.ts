/**
 * Resuming: a new run that takes over what an interrupted one has measured, and measures the rest. Its journal holds
 * all of it, so that its report is whole.
 */
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { planTrials } from '../shared/domain/plan-trials.ts';
import { redactForJournal } from '../shared/domain/redact.ts';
import type { TrialPlan } from '../shared/domain/run.ts';
import type { Scenario } from '../shared/domain/scenario.ts';
import { hasSearch } from '../shared/domain/search-spec.ts';
import { cellLabel } from '../shared/domain/sweep.ts';
import { BroadsideError } from '../shared/errors.ts';
import { type DataDirectory, isRunId } from './data-directory.ts';
import { readJournal } from './journal-file.ts';
import type { JournalRecord, RunRecord } from './journal-records.ts';

/** What a run takes over from an interrupted one. */
export interface Resumed {
  run: string;
  /** Indices of the trials that are not run again. */
  finished: ReadonlySet<number>;
  /** Theirs, from the journal. */
  records(): AsyncIterable<JournalRecord>;
}

/** @throws BroadsideError RUN_NOT_FOUND, JOURNAL_CORRUPT, USAGE when it ran another scenario or has nothing left to run */
export async function readResumed(data: DataDirectory, run: string, scenario: Scenario): Promise<Resumed> {
  if (!isRunId(run) || !existsSync(data.run(run))) {
    throw new BroadsideError('RUN_NOT_FOUND', `--resume ${run}: there is no such run in ${data.root}`, {
      hint: 'see `coordinator list`, or give the --data DIR in which it was run',
    });
  }
  const directory = data.run(run);
  const finished = await finishedTrials(readJournal(directory), run, scenario);
  return { run, finished, records: () => recordsOf(readJournal(directory), finished) };
}

const SALT_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Tells whether a scenario is the same, without giving away what a journal must not hold: a plain digest could be tried
 * out on short passwords.
 */
export function fingerprintOf(scenario: Scenario, salt = randomBytes(SALT_BYTES)): string {
  const key = scryptSync(JSON.stringify(scenario.source), salt, KEY_BYTES);
  return `${salt.toString('hex')}:${key.toString('hex')}`;
}

function isOf(fingerprint: string, scenario: Scenario): boolean {
  const salt = Buffer.from(fingerprint.split(':')[0]!, 'hex');
  return timingSafeEqual(Buffer.from(fingerprint), Buffer.from(fingerprintOf(scenario, salt)));
}

/**
 * The trials of a run that need not be run again: those that were carried out to their end, and count.
 * @param records of the run's journal
 * @throws BroadsideError USAGE when it ran another scenario, is a search, or has nothing left to run
 */
export async function finishedTrials(
  records: AsyncIterable<JournalRecord>,
  run: string,
  scenario: Scenario,
): Promise<Set<number>> {
  if (hasSearch(scenario.source.load)) {
    throw refused(
      run,
      'a search decides each trial by the one before, and is not taken up again',
      'run it anew without --resume',
    );
  }
  let begun: RunRecord | undefined;
  const finished = new Set<number>();
  const failed = new Set<number>();
  for await (const record of records) {
    if (record.type === 'run') begun = record;
    else if (record.type === 'trial-ended' && record.state === 'completed') finished.add(record.trial);
    else if (record.type === 'hook' && record.failure !== undefined)
      for (const trial of record.trials) failed.add(trial);
  }
  if (begun === undefined) throw refused(run, 'its journal is empty');
  checkSame(begun, scenario);
  for (const trial of failed) finished.delete(trial);
  if (finished.size < begun.trials.length) return finished;
  throw refused(run, `all of its ${begun.trials.length} trials have completed; nothing is left to run`);
}

function checkSame(begun: RunRecord, scenario: Scenario): void {
  const trials: TrialPlan[] = JSON.parse(JSON.stringify(planTrials(scenario).map(redactForJournal)));
  const different = trials.find((trial, i) => !isDeepStrictEqual(trial, begun.trials[i]));
  if (trials.length !== begun.trials.length)
    throw differs(begun.id, `${begun.trials.length} trials then, ${trials.length} now`);
  if (different !== undefined) {
    const label = cellLabel(different.cell);
    const where = `${label === '' ? '' : `${label}, `}round ${different.round}`;
    throw differs(begun.id, `trial ${different.index + 1} (${where}) is another`);
  }
  if (begun.fingerprint !== undefined && !isOf(begun.fingerprint, scenario))
    throw differs(begun.id, 'the trials are the same, but not all the rest');
}

function differs(run: string, what: string): BroadsideError {
  return refused(
    run,
    `the scenario differs from the one that it ran: ${what}`,
    'give the same scenario, --set and --only as then, or run it anew without --resume',
  );
}

function refused(run: string, why: string, hint?: string): BroadsideError {
  return new BroadsideError('USAGE', `--resume ${run}: ${why}`, hint === undefined ? {} : { hint });
}

/** What the journal of the new run takes over: everything of the finished trials, in order. */
export async function* recordsOf(
  records: AsyncIterable<JournalRecord>,
  finished: ReadonlySet<number>,
): AsyncGenerator<JournalRecord> {
  for await (const record of records) {
    if (record.type === 'hook') {
      const trials = record.trials.filter((trial) => finished.has(trial));
      if (trials.length > 0) yield { ...record, trials };
    } else if ('trial' in record && finished.has(record.trial)) yield record;
  }
}
