/** What a coordinator that comes back makes of the journal of the one before it. */
import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import {
  abandonedShards,
  type InterruptedRun,
  rebuildRun,
  whyNotTakenUp,
} from '../../coordinator/interrupted-run.ts';
import { readJournal } from '../../coordinator/journal-file.ts';
import type { JournalRecord } from '../../coordinator/journal-records.ts';
import { planTrials } from '../../shared/domain/plan-trials.ts';
import { redactForJournal } from '../../shared/domain/redact.ts';
import type { ScenarioSource } from '../../shared/domain/scenario.ts';
import { validateScenario } from '../../shared/domain/validate-scenario.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { CLOSED, runEnded, runRecord, START_US, trialPlan, trialRecords } from './report/journal-fixture.ts';

const SECOND = [{ latencyUs: 1_000, bytes: 10, status: 200 }];
const STORY = { connections: 1, seconds: [SECOND, SECOND, SECOND] };
const PLANS = [0, 1, 2].map((index) => trialPlan(index, CLOSED));
/** Of three trials of two shards each. */
const WHOLE: JournalRecord[] = [
  runRecord(PLANS),
  { type: 'preflight', findings: [] },
  ...PLANS.flatMap((plan) =>
    trialRecords(plan, [
      { worker: 'w1', ...STORY },
      { worker: 'w2', ...STORY },
    ]),
  ),
  runEnded(),
];

/** As the tests below look at it. */
function told(rebuilt: InterruptedRun | undefined) {
  if (rebuilt === undefined) return undefined;
  const { outcomes, begun, looked, returns, ended, arrived } = rebuilt;
  return {
    outcomes: [...outcomes].map(([trial, { state }]) => `${trial} ${state}`),
    begun: begun?.trial,
    looked,
    returns,
    ended: ended?.state,
    arrived: [...arrived]
      .map(([shard, { seqs, once }]) => {
        const numbers = [0, 1, 2].filter((seq) => seqs.has(seq));
        return [shard, ...numbers, ...once].join(' ');
      })
      .sort(),
  };
}

/** All of the journal up to that record, and it. */
function upTo(wanted: (record: JournalRecord) => boolean): JournalRecord[] {
  return WHOLE.slice(0, WHOLE.findIndex(wanted) + 1);
}

describe('a run is rebuilt from its journal', () => {
  const FIRST = ['r1/0/0 0 1 2 done', 'r1/0/1 0 1 2 done'];
  for (const { sentence, records, expected } of [
    { sentence: 'an empty journal: nothing has begun', records: [], expected: undefined },
    {
      sentence: 'the run alone: all its trials are to be run',
      records: WHOLE.slice(0, 1),
      expected: { outcomes: [], begun: undefined, looked: false, returns: 0, ended: undefined, arrived: [] },
    },
    {
      sentence: 'preflight that found what is in the way: it is looked once more',
      records: [
        runRecord(PLANS),
        {
          type: 'preflight',
          findings: [{ worker: 'w1', check: 'file-descriptors', level: 'error', message: 'too few' }],
        } satisfies JournalRecord,
      ],
      expected: { outcomes: [], begun: undefined, looked: false, returns: 0, ended: undefined, arrived: [] },
    },
    {
      sentence: 'a trial that has started: it is under way, and nothing of it has come',
      records: upTo(({ type }) => type === 'trial-started'),
      expected: { outcomes: [], begun: 0, looked: true, returns: 0, ended: undefined, arrived: [] },
    },
    {
      sentence:
        'in the middle of the second trial: the first has ended, and some intervals of the second are here',
      records: upTo((record) => record.type === 'interval' && record.trial === 1 && record.seq === 1),
      expected: {
        outcomes: ['0 completed'],
        begun: 1,
        looked: true,
        returns: 0,
        ended: undefined,
        arrived: [...FIRST, 'r1/1/0 0 1', 'r1/1/1 0'],
      },
    },
    {
      sentence: 'between two trials: none is under way',
      records: upTo((record) => record.type === 'trial-ended' && record.trial === 0),
      expected: {
        outcomes: ['0 completed'],
        begun: undefined,
        looked: true,
        returns: 0,
        ended: undefined,
        arrived: FIRST,
      },
    },
    {
      sentence: 'a coordinator has come back before, and its trial is under way still',
      records: [
        ...upTo(({ type }) => type === 'trial-started'),
        { type: 'coordinator-returned', awayFromUs: START_US, returnedUs: START_US + 1, during: 0 } as const,
      ],
      expected: { outcomes: [], begun: 0, looked: true, returns: 1, ended: undefined, arrived: [] },
    },
  ])
    test(sentence, async () => assert.deepEqual(told(await rebuildRun(records)), expected));

  test('the whole journal: the run has ended', async () => {
    const { outcomes, begun, ended } = told(await rebuildRun(WHOLE))!;
    assert.deepEqual([outcomes.length, begun, ended], [3, undefined, 'completed']);
  });
});

describe('which shards no trial counts any more', () => {
  const returned = { type: 'coordinator-returned', awayFromUs: START_US, returnedUs: START_US + 1 } as const;
  const begunAnew = upTo(({ type }) => type === 'trial-started').map((record) =>
    record.type === 'trial-started'
      ? { ...record, shards: record.shards.map((shard) => ({ ...shard, shard: `${shard.shard}.1` })) }
      : record,
  );
  for (const { sentence, records, abandoned, counted } of [
    {
      sentence: 'none has begun: whatever was dispatched, but not what will be',
      records: WHOLE.slice(0, 2),
      abandoned: ['r1/0/0', 'r1/0/1', 'r1/2/0'],
      counted: ['r1/0/0.1', 'r1/2/0.1'],
    },
    {
      sentence: 'a coordinator had come back before: what that one had dispatched, too',
      records: [...WHOLE.slice(0, 2), returned],
      abandoned: ['r1/0/0', 'r1/0/0.1'],
      counted: ['r1/0/0.2'],
    },
    {
      sentence: 'a trial that goes on counts its own',
      records: upTo(({ type }) => type === 'trial-started'),
      abandoned: ['r1/1/0'],
      counted: ['r1/0/0', 'r1/0/1', 'r1/1/0.1'],
    },
    {
      sentence: 'a trial that was begun anew, and goes on: not those of its first beginning',
      records: [...begunAnew, returned],
      abandoned: ['r1/0/0', 'r1/0/1'],
      counted: ['r1/0/0.1', 'r1/0/1.1'],
    },
    {
      sentence: 'a trial that has ended counts what comes late',
      records: upTo((record) => record.type === 'trial-ended' && record.trial === 0),
      abandoned: ['r1/1/0'],
      counted: ['r1/0/0'],
    },
  ])
    test(sentence, async () => {
      const isAbandoned = abandonedShards((await rebuildRun(records))!);
      assert.deepEqual([...abandoned, ...counted].filter(isAbandoned), abandoned);
    });
});

async function journalOf(t: TestContext, text: string): Promise<string> {
  const directory = await temporaryDirectory(t);
  await writeFile(path.join(directory, 'journal.jsonl'), text);
  return directory;
}

test('a journal that is cut at any byte is rebuilt as the records that are whole in it', async (t) => {
  const lines = WHOLE.map((record) => `${JSON.stringify(record)}\n`);
  const text = lines.join('');
  const directory = await journalOf(t, '');
  const file = path.join(directory, 'journal.jsonl');
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length), async (cut) => {
      await writeFile(file, '');
      await appendFile(file, text.slice(0, cut));
      let whole = 0;
      // A last line without its newline is whole when nothing else is missing.
      for (let length = 0; whole < lines.length; whole++) {
        length += lines[whole]!.length;
        if (length - 1 > cut) break;
      }
      assert.deepEqual(
        told(await rebuildRun(readJournal(directory))),
        told(await rebuildRun(WHOLE.slice(0, whole))),
      );
    }),
    { numRuns: 100 },
  );
});

describe('whether a run goes on', () => {
  const SOURCE: ScenarioSource = {
    targets: { it: 'http://127.0.0.1:1' },
    load: { executor: 'constant-connections', connections: 1, requests: 10 },
    rounds: 2,
  };
  const begunAs = (source: ScenarioSource, resumed?: { run: string; trials: number[] }) =>
    rebuildRun([
      runRecord(
        planTrials(validateScenario(source, 'then')).map(redactForJournal),
        resumed === undefined ? {} : { resumed },
      ),
    ]);
  const search = { over: 'connections', from: 1, to: 64, until: 'errors < 1%' };
  for (const { sentence, source, before = source, resumed, expected } of [
    { sentence: 'an ordinary run does', source: SOURCE, expected: undefined },
    {
      sentence:
        'one with a secret in a header does: the journal has it redacted, and so is what it is held against',
      source: { ...SOURCE, request: { headers: { authorization: 'Bearer sesame' } } },
      expected: undefined,
    },
    {
      sentence: 'one with hooks does not',
      source: { ...SOURCE, hooks: { beforeTrial: 'true' } },
      expected: /hooks/,
    },
    {
      sentence: 'a search does not',
      source: {
        targets: SOURCE.targets,
        load: { executor: 'constant-connections', duration: '1s', search },
      },
      before: SOURCE,
      expected: /search/,
    },
    {
      sentence: 'one whose trials are others by now does not',
      source: SOURCE,
      before: { ...SOURCE, rounds: 3 },
      expected: /plans other trials/,
    },
    {
      sentence: 'one that was about to take over the trials of another does not',
      source: SOURCE,
      resumed: { run: 'r0', trials: [0] },
      expected: /not yet taken over all of run r0/,
    },
  ] as {
    sentence: string;
    source: ScenarioSource;
    before?: ScenarioSource;
    resumed?: { run: string; trials: number[] };
    expected: RegExp | undefined;
  }[])
    test(sentence, async () => {
      const why = whyNotTakenUp(validateScenario(source, 'now'), (await begunAs(before, resumed))!);
      if (expected === undefined) assert.equal(why, undefined);
      else assert.match(why!, expected);
    });
});
