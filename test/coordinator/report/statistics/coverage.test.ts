/** What the intervals and the words promise, held against runs whose truth is known. Seeded: the same every time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Comparison,
  compareTable,
  LEVEL,
} from '../../../../coordinator/report/statistics/comparison.ts';
import { noiseFloorOf } from '../../../../coordinator/report/statistics/noise-floor.ts';
import { spreadOf } from '../../../../coordinator/report/statistics/spread.ts';
import { type Draws, NOISES, type Noise, shareOf, simulateTable } from './simulation.ts';

const REPEATS = 2_000;
const ROUNDS = [5, 6, 7, 8, 10, 20];
const RATE = { above: 'faster', below: 'slower' } as const;

function compareOne(random: Draws, rounds: number, ratio: number, noise: Noise): Comparison {
  return compareTable(simulateTable(random, rounds, [ratio], noise), RATE)[0]!;
}

function holds(ci95: readonly [number, number] | undefined, truth: number): boolean {
  return ci95 !== undefined && ci95[0] <= truth && truth <= ci95[1];
}

/** Two standard errors above the level, for a share of so many repeats. */
function atMost(level: number, repeats: number): number {
  return level + 2 * Math.sqrt((level * (1 - level)) / repeats);
}

describe('the 95 % interval of a ratio, under a drift that both cells of a round share', () => {
  const rows: [noise: keyof typeof NOISES, rounds: number, least: number, most: number][] = [
    // Fewer than five: exact as long as the noise is log-normal, which three rounds cannot show.
    ['normal', 3, 0.93, 0.97],
    ['normal', 4, 0.93, 0.97],
    ...ROUNDS.map((rounds): [keyof typeof NOISES, number, number, number] => ['normal', rounds, 0.93, 0.97]),
    ...ROUNDS.map((rounds): [keyof typeof NOISES, number, number, number] => ['heavy', rounds, 0.93, 0.97]),
    // Too wide rather than too narrow: most of five differences are small, and a stall lies far out.
    ['stalls', 5, 0.95, 0.995],
    ['stalls', 10, 0.95, 0.995],
    ['stalls', 20, 0.95, 0.995],
  ];
  for (const [noise, rounds, least, most] of rows) {
    test(`holds the truth in ${least * 100} to ${most * 100} % of ${REPEATS} runs: ${noise}, ${rounds} rounds`, (t) => {
      const share = shareOf(REPEATS, 1, (random) =>
        holds(compareOne(random, rounds, 1.1, NOISES[noise]).ci95, 1.1),
      );
      t.diagnostic(`${(share * 100).toFixed(1)} %`);
      assert.ok(share >= least && share <= most, `${share}`);
    });
  }
});

describe('the 95 % interval of a cell over its rounds', () => {
  const cell = (random: Draws, rounds: number, noise: Noise) =>
    spreadOf(Array.from({ length: rounds }, () => 1000 * Math.exp(noise(random)))).ci95;

  for (const noise of ['normal', 'heavy'] as const) {
    for (const rounds of ROUNDS) {
      test(`holds the truth in 93 to 97.5 % of ${REPEATS} runs: ${noise}, ${rounds} rounds`, (t) => {
        const share = shareOf(REPEATS, 2, (random) => holds(cell(random, rounds, NOISES[noise]), 1000));
        t.diagnostic(`${(share * 100).toFixed(1)} %`);
        assert.ok(share >= 0.93 && share <= 0.975, `${share}`);
      });
    }
  }

  test('does not hold the mean where a tenth of the rounds stall: most runs of five see none, which is its limit', (t) => {
    // A stall takes 0.4 of the logarithm on average.
    const truth = 1000 * Math.exp(-0.04);
    const share = shareOf(REPEATS, 3, (random) => holds(cell(random, 5, NOISES.stalls), truth));
    t.diagnostic(`${(share * 100).toFixed(1)} %`);
    assert.ok(share < 0.6, `${share}`);
  });
});

describe('A/A: cells that do not differ', () => {
  for (const noise of Object.keys(NOISES) as (keyof typeof NOISES)[]) {
    test(`are called different in at most 5 % of runs: ${noise}`, (t) => {
      const shares = ROUNDS.map((rounds) =>
        shareOf(REPEATS, 4 + rounds, (random) => {
          const { word } = compareOne(random, rounds, 1, NOISES[noise]);
          return word !== 'no difference shown';
        }),
      );
      t.diagnostic(shares.map((share, i) => `${ROUNDS[i]} rounds: ${(share * 100).toFixed(1)} %`).join(', '));
      const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      assert.ok(mean <= LEVEL, `${mean} over all`);
      for (const share of shares) assert.ok(share <= atMost(LEVEL, REPEATS), `${share}`);
    });
  }

  for (const rounds of [5, 10]) {
    test(`a table of seven has any difference in at most 5 % of runs: ${rounds} rounds`, (t) => {
      const share = shareOf(REPEATS, 5, (random) =>
        compareTable(simulateTable(random, rounds, new Array(7).fill(1), NOISES.normal), RATE).some(
          (one) => one?.word !== 'no difference shown',
        ),
      );
      t.diagnostic(`${(share * 100).toFixed(1)} %`);
      assert.ok(share <= atMost(LEVEL, REPEATS), `${share}`);
    });
  }

  test('stay within 5 % beside cells that do differ', (t) => {
    const share = shareOf(REPEATS, 6, (random) =>
      compareTable(simulateTable(random, 6, [2, 0.5, 1, 1, 1], NOISES.normal), RATE)
        .slice(2)
        .some((one) => one?.word !== 'no difference shown'),
    );
    t.diagnostic(`${(share * 100).toFixed(1)} %`);
    assert.ok(share <= atMost(LEVEL, REPEATS), `${share}`);
  });
});

describe('a difference at the noise floor', () => {
  for (const rounds of [5, 10, 20]) {
    test(`is shown in about 80 % of runs: ${rounds} rounds`, (t) => {
      const floors: number[] = [];
      shareOf(501, 7, (random) => {
        const baseline = Array.from({ length: rounds }, () => Math.exp(NOISES.normal(random)));
        return floors.push(noiseFloorOf(baseline)!.ratio) > 0;
      });
      const typical = floors.sort((a, b) => a - b)[250]!;
      const share = shareOf(
        REPEATS,
        8,
        (random) => compareOne(random, rounds, typical, NOISES.normal).p! <= LEVEL,
      );
      t.diagnostic(`×${typical.toFixed(3)}: ${(share * 100).toFixed(1)} %`);
      assert.ok(share > 0.75 && share < 0.85, `${share}`);
    });
  }
});
