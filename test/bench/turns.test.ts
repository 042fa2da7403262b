import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Contender, type Measured, requestRate } from './contender.ts';
import { ratiosOf, spreadOf, takeTurns } from './turns.ts';

const contender = (name: string): Contender => ({
  name,
  version: '1',
  run: () => Promise.reject(new Error('not asked')),
});
const measured = (requests: number): Measured => ({ requests, seconds: 1, failed: 0 });

describe('turns', () => {
  test('each turn of a peer lies between two of ours', async () => {
    const order: string[] = [];
    const turns = await takeTurns(
      contender('ours'),
      [contender('a'), contender('b')],
      2,
      async ({ name }) => {
        order.push(name);
        return measured(order.length);
      },
    );
    assert.equal(order.join(' '), 'ours a ours b ours a ours b ours');
    assert.equal(turns.ours.length, 5);
    assert.deepEqual(turns.peers[0]!.pairs, [
      { before: measured(1), peer: measured(2), after: measured(3) },
      { before: measured(5), peer: measured(6), after: measured(7) },
    ]);
  });

  test('a peer that fails says why and has no further turn; the others go on', async () => {
    const turns = await takeTurns(
      contender('ours'),
      [contender('a'), contender('b')],
      3,
      async ({ name }) => {
        if (name === 'a') throw new Error('a cannot do that');
        return measured(1);
      },
    );
    assert.deepEqual(
      turns.peers.map(({ failure, pairs }) => [failure, pairs.length]),
      [
        ['a cannot do that', 0],
        [undefined, 3],
      ],
    );
  });

  test('when ours fails, so does the bench', async () => {
    const run = (): Promise<Measured> => Promise.reject(new Error('broken'));
    await assert.rejects(takeTurns(contender('ours'), [contender('a')], 1, run), /broken/);
  });
});

test('a ratio is ours, the mean of before and after, over the peer’s', () => {
  const pairs = [
    { before: measured(10), peer: measured(10), after: measured(20) },
    { before: measured(10), peer: measured(20), after: measured(10) },
    { before: measured(40), peer: measured(10), after: measured(40) },
  ];
  assert.deepEqual(ratiosOf(pairs, requestRate), { median: 1.5, min: 0.5, max: 4 });
  assert.equal(
    ratiosOf(pairs, ({ cpuSeconds }) => cpuSeconds),
    undefined,
  );
});

test('the median of an even number of values lies between the middle two', () => {
  assert.deepEqual(spreadOf([4, 1, 3, 2]), { median: 2.5, min: 1, max: 4 });
  assert.equal(spreadOf([]), undefined);
});
