/** However many threads read a journal, its report is the same, to the last byte. */
import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { JOURNAL_FILE, JournalWriter } from '../../../coordinator/journal.ts';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { FORMAT_NAMES } from '../../../coordinator/report/format-names.ts';
import { formatterFor, optionsFor } from '../../../coordinator/report/formats.ts';
import { reportFrom } from '../../../coordinator/report/read-in-threads.ts';
import { temporaryDirectory } from '../../support/lab.ts';
import { closedRun, lostRun, sweepRun } from './journal-fixture.ts';

async function written(
  t: Parameters<typeof temporaryDirectory>[0],
  records: JournalRecord[],
): Promise<string> {
  const directory = await temporaryDirectory(t);
  const writer = await JournalWriter.open(directory);
  for (const record of records) await writer.append(record);
  await writer.close();
  return directory;
}

describe('three threads say what one says of', () => {
  const rows: [that: string, records: JournalRecord[]][] = [
    ['a sweep', sweepRun()],
    ['one trial, which leaves two of them nothing', closedRun()],
    ['a run that lost a worker', lostRun()],
  ];
  for (const [that, records] of rows) {
    test(that, async (t) => {
      const directory = await written(t, records);
      const options = optionsFor('hlog');
      const [one, three] = [await reportFrom(directory, options, 1), await reportFrom(directory, options, 3)];
      for (const format of FORMAT_NAMES) {
        assert.equal(formatterFor(format)(three), formatterFor(format)(one), format);
      }
    });
  }
});

test('of several faults they tell the first one', async (t) => {
  const directory = await written(t, sweepRun());
  const lines = (await readFile(path.join(directory, JOURNAL_FILE), 'utf8')).trimEnd().split('\n').length;
  await appendFile(
    path.join(directory, JOURNAL_FILE),
    '{"type":"trial-ended","trial":2}\n{"type":"trial-ended","trial":1}\n',
  );
  const place = new RegExp(`:${lines + 1}: .*trial-ended.state`);
  for (const most of [1, 3]) await assert.rejects(reportFrom(directory, {}, most), { message: place });
});
