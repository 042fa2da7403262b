import assert from 'node:assert/strict';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { JournalWriter } from '../../coordinator/journal.ts';
import { readJournal } from '../../coordinator/journal-file.ts';
import type { JournalRecord } from '../../coordinator/journal-records.ts';
import { intervalOf } from '../support/intervals.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { Scope } from '../support/scope.ts';
import { makeSmallDisk, NO_SMALL_DISK } from '../support/small-disk.ts';

/** With a line break and letters of several bytes inside a value. */
function interval(seq: number, message = 'ökonomisch\n"cut" ✂'): JournalRecord {
  const error = { class: 'reset', message, atUs: seq } as const;
  return {
    type: 'interval',
    trial: 0,
    shard: 's',
    seq,
    interval: intervalOf(seq, [{ latencyUs: 1_000 * seq + 1 }, { latencyUs: 5, error }]),
  };
}

async function write(directory: string, records: readonly JournalRecord[]): Promise<void> {
  const writer = await JournalWriter.open(directory);
  await Promise.all(records.map((record) => writer.append(record)));
  await writer.close();
}

async function read(directory: string): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of readJournal(directory)) records.push(record);
  return records;
}

const fileIn = (directory: string): string => path.join(directory, 'journal.jsonl');

describe('the journal', () => {
  test('gives back what was appended, in order, over several openings', async (t) => {
    const directory = await temporaryDirectory(t);
    const records = Array.from({ length: 500 }, (_, seq) => interval(seq));
    await write(directory, records.slice(0, 300));
    await write(directory, records.slice(300));
    assert.deepEqual(await read(directory), records);
  });

  test('append resolves when the record is in the file', async (t) => {
    const directory = await temporaryDirectory(t);
    const writer = await JournalWriter.open(directory);
    for (let seq = 0; seq < 20; seq++) {
      await writer.append(interval(seq));
      assert.deepEqual((await read(directory)).length, seq + 1);
    }
    await writer.close();
  });

  test('a last line that was cut at any byte is passed over, and what is appended after it is read', async (t) => {
    const directory = await temporaryDirectory(t);
    const whole = [interval(0), interval(1)];
    const head = `${JSON.stringify(whole[0])}\n`;
    const line = Buffer.from(`${JSON.stringify(whole[1])}\n`);
    for (let cut = 0; cut <= line.length; cut++) {
      await writeFile(fileIn(directory), Buffer.concat([Buffer.from(head), line.subarray(0, cut)]));
      // A line without its end is whole all the same, when it was the last byte that was cut off.
      assert.equal((await read(directory)).length, cut >= line.length - 1 ? 2 : 1, `cut at ${cut}`);
      await write(directory, [interval(2)]);
      const seqs = (await read(directory)).map((record) => (record.type === 'interval' ? record.seq : -1));
      assert.deepEqual(seqs, cut === line.length ? [0, 1, 2] : [0, 2], `cut at ${cut}, then appended to`);
    }
  });

  test('a cut line longer than what is looked at in one go is taken away whole', async (t) => {
    const directory = await temporaryDirectory(t);
    await write(directory, [interval(0)]);
    await appendFile(fileIn(directory), `{"type":"interval","rest":"${'x'.repeat(200_000)}`);
    await write(directory, [interval(1)]);
    assert.equal((await read(directory)).length, 2);
    await writeFile(fileIn(directory), 'y'.repeat(70_000));
    await write(directory, [interval(1)]);
    assert.deepEqual(await read(directory), [interval(1)]);
  });

  test('damage in the middle is an error that names the line', async (t) => {
    const directory = await temporaryDirectory(t);
    await write(directory, [interval(0), interval(1), interval(2)]);
    const lines = (await readFile(fileIn(directory), 'utf8')).split('\n');
    for (const [line, damage] of [
      [0, ''],
      [1, '{"type":"interval",'],
      [1, 'null null'],
    ] as const) {
      const damaged = lines.with(line, damage === '' ? '\u0000\u0000' : damage).join('\n');
      await writeFile(fileIn(directory), damaged);
      await assert.rejects(read(directory), {
        code: 'JOURNAL_CORRUPT',
        message: new RegExp(`journal\\.jsonl:${line + 1}: .*damaged`),
      });
    }
  });

  test('a line that is JSON but no record is damage too', async (t) => {
    const directory = await temporaryDirectory(t);
    for (const line of ['null', '7', '"text"', '[]', '{}']) {
      await writeFile(fileIn(directory), `${line}\n${JSON.stringify(interval(0))}\n`);
      await assert.rejects(read(directory), { code: 'JOURNAL_CORRUPT', message: /journal\.jsonl:1: / }, line);
    }
  });

  test('a disk that was full: what is refused is refused for good, and what comes after it is kept', {
    skip: NO_SMALL_DISK,
  }, async (t) => {
    const scope = new Scope();
    t.after(() => scope.close());
    const directory = await temporaryDirectory(scope);
    await makeSmallDisk(scope, directory, 60);
    const writer = await JournalWriter.open(directory);
    await writer.append(interval(0));
    // More than there is room for; the second half is appended while the first is being written.
    const refused = [1, 2].map((seq) => writer.append(interval(seq, 'x'.repeat(10_000))));
    await Promise.resolve();
    await Promise.resolve();
    refused.push(writer.append(interval(3)));
    for (const one of refused)
      await assert.rejects(one, { code: 'RUN_FAILED', message: /cannot be written: ENOSPC/ });
    await rm(path.join(directory, 'taken'));
    await writer.append(interval(4));
    await writer.close();
    assert.deepEqual(await read(directory), [interval(0), interval(4)]);
  });

  test('none is an error of its own', async (t) => {
    const directory = await temporaryDirectory(t);
    await assert.rejects(read(directory), { code: 'RUN_NOT_FOUND', message: /there is no journal in/ });
    await assert.rejects(read(path.join(directory, 'nowhere')), { code: 'RUN_NOT_FOUND' });
  });

  test('one of another version is not read', async (t) => {
    const directory = await temporaryDirectory(t);
    await writeFile(fileIn(directory), '{"type":"run","version":99}\n');
    await assert.rejects(read(directory), {
      code: 'JOURNAL_CORRUPT',
      message: /version 99, this Broadside reads 1/,
    });
  });
});
