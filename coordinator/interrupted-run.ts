/**
 * A run that a coordinator has left unfinished, as its journal tells (DESIGN rule 9): what has ended, which trial was under
 * way, and what of it has come in. Pure: records in, state out.
 */
import { isDeepStrictEqual } from 'node:util';
import { planTrials } from '../shared/domain/plan-trials.ts';
import { redactForJournal } from '../shared/domain/redact.ts';
import type { TrialPlan } from '../shared/domain/run.ts';
import type { Scenario } from '../shared/domain/scenario.ts';
import { hasSearch } from '../shared/domain/search-spec.ts';
import { type Arrived, noneArrived } from './arrived.ts';
import type { JournalRecord, RunEndedRecord, RunRecord, TrialStartedRecord } from './journal-records.ts';
import type { TrialOutcome } from './trial-controller.ts';

export interface InterruptedRun {
  run: RunRecord;
  /** Of trials by index, in the order in which they have ended. */
  outcomes: Map<number, TrialOutcome>;
  /** The trial whose load had begun, and whose end is not in the journal. */
  begun: TrialStartedRecord | undefined;
  /** Of all shards that have told anything: what need not be journaled again. */
  arrived: Map<string, Arrived>;
  /** Preflight has been journaled, and found nothing that is in the way. */
  looked: boolean;
  /** How often a coordinator has come back to it before. */
  returns: number;
  /** The run had ended; only its state was not kept any more. */
  ended: RunEndedRecord | undefined;
}

/** @returns undefined where the journal does not even have the run's beginning */
export async function rebuildRun(
  records: Iterable<JournalRecord> | AsyncIterable<JournalRecord>,
): Promise<InterruptedRun | undefined> {
  let rebuilt: InterruptedRun | undefined;
  for await (const record of records) {
    if (record.type === 'run')
      rebuilt = {
        run: record,
        outcomes: new Map(),
        begun: undefined,
        arrived: new Map(),
        looked: false,
        returns: 0,
        ended: undefined,
      };
    else if (rebuilt !== undefined) note(rebuilt, record);
  }
  return rebuilt;
}

function note(rebuilt: InterruptedRun, record: JournalRecord): void {
  switch (record.type) {
    case 'preflight':
      // Where it found what makes the load impossible, it is for the next one to look whether that is mended.
      rebuilt.looked = record.findings.every(({ level }) => level !== 'error');
      break;
    case 'coordinator-returned':
      rebuilt.returns++;
      break;
    case 'trial-started':
      rebuilt.begun = record;
      break;
    case 'interval':
      arrivedOf(rebuilt, record.shard).seqs.add(record.seq);
      break;
    case 'shard-done':
      arrivedOf(rebuilt, record.shard).once.add('done');
      break;
    case 'trial-ended': {
      const { type: _type, trial, ...outcome } = record;
      rebuilt.outcomes.set(trial, outcome);
      if (rebuilt.begun?.trial === trial) rebuilt.begun = undefined;
      break;
    }
    case 'run-ended':
      rebuilt.ended = record;
  }
}

function arrivedOf({ arrived }: InterruptedRun, shard: string): Arrived {
  const known = arrived.get(shard) ?? noneArrived();
  arrived.set(shard, known);
  return known;
}

/** @returns why a coordinator that comes back does not go on with a run, for people; undefined when it does */
export function whyNotTakenUp(scenario: Scenario, { run, outcomes }: InterruptedRun): string | undefined {
  if (hasSearch(scenario.source.load)) return 'a search is not taken up again';
  if (scenario.hooks !== undefined) return 'a run with hooks is not taken up again by itself';
  const trials = planTrials(scenario);
  if (trials.some(({ engine }) => engine === 'k6')) return 'k6 scripts are not taken up again';
  if (run.resumed?.trials.some((trial) => !outcomes.has(trial)) === true)
    return `it had not yet taken over all of run ${run.resumed.run}`;
  if (!isDeepStrictEqual(journaled(trials), run.trials)) return 'this Broadside plans other trials for it';
  return undefined;
}

function journaled(trials: readonly TrialPlan[]): TrialPlan[] {
  return JSON.parse(JSON.stringify(trials.map(redactForJournal)));
}

/**
 * Which shards of a run that is taken up no trial counts: of a trial that is begun anew those of before, which may have
 * begun their load all the same, just before their coordinator could journal that.
 */
export function abandonedShards({ outcomes, begun, returns }: InterruptedRun): (shard: string) => boolean {
  const ended = new Set(outcomes.keys());
  const goesOn = new Set(begun?.shards.map(({ shard }) => shard));
  return (shard) => {
    // See `shardId`.
    const [, trial, of = 0] = /\/(\d+)\/\d+(?:\.(\d+))?$/.exec(shard) ?? [];
    if (trial === undefined || ended.has(Number(trial))) return false;
    return begun?.trial === Number(trial) ? !goesOn.has(shard) : Number(of) <= returns;
  };
}

/** Of a trial that goes on: what the controller is told again, in order. */
export async function* recordsOfTrial(
  records: AsyncIterable<JournalRecord>,
  trial: number,
): AsyncGenerator<JournalRecord> {
  for await (const record of records) if ('trial' in record && record.trial === trial) yield record;
}
