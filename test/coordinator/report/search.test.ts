import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { formatterFor } from '../../../coordinator/report/formats.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import type { Report } from '../../../coordinator/report/schema.ts';
import { resultOf } from '../../../coordinator/report/search-result.ts';
import { answerText } from '../../../coordinator/report/search-text.ts';
import { nextStep, type SearchAnswer, type SearchSpec } from '../../../shared/domain/search.ts';
import {
  CLOSED,
  OPEN,
  runEnded,
  runRecord,
  type ShardStory,
  trialPlan,
  trialRecords,
} from './journal-fixture.ts';

const SPEC: SearchSpec = {
  maximize: 'requestRate',
  over: 'connections',
  from: 1,
  to: 8,
  step: 1,
  until: ['p(99) < 20ms', 'errors < 1%'],
  tolerance: 0.05,
};

/** A second of so many requests a connection, each of that latency. */
function storyOf(connections: number, latencyUs: number): ShardStory {
  const samples = Array.from({ length: connections * 400 }, () => ({ latencyUs, bytes: 100 }));
  return { worker: 'w1', connections, seconds: [samples], endUs: 1_000_000, cpuSeconds: 0.1 };
}

/** Up to `knee` connections 10 ms, with more of them 40 ms; the journal of a search among them. */
async function journalOf(knee: number, { ended = true } = {}): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [runRecord([], { searches: [{ cell: {}, spec: SPEC }] })];
  for (let index = 0; ; index++) {
    const { search = [], trials } = await buildReport(records);
    const results = trials.map((trial) => resultOf(SPEC, trial));
    assert.equal(search.length, 1);
    const step = nextStep(SPEC, results);
    if ('answer' in step) {
      if (ended) records.push({ type: 'search-answer', search: 0, answer: step.answer }, runEnded());
      return records;
    }
    const { next } = step;
    const round = 1 + results.filter(({ value }) => value === next).length;
    const plan = trialPlan(index, { ...CLOSED, connections: next }, { connections: next }, round);
    records.push({ type: 'search-trial', search: 0, plan });
    records.push(...trialRecords(plan, [storyOf(next, next > knee ? 40_000 : 10_000)]));
  }
}

const shown = (report: Report, format: string) => formatterFor(format)(report, {});

describe('a search in the report', () => {
  test('has its steps, its answer, and what it rests on', async () => {
    const report = await buildReport(await journalOf(5));
    const [search] = report.search!;
    assert.equal(report.run.plannedTrials, report.trials.length);
    assert.deepEqual(
      search!.steps.map(({ value, round, holds }) => [value, round, holds]),
      [
        [1, 1, true],
        [2, 1, true],
        [4, 1, true],
        [8, 1, false],
        [8, 2, false],
        [6, 1, false],
        [6, 2, false],
        [5, 1, true],
        [5, 2, true],
        [4, 2, true],
      ],
    );
    assert.equal(search!.steps[5]!.broke, 'p(99) < 20ms (40.000 ms)');
    assert.equal(
      search!.text,
      'best: 5 connections, 2000.00/s; 6 breaks p(99) < 20ms (40.000 ms) in 2 of 2 trials; 4 reach 1600.00/s, -20.0 %',
    );
    assert.deepEqual(search!.confidence, { level: 'high', why: ['the 6 trials that it rests on agree'] });
    assert.deepEqual(
      report.cells.map(({ cell, rounds }) => [cell.connections, rounds]),
      [
        [1, 1],
        [2, 1],
        [4, 2],
        [5, 2],
        [6, 2],
        [8, 2],
      ],
    );
  });

  for (const format of ['text', 'md', 'html']) {
    test(`is shown as ${format}`, async () => {
      const text = shown(await buildReport(await journalOf(5)), format).replace(/\s+/g, ' ');
      for (const part of ['5 connections, 2000.00/s', 'the 6 trials that it rests on agree', '10 of at most'])
        assert.ok(text.includes(part), part);
    });
  }

  test('whose run ended before says so', async () => {
    const [search] = (await buildReport(await journalOf(5, { ended: false }))).search!;
    assert.equal(search!.text, 'no answer: the run ended before the search did');
    assert.equal(search!.answer, undefined);
  });

  test('that the journal does not have is a damaged journal', async () => {
    const records: JournalRecord[] = [
      runRecord([]),
      { type: 'search-trial', search: 0, plan: trialPlan(0, CLOSED) },
    ];
    await assert.rejects(buildReport(records), /the journal names search 0, but its run has 0/);
  });

  test('of too few requests is less sure, of a busy generator not at all', async () => {
    const records = await journalOf(5);
    const few = records.map((record) =>
      record.type === 'run'
        ? { ...record, searches: [{ cell: {}, spec: { ...SPEC, until: ['p(99.99) < 20ms'] } }] }
        : record,
    );
    const [search] = (await buildReport(few)).search!;
    assert.equal(search!.confidence!.level, 'fair');
    assert.match(
      search!.confidence!.why[0]!,
      /^trials of 5 connections had 2000 requests, and a quantile takes \d+ /,
    );
    const busy = records.map((record) =>
      record.type === 'shard-done' ? { ...record, cpuSeconds: 1, threadLoads: [FULL] } : record,
    );
    assert.equal((await buildReport(busy)).search![0]!.confidence!.level, 'low');
  });
});

const FULL = { cpuUs: 1_000_000, waitUs: 0, lengthUs: 1_000_000, fullUs: 1_000_000 };

test('over a rate a trial holds only when every arrival was sent', async () => {
  const spec: SearchSpec = { ...SPEC, over: 'rate', from: 10, to: 100, step: 10, until: ['errors < 1%'] };
  for (const [dropped, broke] of [
    [0, undefined],
    [3, 'every arrival is sent (3 dropped)'],
  ] as const) {
    const plan = trialPlan(0, { ...OPEN, rate: 100 }, { rate: 100 });
    const records = [
      runRecord([plan]),
      ...trialRecords(plan, [{ ...storyOf(1, 10_000), dropped }]),
      runEnded(),
    ];
    const { trials } = await buildReport(records);
    assert.equal(resultOf(spec, trials[0]!).broke, broke);
  }
});

describe('an answer in words', () => {
  const best = { value: 8, trials: 2, held: 2, rate: 400 };
  const breaks = { value: 9, trials: 3, held: 1, rate: 410, broke: 'p(99) < 20ms (31.000 ms)' };
  const ROWS: [sentence: string, over: SearchSpec['over'], answer: SearchAnswer, text: string][] = [
    [
      'a rate',
      'rate',
      { end: 'found', best, breaks, trials: 9 },
      'best: 8/s, 400.00/s reached, held in 2 of 2 trials; 9 breaks p(99) < 20ms (31.000 ms) in 2 of 3 trials',
    ],
    [
      'more that bring no more',
      'connections',
      { end: 'found', best, noMore: { ...best, value: 16, rate: 404 }, trials: 9 },
      'best: 8 connections, 400.00/s; 16 bring no more (404.00/s, +1.0 %)',
    ],
    [
      'the end of the range',
      'connections',
      { end: 'open', best, trials: 9 },
      'best: 8 connections, 400.00/s; that is the end of the range: the knee may be higher',
    ],
    [
      'too much from the first',
      'connections',
      { end: 'none', breaks, trials: 3 },
      'no answer: even the lowest is too much; 9 breaks p(99) < 20ms (31.000 ms) in 2 of 3 trials',
    ],
    [
      'contradictions',
      'rate',
      { end: 'unfinished', best, breaks, trials: 30 },
      'no answer: trials contradict each other (30 of them); 8/s held in 2 of 2 trials; 9 breaks p(99) < 20ms (31.000 ms) in 2 of 3 trials',
    ],
    [
      'an end before the answer',
      'rate',
      { end: 'stopped', trials: 1, reason: 'worker w1 was lost' },
      'no answer, stopped after 1 trial: worker w1 was lost',
    ],
  ];
  for (const [sentence, over, answer, text] of ROWS)
    test(sentence, () => assert.equal(answerText({ over, from: 1, to: 64 }, answer), text));
});
