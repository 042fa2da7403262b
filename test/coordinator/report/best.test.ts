import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { markBest } from '../../../coordinator/report/best.ts';
import { spreadOf } from '../../../coordinator/report/statistics/spread.ts';
import type { Metric } from '../../../shared/domain/metric-name.ts';

const RATE: Metric = { name: 'requestRate' };
const TIME: Metric = { name: 'quantile', fraction: 0.5 };

/** Five rounds around a middle, all cells with the same drift and a noise of about 1 %. */
const NOISE = [0.99, 1.004, 1.01, 0.997, 1.001];
const around = (middle: number, turn = 0, rounds = 5): number[] =>
  Array.from({ length: rounds }, (_, i) => middle * NOISE[(i + turn) % 5]! * (1 + i / 10));

function marksOf(groups: number[][][], metric = RATE): (string | undefined)[][] {
  const competitors = groups.map((group) =>
    group.map((values) => ({
      cell: { cell: {}, ...(values.length > 0 && { metric: spreadOf(values) }) } as {
        cell: Record<string, never>;
        metric?: ReturnType<typeof spreadOf>;
        best?: 'alone' | 'tied';
      },
      values: new Map(values.map((value, i) => [i + 1, value])),
    })),
  );
  markBest(competitors, metric);
  return competitors.map((group) => group.map(({ cell }) => cell.best));
}

describe('what is marked as best', () => {
  const rows: [sentence: string, groups: number[][][], marks: (string | undefined)[][], metric?: Metric][] = [
    ['the highest rate', [[around(100), around(200, 1)]], [[undefined, 'alone']]],
    ['the shortest time', [[around(100), around(200, 1)]], [['alone', undefined]], TIME],
    ['nothing, where no difference is shown', [[around(100), around(100.5, 2)]], [[undefined, undefined]]],
    [
      'the two that cannot be told apart, above a third',
      [[around(100), around(200, 1), around(201, 3)]],
      [[undefined, 'tied', 'tied']],
    ],
    ['nothing of fewer than five rounds', [[around(100, 0, 4), around(200, 1, 4)]], [[undefined, undefined]]],
    [
      'nothing, where one of too few rounds is ahead',
      [[around(100), around(200, 1), around(300, 1, 4)]],
      [[undefined, undefined, undefined]],
    ],
    [
      'the best of those with rounds enough, where one of too few is behind',
      [[around(100), around(200, 1), around(150, 1, 4)]],
      [[undefined, 'alone', undefined]],
    ],
    [
      'the best beside one that did not finish',
      [[around(100), around(200, 1), []]],
      [[undefined, 'alone', undefined]],
    ],
    ['nothing, where nobody competes', [[around(200, 1), []]], [[undefined, undefined]]],
    [
      'each row its own',
      [
        [around(100), around(200, 1)],
        [around(300), around(200, 1)],
      ],
      [
        [undefined, 'alone'],
        ['alone', undefined],
      ],
    ],
    [
      'nothing, where a value is 0 and has no ratio',
      [[[0, 0, 0, 0, 0], around(1)]],
      [[undefined, undefined]],
    ],
  ];
  for (const [sentence, groups, marks, metric] of rows)
    test(sentence, () => assert.deepEqual(marksOf(groups, metric), marks));

  test('a lone best is rare in tables of cells that do not differ: in about 5 % of 400 at most', () => {
    let state = 12_345;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    // Sums of four are normal enough.
    const noise = () => 1 + (random() + random() + random() + random() - 2) / 50;
    const rounds = () => Array.from({ length: 6 }, () => 100 * noise());
    let marked = 0;
    for (let table = 0; table < 400; table++) {
      const marks = marksOf(Array.from({ length: 3 }, () => Array.from({ length: 3 }, rounds)));
      if (marks.flat().some((mark) => mark !== undefined)) marked++;
    }
    // Three standard errors above 5 %.
    assert.ok(marked <= 33, `${marked} of 400`);
  });
});
