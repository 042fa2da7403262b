/** Journals of another version, and damaged ones: one error that says what, where and what to do. */
import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { problemOf } from '../../coordinator/journal-check.ts';
import { readJournal } from '../../coordinator/journal-file.ts';
import type { JournalRecord } from '../../coordinator/journal-records.ts';
import { buildReport } from '../../coordinator/report/model.ts';
import { BroadsideError } from '../../shared/errors.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { closedRun, lostRun, sweepRun } from './report/journal-fixture.ts';

type Fields = Record<string, unknown>;

const withInterval = (record: Fields, change: Fields): Fields => ({
  ...record,
  interval: { ...(record.interval as Fields), ...change },
});

/** The line of the first record of that type, and how it is damaged. */
const rows: [
  why: string,
  type: JournalRecord['type'],
  damage: (record: Fields) => unknown,
  message: RegExp,
][] = [
  [
    'a run from before cells were journaled',
    'run',
    ({ cells: _, ...rest }) => rest,
    /run\.cells: expected array/,
  ],
  [
    'a run from before orders had names',
    'run',
    (record) => ({ ...record, order: 'shuffled' }),
    /run\.order: expected object/,
  ],
  [
    'a run from before a trial had requests',
    'run',
    (record) => ({ ...record, trials: [{ ...(record.trials as Fields[])[0], requests: undefined }] }),
    /run\.trials\[0\]\.requests: expected array/,
  ],
  [
    'a run of one report table',
    'run',
    (record) => ({ ...record, report: {} }),
    /run\.report: expected array/,
  ],
  [
    'a run of a later version',
    'run',
    (record) => ({ ...record, version: 2 }),
    /version 2, this Broadside reads 1/,
  ],
  [
    'a record of a type that does not exist',
    'trial-ended',
    (record) => ({ ...record, type: 'trial-over' }),
    /no record of type "trial-over"/,
  ],
  [
    'a record without a type',
    'trial-started',
    ({ type: _, ...rest }) => rest,
    /no record, which is an object with a type/,
  ],
  ['a record that is a number', 'trial-started', () => 17, /no record, which is an object with a type/],
  [
    'a start without shards',
    'trial-started',
    (record) => ({ ...record, shards: null }),
    /trial-started\.shards: expected array/,
  ],
  [
    'an interval without counts',
    'interval',
    (record) => withInterval(record, { started: undefined }),
    /interval\.interval\.started: expected a number/,
  ],
  [
    'an interval whose status codes are a list',
    'interval',
    (record) => withInterval(record, { status: [200] }),
    /interval\.interval\.status: expected an object/,
  ],
  [
    'an interval without phases',
    'interval',
    (record) => withInterval(record, { phases: undefined }),
    /interval\.interval\.phases: expected an object/,
  ],
  [
    'a histogram that is a text alone',
    'interval',
    (record) => withInterval(record, { phases: { latency: 'HIST' } }),
    /phases\.latency: expected an object/,
  ],
  [
    'a histogram whose bytes are damaged',
    'interval',
    (record) =>
      withInterval(record, {
        phases: { latency: { count: 1, min: 1, max: 1, sum: 1, v2: 'AAAAAAAAAAAAAAAA' } },
      }),
    /histogram cannot be read: no V2 cookie/,
  ],
  [
    'an interval of no shard',
    'interval',
    ({ shard: _, ...rest }) => rest,
    /interval\.shard: expected a string/,
  ],
  [
    'an interval of a second that is none',
    'interval',
    (record) => withInterval(record, { second: 0.5 }),
    /whole numbers from 0/,
  ],
  [
    'an interval of a trial that the run does not have',
    'interval',
    (record) => ({ ...record, trial: 9 }),
    /names trial 9/,
  ],
  [
    'an end without totals',
    'shard-done',
    ({ totals: _, ...rest }) => rest,
    /shard-done\.totals: expected object/,
  ],
  [
    'an end of a trial in a state that does not exist',
    'trial-ended',
    (record) => ({ ...record, state: 'tired' }),
    /trial-ended\.state: /,
  ],
  [
    'an end of the run without a time',
    'run-ended',
    ({ endedUs: _, ...rest }) => rest,
    /run-ended\.endedUs: expected number/,
  ],
];

describe('a journal with', () => {
  for (const [why, type, damage, message] of rows) {
    test(`${why} is one error, with its line`, async (t) => {
      const file = path.join(await temporaryDirectory(t), 'journal.jsonl');
      const records = closedRun();
      const line = records.findIndex((record) => record.type === type);
      const lines = records.map((record, i) => JSON.stringify(i === line ? damage({ ...record }) : record));
      await writeFile(file, `${lines.join('\n')}\n`);
      await assert.rejects(buildReport(readJournal(path.dirname(file))), (error) => {
        assert.ok(error instanceof BroadsideError, String(error));
        assert.equal(error.code, 'JOURNAL_CORRUPT');
        assert.ok(error.message.startsWith(`${file}:${line + 1}: `), error.message);
        assert.match(error.message, message);
        assert.match(error.hint ?? '', /version|Broadside/);
        return true;
      });
    });
  }
});

test('nothing is wrong with what is written today', () => {
  for (const record of [closedRun(), lostRun(), sweepRun()].flat()) {
    assert.equal(problemOf(JSON.parse(JSON.stringify(record))), undefined);
  }
});

test('only a line feed ends a record: names may hold what others take for the end of a line', async (t) => {
  const directory = await temporaryDirectory(t);
  const records = closedRun().map((record) =>
    record.type === 'run' ? { ...record, name: 'a\u2028b\u2029c\u0085d' } : record,
  );
  for (const end of ['\n', '\r\n']) {
    const file = path.join(directory, 'journal.jsonl');
    await writeFile(file, '');
    for (const record of records) await appendFile(file, JSON.stringify(record) + end);
    const { run } = await buildReport(readJournal(directory));
    assert.equal(run.name, 'a\u2028b\u2029c\u0085d');
  }
});
