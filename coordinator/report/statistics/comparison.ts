/**
 * Cells against a baseline, round by round. Rounds are interleaved, so that both cells of a round met the same state
 * of the machines and the network: the ratio within a round has the drift taken out that each of the two has in it.
 *
 * What drifts within a round is no bias either, for every second round has its cells from the end: a target that still
 * warms up favours a cell in one round and its baseline in the next. With an odd number of rounds one round is left over,
 * and a drift that slows down favours the cells that come later in the first: that is what a warm-up is for. Of a
 * sequential order none of this holds.
 */
import { holm } from './holm.ts';
import { type Ci95, geometricCi95, type LogMean, logMean } from './log-mean.ts';
import { signFlipCanReach, signFlipP } from './sign-flip.ts';
import { studentTwoSidedP } from './student.ts';

/** With fewer rounds there is a ratio and perhaps an interval, but no claim. */
export const FEWEST_FOR_CLAIM = 5;
/** How often a table of cells that do not differ may claim a difference anywhere. */
export const LEVEL = 0.05;

/** The same round of a cell and of its baseline. */
export type Pair = readonly [value: number, baseline: number];

/** What a ratio above and below 1 is called. */
export interface Direction {
  above: Claim;
  below: Claim;
}

export type Claim = 'faster' | 'slower' | 'more' | 'less';

export interface Comparison {
  /** Rounds that both cells completed. */
  pairs: number;
  /** Geometric mean of the rounds' ratios, cell over baseline. */
  ratio: number;
  /** 95 % interval of that ratio, for this comparison alone; from three pairs up. */
  ci95?: Ci95;
  /** Of Student's paired t-test on the logarithms; from five pairs up, as all that follow. */
  p?: number;
  /** Of the exact sign-flip test; up to 24 pairs. */
  signFlipP?: number;
  /** After Holm over all comparisons of the table: a difference is claimed at or below 0.05. */
  adjustedP?: number;
  word: Claim | 'no difference shown' | 'too few rounds';
}

/**
 * All comparisons of one table.
 *
 * A difference is claimed when the paired t-test and the exact sign-flip test both show it, the latter where there
 * are rounds enough for it to have a say: the larger p of the two goes into Holm's method. Where cell and baseline do
 * not differ, they could change places, so that the log ratios are symmetric around 0, and the t-test, which the
 * fewest rounds rest on, keeps its level well even when they are far from normal.
 *
 * @param rows the pairs of each comparison
 * @returns one for each row, in order; undefined for a row without pairs, or with a value that has no logarithm
 */
export function compareTable(
  rows: readonly (readonly Pair[])[],
  { above, below }: Direction,
): (Comparison | undefined)[] {
  const logs = rows.map((pairs) => pairs.map(([value, baseline]) => Math.log(value / baseline)));
  const claiming = logs.filter((row) => row.length >= FEWEST_FOR_CLAIM && row.every(Number.isFinite));
  const tests = new Map(claiming.map((row) => [row, pairedTests(row, LEVEL / claiming.length)]));
  const adjusted = holm([...tests.values()].map(({ larger }) => larger));
  const adjustedOf = new Map([...tests.keys()].map((row, i) => [row, adjusted[i]!]));
  return logs.map((row) => {
    if (row.length === 0 || !row.every(Number.isFinite)) return undefined;
    const mean = logMean(row);
    const ci95 = geometricCi95(mean);
    const described = { pairs: mean.n, ratio: Math.exp(mean.mean), ...(ci95 && { ci95 }) };
    const test = tests.get(row);
    if (test === undefined) return { ...described, word: 'too few rounds' };
    const adjustedP = adjustedOf.get(row)!;
    const { p, flipP } = test;
    const claim = mean.mean > 0 ? above : below;
    return {
      ...described,
      p,
      ...(flipP !== undefined && { signFlipP: flipP }),
      adjustedP,
      word: adjustedP <= LEVEL ? claim : 'no difference shown',
    };
  });
}

/** @param level what a p has to reach in this table */
function pairedTests(logs: readonly number[], level: number) {
  const flipP = signFlipP(logs);
  const p = pairedP(logMean(logs), flipP);
  const heard = flipP !== undefined && signFlipCanReach(logs.length, level);
  return { p, flipP, larger: heard ? Math.max(p, flipP) : p };
}

/**
 * All ratios the very same, as with quantiles of few distinct values: that is the resolution of the measurement, not
 * proof that there is no noise, and only the signs are left to judge by.
 */
function pairedP({ n, mean, error }: LogMean, flipP: number | undefined): number {
  if (error > 0) return studentTwoSidedP(mean / error, n - 1);
  return Math.abs(mean) < 1e-12 ? 1 : (flipP ?? 2 ** (1 - n));
}
