/** Reports of runs whose records came late: each trial is closed at its last record, wherever that is. */
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JournalWriter } from '../../../coordinator/journal.ts';
import { readJournal } from '../../../coordinator/journal-file.ts';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { temporaryDirectory } from '../../support/lab.ts';
import { closedRun, lostRun, sweepRun } from './journal-fixture.ts';

const RUNS: [name: string, records: JournalRecord[]][] = [
  ['a run of one trial', closedRun()],
  ['a run whose worker was lost', lostRun()],
  ['a sweep of twenty trials', sweepRun()],
];

/** What a worker tells; it may come at any time after the trial was started, also after the run. */
const mayBeLate = ({ type }: JournalRecord): boolean => type === 'interval' || type === 'shard-done';

/** The same records, those at `late` behind all others. */
function withLate(records: JournalRecord[], late: ReadonlySet<number>): JournalRecord[] {
  const isLate = (_: JournalRecord, i: number): boolean => late.has(i);
  return [...records.filter((record, i) => !isLate(record, i)), ...records.filter(isLate)];
}

/** Some of the records that may be late, and some of them a second time. */
function lateParts(records: JournalRecord[]) {
  const places = records.flatMap((record, i) => (mayBeLate(record) ? [i] : []));
  return fc.tuple(fc.subarray(places), fc.subarray(places, { maxLength: 5 }));
}

for (const [name, records] of RUNS) {
  describe(name, () => {
    test('has the same report, whichever of its intervals and ends came after the end of all, or twice', async () => {
      const expected = await buildReport(records);
      await fc.assert(
        fc.asyncProperty(lateParts(records), async ([late, again]) => {
          const journal = [...withLate(records, new Set(late)), ...again.map((i) => records[i]!)];
          assert.deepEqual(await buildReport(journal), expected);
        }),
        { numRuns: 25 },
      );
    });

    test('has the same report from its file, and from a stream that can be read once only', async (t) => {
      const directory = await temporaryDirectory(t);
      const writer = await JournalWriter.open(directory);
      const late = withLate(
        records,
        new Set(records.flatMap((r, i) => (i % 3 === 0 && mayBeLate(r) ? [i] : []))),
      );
      for (const record of late) await writer.append(record);
      await writer.close();
      const expected = JSON.stringify(await buildReport(records));
      assert.equal(JSON.stringify(await buildReport(readJournal(directory))), expected);
      async function* once() {
        yield* late;
      }
      assert.equal(JSON.stringify(await buildReport(once())), expected);
    });
  });
}

describe('where the last record of a trial is', () => {
  const rows: [why: string, lines: string[], last: [trial: number, line: number][]][] = [
    ['of none when there is none', ['{"type":"run-ended"}'], []],
    [
      'whether it is named first or last',
      ['{"type":"interval","trial":3,"a":1}', '{"type":"x","trial":12}'],
      [
        [3, 1],
        [12, 2],
      ],
    ],
    ['behind a long record', [`{"type":"interval","interval":"${'x'.repeat(300)}","trial":7}`], [[7, 1]]],
    [
      'in the middle of a record',
      [`{"type":"x","a":"${'x'.repeat(99)}","trial":7,"b":"${'y'.repeat(99)}"}`],
      [[7, 1]],
    ],
    [
      'not of a trial that a record only speaks of',
      ['{"type":"x","inner":{"trial":5}}', '{"type":"y","text":"\\",\\"trial\\":6}"}'],
      [],
    ],
    [
      'the last of several, over empty lines',
      ['{"type":"x","trial":1}', '', '{"type":"x","trial":2}', '{"type":"x","trial":1}'],
      [
        [1, 4],
        [2, 3],
      ],
    ],
    ['over a line that is broken', ['{"type":"x","trial":1}', '{"type":"x","tri'], [[1, 1]]],
  ];
  for (const [why, lines, last] of rows) {
    test(why, async (t) => {
      const directory = await temporaryDirectory(t);
      await appendFile(path.join(directory, 'journal.jsonl'), `${lines.join('\n')}\n`);
      assert.deepEqual([...(await readJournal(directory).lastPositions())], last);
    });
  }
});
