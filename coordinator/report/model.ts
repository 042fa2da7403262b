/**
 * A run's journal → its report. Pure: the same records always give the same report, so any format can be made again
 * later, without load. The records are read once, in order; of each trial only what the report shows is kept, as soon
 * as its last record is read.
 */
import type { Cell, TrialPlan } from '../../shared/domain/run.ts';
import { BroadsideError } from '../../shared/errors.ts';
import type { AskedValue } from '../../shared/metrics/script-value.ts';
import {
  type CoordinatorReturnedRecord,
  type HookRecord,
  JOURNAL_VERSION,
  type JournalRecord,
  type RunEndedRecord,
  type RunRecord,
  type SearchAnswerRecord,
  type SearchTrialRecord,
} from '../journal-records.ts';
import type { Finding } from '../preflight.ts';
import { damagedAt, sourceOf } from '../record-source.ts';
import { cellsAndTables } from './cells.ts';
import {
  REPORT_SCHEMA,
  type Report,
  type ReportOptions,
  type ReportRun,
  type ReportTrial,
} from './schema.ts';
import { askedByRun } from './script-trial.ts';
import { type SearchRecords, searchesInReport } from './search.ts';
import { thresholdsOf } from './thresholds.ts';
import { TrialReader } from './trial.ts';
import { judgeAcrossCells } from './verdict/across-cells.ts';

/** What there is in a journal. */
interface ReadRun {
  run: RunRecord;
  /** Absent where the journal ends before the run did. */
  ended: RunEndedRecord | undefined;
  preflight: Finding[];
  hooks: readonly HookRecord[];
  returned: readonly CoordinatorReturnedRecord[];
  searches: readonly SearchRecords[];
  plans: ReadonlyMap<number, TrialPlan>;
  /** By their index. */
  trials: readonly ReportTrial[];
}

/**
 * @param records a whole journal, or what there is of one
 * @throws BroadsideError as `readRun`
 */
export async function buildReport(
  records: Iterable<JournalRecord> | AsyncIterable<JournalRecord>,
  options: ReportOptions = {},
): Promise<Report> {
  return reportOf(await readRun(records, options));
}

function reportOf(read: ReadRun): Report {
  const { run, ended, preflight, hooks, returned, searches, plans, trials } = read;
  return {
    schema: REPORT_SCHEMA,
    run: {
      ...describeRun(run, ended, preflight, trials, plans.size),
      ...absencesOf(returned),
      ...hooksOfRun(hooks),
    },
    ...(searches.length > 0 && { search: searchesInReport(searches, trials) }),
    trials: [...trials],
    ...cellsAndTables(trials, run.report, cellsInOrder(run, plans, searches)),
    thresholds: thresholdsOf(run.thresholds, trials),
  };
}

/**
 * @throws BroadsideError JOURNAL_CORRUPT when it does not begin with its run, names a trial that the run does not
 *   have, holds a histogram that cannot be read, or was written by a later version
 */
async function readRun(
  records: Iterable<JournalRecord> | AsyncIterable<JournalRecord>,
  options: ReportOptions = {},
): Promise<ReadRun> {
  const { secondLatencies = true } = options;
  let run: RunRecord | undefined;
  let ended: RunEndedRecord | undefined;
  let preflight: Finding[] = [];
  const hooks: HookRecord[] = [];
  const returned: CoordinatorReturnedRecord[] = [];
  const searches: SearchRecords[] = [];
  const trials = new Map<number, TrialReader>();
  const plans = new Map<number, TrialPlan>();
  let asked: readonly AskedValue[] = [];
  const source = sourceOf(records);
  const lastOf = await source.lastPositions();
  const take = (record: JournalRecord): void => {
    if (record.type === 'run') {
      run = checkedRun(record);
      for (const plan of run.trials) plans.set(plan.index, plan);
      asked = askedByRun(run);
      for (const search of run.searches ?? []) searches.push({ ...search, trials: [] });
    } else if (run === undefined) {
      throw new BroadsideError(
        'JOURNAL_CORRUPT',
        `the journal begins with a ${record.type} record, not with its run`,
      );
    } else if (record.type === 'run-ended') {
      ended = record;
    } else if (record.type === 'search-trial') {
      plans.set(record.plan.index, record.plan);
      searchOf(searches, record).trials.push(record.plan.index);
    } else if (record.type === 'search-answer') {
      searchOf(searches, record).answer = record.answer;
    } else if (record.type === 'preflight') {
      preflight = record.findings;
    } else if (record.type === 'hook') {
      hooks.push(record);
    } else if (record.type === 'coordinator-returned') {
      returned.push(record);
    } else {
      let trial = trials.get(record.trial);
      if (trial === undefined) {
        trial = new TrialReader(
          planOf(plans, run, record.trial),
          run.dnf,
          asked,
          // The first may be the only one.
          secondLatencies || trials.size === 0,
        );
        trials.set(record.trial, trial);
      }
      // What is appended while this reads is for the next report.
      if (!trial.closed) trial.read(record);
      // Its end is no end: late intervals come after it.
      if (lastOf.get(record.trial) === source.position) trial.close(options);
    }
  };
  for await (const batch of source.batches()) {
    for (const record of batch) {
      try {
        take(record);
      } catch (error) {
        throw damagedAt(source.place, error);
      }
    }
  }
  if (run === undefined) throw new BroadsideError('JOURNAL_CORRUPT', `${source.place}: the journal is empty`);
  // A cell's hook is for trials, too, that were never begun.
  for (const hook of hooks) for (const index of hook.trials) trials.get(index)?.addHook(hook);
  const finished = [...trials]
    .sort(([a], [b]) => a - b)
    .map(([, reader]) => reader.finish(options, preflight));
  return { run, ended, preflight, hooks, returned, searches, plans, trials: judgeAcrossCells(finished) };
}

function hooksOfRun(hooks: readonly HookRecord[]): Pick<ReportRun, 'hooks'> {
  const own = hooks.flatMap(({ type: _type, trials, ...hook }) => (trials.length === 0 ? [hook] : []));
  return own.length === 0 ? {} : { hooks: own };
}

function absencesOf(returned: readonly CoordinatorReturnedRecord[]): Pick<ReportRun, 'coordinatorAway'> {
  if (returned.length === 0) return {};
  return {
    coordinatorAway: returned.map(({ awayFromUs, returnedUs, during }) => ({
      from: new Date(awayFromUs / 1000).toISOString(),
      until: new Date(returnedUs / 1000).toISOString(),
      ...(during !== undefined && { trial: during }),
    })),
  };
}

function checkedRun(record: RunRecord): RunRecord {
  if (record.version > JOURNAL_VERSION) {
    throw new BroadsideError(
      'JOURNAL_CORRUPT',
      `the journal of run ${record.id} has version ${record.version}, this Broadside reads up to ${JOURNAL_VERSION}`,
      { hint: `read it with Broadside ${record.broadside} or later` },
    );
  }
  return record;
}

function searchOf(
  searches: readonly SearchRecords[],
  { search }: SearchTrialRecord | SearchAnswerRecord,
): SearchRecords {
  const known = searches[search];
  if (known !== undefined) return known;
  throw new BroadsideError(
    'JOURNAL_CORRUPT',
    `the journal names search ${search}, but its run has ${searches.length}`,
  );
}

/** As in the sweep; of searches each value of a cell, rising. */
function cellsInOrder(
  run: RunRecord,
  plans: ReadonlyMap<number, TrialPlan>,
  searches: readonly SearchRecords[],
): Cell[] {
  if (searches.length === 0) return run.cells;
  const known = [...plans.values()];
  return searches.flatMap(({ spec: { over }, trials }) =>
    known
      .filter(({ index }) => trials.includes(index))
      .map(({ cell }) => cell)
      .sort((a, b) => Number(a[over]) - Number(b[over])),
  );
}

function planOf(plans: ReadonlyMap<number, TrialPlan>, run: RunRecord, index: number): TrialPlan {
  const plan = plans.get(index);
  if (plan !== undefined) return plan;
  throw new BroadsideError(
    'JOURNAL_CORRUPT',
    `the journal names trial ${index}, but run ${run.id} has ${plans.size} trials`,
  );
}

function describeRun(
  run: RunRecord,
  ended: RunEndedRecord | undefined,
  preflight: Finding[],
  trials: readonly ReportTrial[],
  plannedTrials: number,
): ReportRun {
  const measuredUs = trials.reduce((sum, { summary }) => sum + summary.durationUs, 0);
  const reason = ended === undefined ? 'the journal ends before the run did' : ended.reason;
  return {
    id: run.id,
    name: run.name,
    state: ended?.state ?? 'failed',
    ...(reason === undefined ? {} : { reason }),
    startedAt: new Date(run.startedUs / 1000).toISOString(),
    durationUs: ended === undefined ? measuredUs : Math.round(ended.endedUs - run.startedUs),
    broadside: run.broadside,
    plannedTrials,
    ...(run.resumed !== undefined && {
      resumed: { run: run.resumed.run, trials: run.resumed.trials.length },
    }),
    order: run.order,
    preflight,
  };
}
