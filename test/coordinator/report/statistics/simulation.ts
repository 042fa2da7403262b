/** Runs that never took place: rounds of cells with a known ratio between them, and noise of several kinds. */
import type { Pair } from '../../../../coordinator/report/statistics/comparison.ts';
import { RandomStreams } from '../../../../worker/schedule/random.ts';

/** A random log factor of one round of one cell. */
export type Noise = (random: Draws) => number;

export class Draws {
  private readonly streams: RandomStreams;

  constructor(seed: number) {
    this.streams = new RandomStreams(seed, [0]);
  }

  uniform(): number {
    return this.streams.uniform(0);
  }

  /** Box–Muller. */
  normal(): number {
    return Math.sqrt(-2 * this.streams.logUniform(0)) * Math.cos(2 * Math.PI * this.uniform());
  }
}

export const NOISES = {
  /** Log-normal, 3 % a round. */
  normal: (random) => 0.03 * random.normal(),
  /** Student's t with 3 degrees of freedom: now and then a round far off, to either side. */
  heavy: (random) => {
    const chi = random.normal() ** 2 + random.normal() ** 2 + random.normal() ** 2;
    return (0.02 * random.normal()) / Math.sqrt(chi / 3);
  },
  /** A tenth of the rounds lose about a third to a stall. */
  stalls: (random) => 0.02 * random.normal() - (random.uniform() < 0.1 ? 0.4 * random.uniform() + 0.2 : 0),
} satisfies Record<string, Noise>;

/** A baseline and cells that differ from it by `ratios`, over rounds that all drift together by a random walk. */
export function simulateTable(
  random: Draws,
  rounds: number,
  ratios: readonly number[],
  noise: Noise,
): Pair[][] {
  const table: Pair[][] = ratios.map(() => []);
  let drift = Math.log(1000);
  for (let round = 0; round < rounds; round++) {
    drift += 0.05 * random.normal();
    const baseline = Math.exp(drift + noise(random));
    ratios.forEach((ratio, i) => {
      table[i]!.push([ratio * Math.exp(drift + noise(random)), baseline]);
    });
  }
  return table;
}

/** In how many of `repeats` it holds, as a share. */
export function shareOf(repeats: number, seed: number, holds: (random: Draws) => boolean): number {
  const random = new Draws(seed);
  let count = 0;
  for (let i = 0; i < repeats; i++) if (holds(random)) count++;
  return count / repeats;
}
