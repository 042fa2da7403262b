import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { exitCodeOfReport } from '../../../coordinator/report/exit-code.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { ExitCode } from '../../../shared/exit-codes.ts';
import { closedRun, lostRun, sweepRun } from './journal-fixture.ts';

const crossed = closedRun([{ that: 'requests > 1000', abort: false, afterUs: 0 }]);
const few = closedRun([{ that: 'p(99) < 1m', abort: false, afterUs: 0 }]);
const enough = closedRun([{ that: 'p(90) < 1m', abort: false, afterUs: 0 }]);
const gap = (record: JournalRecord) => !(record.type === 'interval' && record.seq === 1);
const busy = closedRun().map((record) =>
  record.type === 'shard-done' ? { ...record, cpuSeconds: 2.34 } : record,
);
const failed = closedRun().map(
  (record): JournalRecord =>
    record.type === 'run-ended' ? { ...record, state: 'failed', reason: 'no workers' } : record,
);
const aborted = closedRun().map(
  (record): JournalRecord => (record.type === 'trial-ended' ? { ...record, state: 'aborted' } : record),
);

describe('what a report means to a script', () => {
  const rows: [why: string, records: JournalRecord[], code: number, strict?: boolean][] = [
    ['all went well', closedRun(), ExitCode.good],
    ['a lost worker whose ledger balances', lostRun(), ExitCode.good],
    ['the run failed', failed, ExitCode.runFailed],
    ['no trial completed', aborted, ExitCode.runFailed],
    ['the ledger does not balance', closedRun().filter(gap), ExitCode.notValid],
    ['an unbalanced ledger outranks a crossed threshold', crossed.filter(gap), ExitCode.notValid],
    ['a threshold was crossed', crossed, ExitCode.thresholdCrossed],
    ['one trial of many did not finish, and crossed its threshold', sweepRun(), ExitCode.thresholdCrossed],
    ['a quantile passed on too few requests to know it', few, ExitCode.good],
    ['a quantile passed on too few requests, and that matters', few, ExitCode.notValid, true],
    ['a quantile passed on requests enough, and that matters', enough, ExitCode.good, true],
    ['the generator was the limit', busy, ExitCode.good],
    ['the generator was the limit, and that matters', busy, ExitCode.notValid, true],
  ];
  for (const [why, records, code, strict] of rows) {
    test(why, async () => {
      assert.equal(exitCodeOfReport(await buildReport(records), { strict: strict ?? false }), code);
    });
  }
});
