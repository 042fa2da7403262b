import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import {
  CLOSED,
  closedRun,
  lostRun,
  runEnded,
  runRecord,
  START_US,
  samples,
  trialPlan,
  trialRecords,
} from './journal-fixture.ts';

const without = (records: JournalRecord[], type: JournalRecord['type']) =>
  records.filter((r) => r.type !== type);

/** `closedRun` with one record changed. */
function changed(change: (record: JournalRecord) => JournalRecord): JournalRecord[] {
  return closedRun().map((record) => change(structuredClone(record)));
}

describe('a run of two workers', () => {
  test('merges into one trial whose parts sum to the whole', async () => {
    const { run, trials } = await buildReport(closedRun());
    const trial = trials[0]!;
    assert.deepEqual(
      [run.id, run.state, run.startedAt, run.durationUs],
      ['r1', 'completed', '2026-01-01T00:00:00.000Z', 4_500_000],
    );
    assert.equal(trials.length, 1);
    assert.equal(trial.summary.requests, 297);
    assert.equal(trial.summary.durationUs, 2_345_678, 'the end of the slower shard, in whole µs');
    assert.equal(trial.summary.requestRate, (297 * 1e6) / 2_345_678);
    assert.equal(
      trial.timeline.reduce((sum, row) => sum + row.requests, 0),
      297,
    );
    assert.deepEqual(trial.summary.status, { 200: 282, 404: 15 });
    assert.equal(trial.ledger.balanced, true);
    assert.equal(
      trial.workers.reduce((sum, worker) => sum + worker.requests, 0),
      297,
    );
    assert.ok(Math.abs(trial.workers.reduce((sum, worker) => sum + worker.share, 0) - 1) < 1e-12);
    assert.deepEqual(
      trial.workers.map(({ name, clockOffsetUs, firstRequestUs }) => [name, clockOffsetUs, firstRequestUs]),
      [
        ['w1', 312, 210],
        ['w2', -48_200, 1_930],
      ],
    );
    assert.equal(trial.workers[0]?.cpu, (1.2 * 1e6) / 2_345_678.4);
    assert.deepEqual(trial.start, {
      firstRequestSpreadUs: 1_720,
      earliestUs: 210,
      latestUs: 1_930,
      clockUncertaintyUs: 170,
    });
    assert.deepEqual(trial.summary.errors.first, [
      { worker: 'w1', class: 'reset', message: 'read ECONNRESET after 120 bytes', atUs: 2_104_000 },
    ]);
  });

  test('reads the same from a stream', async () => {
    async function* stream() {
      yield* closedRun();
    }
    assert.deepEqual(await buildReport(stream()), await buildReport(closedRun()));
  });

  test('is the same whatever the order of its intervals, and however often they come', async () => {
    const records = closedRun();
    const intervals = records.filter((record) => record.type === 'interval');
    const expected = await buildReport(records);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(intervals, { minLength: intervals.length }),
        fc.subarray(intervals),
        async (order, repeated) => {
          // All that is needed before the intervals is the plan; all else may come first.
          const report = await buildReport([...without(records, 'interval'), ...order, ...repeated]);
          assert.deepEqual(report, expected);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('keeps the report free of bodies and headers', async () => {
    const records = changed((record) => {
      if (record.type !== 'run') return record;
      record.trials[0]!.requests[0]!.bodyBase64 = 'c2VjcmV0';
      record.trials[0]!.requests[0]!.headers = [['Authorization', 'secret']];
      return record;
    });
    const report = await buildReport(records);
    assert.doesNotMatch(JSON.stringify(report), /c2VjcmV0|Authorization/);
    assert.equal(report.trials[0]?.requests[0]?.sendsBody, true);
  });
});

describe('a lost worker', () => {
  test('is named, with what it lost, and the ledger still balances', async () => {
    const { trials } = await buildReport(lostRun());
    const { workers, ledger, summary, state } = trials[0]!;
    assert.deepEqual(workers[1]?.lost, { atUs: 2_400_000, reason: 'no heartbeat for 15 s' });
    assert.deepEqual([workers[1]?.cpu, workers[1]?.firstRequestUs], [undefined, undefined]);
    const { planned, started, completed, failed, inFlight, dropped, lost, balanced } = ledger;
    assert.deepEqual(
      { planned, started, completed, failed, inFlight, dropped, lost, balanced },
      {
        planned: 300,
        started: 246,
        completed: 243,
        failed: 0,
        inFlight: 1,
        dropped: 54,
        lost: 2,
        balanced: true,
      },
    );
    assert.deepEqual([summary.durationUs, state], [3_000_412, 'completed']);
    assert.equal(trials[0]?.start.firstRequestSpreadUs, undefined, 'one first request alone has no spread');
    assert.ok(summary.serviceTime !== undefined, 'an open loop has both latencies');
  });

  test('that came back and gave its account is not lost', async () => {
    const records = closedRun();
    const lost: JournalRecord = {
      type: 'worker-lost',
      trial: 0,
      shard: 'r1/0/1',
      worker: 'w2',
      atUs: 5,
      reason: 'gone',
    };
    const report = await buildReport([...records.slice(0, 3), lost, ...records.slice(3)]);
    assert.deepEqual(report, await buildReport(records));
  });

  test('when all are lost, the trial lasts to the end of the last interval, but not past its load', async () => {
    const open = without(lostRun(), 'shard-done').map(
      (record): JournalRecord =>
        record.type === 'trial-ended'
          ? { ...record, state: 'aborted', reason: 'all workers were lost' }
          : record,
    );
    const { trials } = await buildReport(open);
    assert.equal(trials[0]?.summary.durationUs, 3_000_000);
    assert.deepEqual([trials[0]?.state, trials[0]?.reason], ['aborted', 'all workers were lost']);
    const plan = trialPlan(0, { ...CLOSED, requests: 20 });
    const story = {
      worker: 'w1',
      connections: 3,
      planned: 20,
      seconds: [samples(10), samples(4)],
      lostAtUs: 1_500_000,
    };
    const closed = await buildReport([runRecord([plan]), ...trialRecords(plan, [story]), runEnded()]);
    assert.equal(closed.trials[0]?.summary.durationUs, 2_000_000);
  });
});

describe('the ledger speaks up', () => {
  const rows: [why: string, records: JournalRecord[], problem: RegExp][] = [
    [
      'when an interval never came',
      closedRun().filter(
        (record) => !(record.type === 'interval' && record.shard === 'r1/0/0' && record.seq === 1),
      ),
      /w1's shard: 2 of its 3 intervals arrived/,
    ],
    [
      'when a shard says another total',
      changed((record) => {
        if (record.type === 'shard-done' && record.shard === 'r1/0/1') record.totals.completed++;
        return record;
      }),
      /w2's shard: its intervals sum to 100 completed, its own total is 101/,
    ],
    [
      'when the shards do not sum to the plan',
      changed((record) => (record.type === 'trial-started' ? { ...record, planned: 301 } : record)),
      /the trial promises 301 requests, its shards together 300/,
    ],
    [
      'when a shard reports that was never dispatched',
      changed((record) =>
        record.type === 'interval' && record.shard === 'r1/0/1' ? { ...record, shard: 'r1/0/9' } : record,
      ),
      /shard r1\/0\/9 reported, but was never dispatched/,
    ],
    ['when a shard never gave its account', without(closedRun(), 'shard-done'), /never said how it ended/],
  ];
  for (const [why, records, problem] of rows) {
    test(why, async () => {
      const { ledger } = (await buildReport(records)).trials[0]!;
      assert.equal(ledger.balanced, false);
      assert.match(ledger.problems.join('\n'), problem);
    });
  }
});

describe('states', () => {
  const dnf = changed((record) =>
    record.type === 'trial-ended' ? { ...record, state: 'dnf', reason: 'w1 broke' } : record,
  );
  const failing = trialPlan(0, { ...CLOSED, requests: 4 });
  const failed = trialRecords(failing, [
    {
      worker: 'w1',
      connections: 3,
      planned: 4,
      seconds: [
        [...samples(1), ...samples(3, 0, 1, { error: { class: 'timeout', message: 'too slow', atUs: 9 } })],
      ],
    },
  ]);
  const rows: [why: string, records: JournalRecord[], state: string, reason: RegExp | undefined][] = [
    ['completed stays completed', closedRun(), 'completed', undefined],
    ['a trial that ended as dnf keeps its reason', dnf, 'dnf', /^w1 broke$/],
    [
      'one that mostly failed is dnf',
      [runRecord([failing]), ...failed, runEnded()],
      'dnf',
      /^75\.0 % of the requests failed/,
    ],
    [
      'one without an end is aborted',
      without(closedRun(), 'trial-ended'),
      'aborted',
      /the journal ends before the trial/,
    ],
  ];
  for (const [why, records, state, reason] of rows) {
    test(why, async () => {
      const trial = (await buildReport(records)).trials[0]!;
      assert.equal(trial.state, state);
      if (reason !== undefined) assert.match(trial.dnf?.reason ?? trial.reason ?? '', reason);
      if (state === 'dnf') assert.ok(trial.dnf!.firstErrors.length > 0);
    });
  }

  test('a journal that stops in the middle is a failed run, with what was measured', async () => {
    const { run, trials } = await buildReport(closedRun().slice(0, 4));
    assert.deepEqual([run.state, run.reason], ['failed', 'the journal ends before the run did']);
    assert.ok(trials[0]!.summary.requests > 0);
  });

  test('a run that ended before its first trial has none', async () => {
    const plan = trialPlan(0, CLOSED);
    const ended = runEnded({ state: 'cancelled', reason: 'cancelled', endedUs: START_US });
    const { run, trials, cells } = await buildReport([runRecord([plan]), ended]);
    assert.deepEqual([run.state, run.plannedTrials, trials, cells], ['cancelled', 1, [], []]);
  });
});

test('cells come in the sweep’s order, trials in the order in which they ran', async () => {
  const cells = [{ n: 1 }, { n: 2 }, { n: 3 }];
  const order = [3, 1, 2, 2, 3, 1];
  const plans = order.map((n, i) => trialPlan(i, CLOSED, { n }, i < 3 ? 1 : 2));
  const { trials, cells: described } = await buildReport([
    runRecord(plans, { cells, order: { name: 'shuffled', seed: 4 } }),
    ...plans.flatMap((plan) =>
      trialRecords(plan, [{ worker: 'w1', connections: 3, seconds: [samples(10)] }]),
    ),
    runEnded(),
  ]);
  assert.deepEqual(
    trials.map(({ cell }) => cell.n),
    order,
  );
  assert.deepEqual(
    described.map(({ cell, rounds }) => [cell.n, rounds]),
    [1, 2, 3].map((n) => [n, 2]),
  );
});

describe('thresholds', () => {
  const spec = (that: string) => ({ that, abort: false, afterUs: 0 });

  test('are held against the merged trial', async () => {
    const { thresholds } = await buildReport(
      closedRun([spec('requests == 297'), spec('errors < 1%'), spec('p(50) < 1ms')]),
    );
    assert.deepEqual(
      thresholds.map(({ expression, passed }) => [expression, passed]),
      [
        ['requests == 297', true],
        ['errors < 1%', false],
        ['p(50) < 1ms', false],
      ],
    );
    assert.deepEqual(thresholds[0], { expression: 'requests == 297', value: 297, passed: true });
  });
});

describe('a journal that cannot be read', () => {
  const plan = trialPlan(0, CLOSED);
  const rows: [why: string, records: JournalRecord[], message: RegExp][] = [
    ['is empty', [], /^record 0: the journal is empty/],
    ['does not begin with its run', closedRun().slice(1), /begins with a trial-started record/],
    [
      'names a trial that is not in the run',
      [runRecord([plan]), { type: 'trial-ended', trial: 4, state: 'dnf' }],
      /names trial 4/,
    ],
    ['is of a later version', [runRecord([plan], { version: 2 })], /has version 2/],
  ];
  for (const [why, records, message] of rows) {
    test(why, () => assert.rejects(buildReport(records), { code: 'JOURNAL_CORRUPT', message }));
  }
});
