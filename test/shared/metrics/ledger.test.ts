import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { emptyCounts, type ShardTotals } from '../../../shared/metrics/interval.ts';
import { mergeLedgers, type ShardAccount, shardLedger } from '../../../shared/metrics/ledger.ts';
import type { ShardArrivals } from '../../../shared/metrics/timeline.ts';

function arrived(
  counts: Partial<ShardArrivals['counts']>,
  intervals = 2,
  lastSeq = intervals - 1,
): ShardArrivals {
  return { intervals, lastSeq, lastSecond: lastSeq, inFlight: 0, counts: { ...emptyCounts(), ...counts } };
}

function totals(more: Partial<ShardTotals>): ShardTotals {
  return { started: 0, completed: 0, failed: 0, dropped: 0, inFlight: 0, ...more };
}

/** A shard of 100 planned requests for which everything is in order. */
const healthy: ShardAccount = {
  label: "w1's shard",
  planned: 100,
  arrived: arrived({ started: 96, completed: 90, failed: 5, dropped: 4 }),
  done: {
    intervals: 2,
    totals: totals({ planned: 100, started: 96, completed: 90, failed: 5, dropped: 4, inFlight: 1 }),
  },
  lost: false,
};

describe('a shard that gave its account', () => {
  test('balances when its intervals and its totals agree', () => {
    assert.deepEqual(shardLedger(healthy), {
      planned: 100,
      started: 96,
      completed: 90,
      failed: 5,
      inFlight: 1,
      dropped: 4,
      lost: 0,
      balanced: true,
      problems: [],
    });
  });

  const { done } = healthy;
  const rows: [why: string, account: Partial<ShardAccount>, problem: RegExp][] = [
    ['an interval is missing', { done: { ...done!, intervals: 3 } }, /2 of its 3 intervals arrived/],
    ['no interval came at all', { arrived: undefined }, /0 of its 2 intervals arrived/],
    [
      'its own total differs',
      { done: { intervals: 2, totals: { ...done!.totals, completed: 91 } } },
      /intervals sum to 90 completed, its own total is 91/,
    ],
    [
      'a request vanished',
      { done: { intervals: 2, totals: { ...done!.totals, inFlight: 0 } } },
      /started 96 ≠ completed 90 \+ failed 5 \+ in flight 0 \+ lost 0/,
    ],
    [
      'not all that was planned was started or dropped',
      { planned: 101 },
      /planned 101 ≠ started 96 \+ dropped 4/,
    ],
    [
      'it was given another number than it says',
      { planned: 101 },
      /was given 101 requests and says it was given 100/,
    ],
  ];
  for (const [why, change, problem] of rows) {
    test(`does not balance: ${why}`, () => {
      const ledger = shardLedger({ ...healthy, ...change });
      assert.equal(ledger.balanced, false);
      assert.match(ledger.problems.join('\n'), problem);
      assert.match(ledger.problems[0]!, /^w1's shard: /);
    });
  }

  test('that its worker was lost afterwards, or came back, does not matter', () => {
    assert.deepEqual(shardLedger({ ...healthy, lost: true }), shardLedger(healthy));
  });
});

describe('a shard whose worker was lost', () => {
  const rows: [why: string, account: Partial<ShardAccount>, expected: object][] = [
    [
      'what it had not finished is lost, what it had not started is dropped',
      {},
      {
        planned: 100,
        started: 96,
        completed: 90,
        failed: 5,
        inFlight: 0,
        dropped: 4,
        lost: 1,
        balanced: true,
      },
    ],
    [
      'nothing arrived: everything was dropped',
      { arrived: undefined },
      {
        planned: 100,
        started: 0,
        completed: 0,
        failed: 0,
        inFlight: 0,
        dropped: 100,
        lost: 0,
        balanced: true,
      },
    ],
    [
      'nothing was promised: nothing is dropped',
      { planned: undefined, arrived: arrived({ started: 7, completed: 3 }) },
      { started: 7, completed: 3, failed: 0, inFlight: 0, dropped: 0, lost: 4, balanced: true },
    ],
    [
      'an interval is missing in between, and that is said',
      { arrived: arrived({ started: 96, completed: 90, failed: 5 }, 2, 2) },
      {
        planned: 100,
        started: 96,
        completed: 90,
        failed: 5,
        inFlight: 0,
        dropped: 4,
        lost: 1,
        balanced: false,
      },
    ],
    [
      'more finished than started: a start is missing',
      { planned: undefined, arrived: arrived({ started: 3, completed: 4 }) },
      { started: 3, completed: 4, failed: 0, inFlight: 0, dropped: 0, lost: 0, balanced: false },
    ],
  ];
  for (const [why, change, expected] of rows) {
    test(why, () => {
      const { problems, ...ledger } = shardLedger({ ...healthy, done: undefined, lost: true, ...change });
      assert.deepEqual(ledger, expected);
      assert.equal(problems.length === 0, ledger.balanced);
    });
  }

  test('one that never gave an account and was not reported lost does not balance', () => {
    const ledger = shardLedger({ ...healthy, done: undefined });
    assert.equal(ledger.balanced, false);
    assert.match(ledger.problems[0]!, /never said how it ended/);
  });
});

describe('merged', () => {
  test('the shards must sum to what the trial promises', () => {
    const shard = shardLedger(healthy);
    assert.equal(mergeLedgers([shard, shard], 200).balanced, true);
    const short = mergeLedgers([shard, shard], 201);
    assert.equal(short.balanced, false);
    assert.match(short.problems[0]!, /promises 201 requests, its shards together 200/);
  });

  test('a shard that does not balance makes the trial unbalanced, with the same sentence', () => {
    const broken = shardLedger({ ...healthy, planned: 101 });
    const merged = mergeLedgers([shardLedger(healthy), broken], 201);
    assert.equal(merged.balanced, false);
    assert.deepEqual(merged.problems, broken.problems);
  });

  test('no shards: everything promised is missing', () => {
    assert.equal(mergeLedgers([], 10).balanced, false);
    assert.equal(mergeLedgers([], undefined).balanced, true);
  });

  test('shards that balance merge into a ledger that balances, lost ones too', () => {
    const count = fc.nat({ max: 1000 });
    const account = fc.record({
      completed: count,
      failed: count,
      open: count,
      dropped: count,
      lost: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(account, { maxLength: 6 }), (accounts) => {
        const shards = accounts.map(({ completed, failed, open, dropped, lost }, i) => {
          const started = completed + failed + open;
          const planned = started + dropped;
          return shardLedger({
            label: `s${i}`,
            planned,
            arrived: arrived({ started, completed, failed, dropped: lost ? 0 : dropped }),
            ...(lost
              ? {}
              : {
                  done: {
                    intervals: 2,
                    totals: totals({ planned, started, completed, failed, dropped, inFlight: open }),
                  },
                }),
            lost,
          });
        });
        const promised = shards.reduce((sum, { planned }) => sum + planned!, 0);
        const merged = mergeLedgers(shards, promised);
        assert.deepEqual(merged.problems, []);
        assert.equal(merged.planned, merged.started + merged.dropped);
        assert.equal(merged.started, merged.completed + merged.failed + merged.inFlight + merged.lost);
      }),
    );
  });
});
