import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Comparison,
  compareTable,
  type Pair,
} from '../../../../coordinator/report/statistics/comparison.ts';

const RATE = { above: 'faster', below: 'slower' } as const;
const TIME = { above: 'slower', below: 'faster' } as const;

/** A baseline of 100 in every round. */
function against100(values: readonly number[]): Pair[] {
  return values.map((value) => [value, 100]);
}

const FASTER = against100([110, 112, 109, 111, 113]);
const SAME = against100([99, 101, 100, 102, 98]);

describe('the word', () => {
  const rows: [why: string, row: Pair[], direction: typeof RATE | typeof TIME, word: string | undefined][] = [
    ['a higher rate is faster', FASTER, RATE, 'faster'],
    ['a longer time is slower', FASTER, TIME, 'slower'],
    ['a lower rate is slower', against100([90, 91, 89, 90, 92]), RATE, 'slower'],
    ['rounds on both sides of 1 show nothing', SAME, RATE, 'no difference shown'],
    ['four rounds are no ground for a claim', FASTER.slice(0, 4), RATE, 'too few rounds'],
    ['one round is none either', FASTER.slice(0, 1), RATE, 'too few rounds'],
    ['no pair, no comparison', [], RATE, undefined],
    ['a 0 has no logarithm', against100([110, 112, 0, 111, 113]), RATE, undefined],
    ['neither does a ratio to 0', [[1, 0], ...FASTER], RATE, undefined],
    [
      'all the same as the baseline is no difference',
      against100([100, 100, 100, 100, 100]),
      RATE,
      'no difference shown',
    ],
    [
      'five times the very same ratio is the resolution of the measurement',
      against100([101, 101, 101, 101, 101]),
      RATE,
      'no difference shown',
    ],
    ['ten times it is no chance any more', against100(new Array(10).fill(101)), RATE, 'faster'],
    [
      'with ten rounds the sign-flip test has a say too: three against seven',
      against100([150, 148, 151, 149, 150, 152, 147, 60, 65, 62]),
      RATE,
      'no difference shown',
    ],
  ];
  for (const [why, row, direction, word] of rows) {
    test(why, () => assert.equal(compareTable([row], direction)[0]?.word, word));
  }
});

test('the numbers of one comparison, worked by hand', () => {
  // Log ratios ln 2 × (1, 2, 3, 4, 5): mean 3, s = √2.5, error = √0.5, t = 3 / √0.5 = 4.2426 with 4 degrees.
  const [one] = compareTable([[2, 4, 8, 16, 32].map((value): Pair => [value, 1])], RATE);
  const half = 2.7764451051977987 * Math.SQRT1_2;
  near(one!.ratio, 8);
  near(one!.ci95![0], 2 ** (3 - half));
  near(one!.ci95![1], 2 ** (3 + half));
  // Closed form for 4 degrees, with x = t / √(4 + t²): 1 − (3x − x³) / 2.
  const x = Math.sqrt(18 / 22);
  near(one!.p!, 1 - (3 * x - x ** 3) / 2);
  assert.deepEqual([one!.pairs, one!.signFlipP, one!.word], [5, 2 / 32, 'faster']);
  assert.equal(one!.adjustedP, one!.p);
});

test('the paired ratio has the drift taken out', () => {
  const drifting: Pair[] = [1, 2, 4, 8, 16].map((drift, i) => [drift * (110 + i / 10), drift * 100]);
  const [one] = compareTable([drifting], RATE);
  assert.ok(one!.ci95![0] > 1.099 && one!.ci95![1] < 1.105);
});

test('a p that suffices alone does not in a larger table', () => {
  const weak = against100([104, 101, 105, 100.5, 103]);
  assert.equal(compareTable([weak], RATE)[0]?.word, 'faster');
  const table = compareTable([weak, SAME, SAME, SAME], RATE);
  assert.equal(table[0]?.word, 'no difference shown');
  near(table[0]!.adjustedP!, 4 * table[0]!.p!);
});

test('rows with too few rounds, or none, do not make the table larger', () => {
  const table = compareTable([FASTER, FASTER.slice(0, 3), [], against100([0, 1, 1, 1, 1])], RATE);
  assert.equal(table[0]?.adjustedP, table[0]?.p);
});

describe('by property', () => {
  const value = fc.double({ min: 1, max: 1e6, noNaN: true });
  const pairs = fc.array(fc.tuple(value, value), { minLength: 5, maxLength: 12 });
  const scale = fc.double({ min: 1e-3, max: 1e3, noNaN: true });
  const one = (row: readonly Pair[]) => compareTable([row], RATE)[0]!;

  test('the unit does not matter', () => {
    fc.assert(
      fc.property(pairs, scale, (row, factor) => {
        same(one(row), one(row.map(([a, b]) => [a * factor, b * factor])));
      }),
    );
  });

  test('the speed of a round does not matter, if it is that of both', () => {
    fc.assert(
      fc.property(pairs, fc.array(scale, { minLength: 12, maxLength: 12 }), (row, drift) => {
        same(one(row), one(row.map(([a, b], i) => [a * drift[i]!, b * drift[i]!])));
      }),
    );
  });

  test('the order of the rounds does not matter', () => {
    fc.assert(
      fc.property(pairs, (row) => {
        same(one(row), one([...row].reverse()));
      }),
    );
  });

  test('the other way round, ratio and interval are turned over and the p-values stay', () => {
    fc.assert(
      fc.property(pairs, (row) => {
        const forth = one(row);
        const back = one(row.map(([a, b]) => [b, a]));
        const [low, high] = back.ci95!;
        same(forth, { ...back, ratio: 1 / back.ratio, ci95: [1 / high, 1 / low] });
      }),
    );
  });

  test('the interval holds the ratio, and a claimed difference has its interval beside 1', () => {
    fc.assert(
      fc.property(fc.array(pairs, { minLength: 1, maxLength: 6 }), (rows) => {
        for (const each of compareTable(rows, RATE)) {
          const { ratio, ci95, word } = each!;
          assert.ok(ci95![0] <= ratio * (1 + 1e-9) && ratio <= ci95![1] * (1 + 1e-9));
          if (word === 'faster') assert.ok(ci95![0] > 1);
          if (word === 'slower') assert.ok(ci95![1] < 1);
        }
      }),
    );
  });
});

/** The same numbers but for rounding. */
function same(a: Comparison, b: Comparison): void {
  near(a.ratio, b.ratio);
  near(a.ci95![0], b.ci95![0]);
  near(a.ci95![1], b.ci95![1]);
  near(a.p!, b.p!);
  near(a.signFlipP!, b.signFlipP!);
}

function near(a: number, b: number): void {
  assert.ok(Math.abs(a - b) <= 1e-5 * Math.max(Math.abs(a), Math.abs(b)), `${a} is not ${b}`);
}
