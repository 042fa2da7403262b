/** What becomes of a run whose coordinator is gone. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { DataDirectory } from '../../coordinator/data-directory.ts';
import { JournalWriter } from '../../coordinator/journal.ts';
import type { JournalRecord } from '../../coordinator/journal-records.ts';
import { fateOf } from '../../coordinator/orphan-fate.ts';
import type { RunStatus } from '../../coordinator/run-status.ts';
import { planTrials } from '../../shared/domain/plan-trials.ts';
import { redactForJournal } from '../../shared/domain/redact.ts';
import type { ScenarioSource } from '../../shared/domain/scenario.ts';
import { validateScenario } from '../../shared/domain/validate-scenario.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { runEnded, runRecord } from './report/journal-fixture.ts';

const ID = '20090214-233130-9f3c';
const SOURCE = {
  targets: { it: 'http://127.0.0.1:1' },
  request: { path: '/' },
  load: { executor: 'constant-connections', connections: 1, requests: 10 },
} as ScenarioSource;
const RUN = runRecord(planTrials(validateScenario(SOURCE, 'test')).map(redactForJournal), { id: ID });

function status(more: Partial<RunStatus>): RunStatus {
  return {
    ...{ id: ID, name: 'n', pools: ['default'], state: 'running', trials: 1, submittedUs: 1, owner: 1 },
    estimate: { trials: 1 } as RunStatus['estimate'],
    ...more,
  } as RunStatus;
}

describe('the fate of a run whose coordinator is gone', () => {
  for (const { sentence, of = {}, source, journal, expected } of [
    {
      sentence: 'of a lab for one run: nobody can go on with it',
      expected: /^failed: its coordinator ended before it did$/,
    },
    {
      sentence: 'queued, and its Redis has nothing of it: it has to be submitted again',
      of: { state: 'queued', stays: true },
      expected: /^failed: its place in the queue is gone: .*Redis.*; submit it again$/,
    },
    {
      sentence: 'running, and its Redis has nothing of it: what it has finished can be taken over',
      of: { stays: true },
      journal: [RUN],
      expected: new RegExp(`^failed: its coordinator ended .* place in the queue is gone.*--resume ${ID}`),
    },
    { sentence: 'queued: it begins', of: { state: 'queued' }, source: SOURCE, expected: /^queued$/ },
    {
      sentence: 'running by its state, and nothing is journaled: it begins',
      source: SOURCE,
      expected: /^queued$/,
    },
    { sentence: 'running: it goes on', source: SOURCE, journal: [RUN], expected: /^taken-up$/ },
    {
      sentence: 'its end is journaled: it has ended',
      source: SOURCE,
      journal: [RUN, runEnded()],
      expected: /^ended$/,
    },
    {
      sentence: 'its journal is no file: it has failed, and that is all',
      source: SOURCE,
      journal: 'a directory',
      expected: /^failed: its coordinator ended before it did; the journal .* cannot be read/,
    },
  ] as {
    sentence: string;
    of?: Partial<RunStatus>;
    source?: ScenarioSource;
    journal?: JournalRecord[] | 'a directory';
    expected: RegExp;
  }[])
    test(sentence, async (t) => {
      const data = await DataDirectory.open(await temporaryDirectory(t));
      await mkdir(data.run(ID));
      if (journal === 'a directory') await mkdir(path.join(data.run(ID), 'journal.jsonl'));
      else if (journal !== undefined) {
        const writer = await JournalWriter.open(data.run(ID));
        for (const record of journal) await writer.append(record);
        await writer.close();
      }
      const fate = await fateOf(status(of), source, data);
      assert.match('reason' in fate ? `${fate.is}: ${fate.reason}` : fate.is, expected);
    });
});
