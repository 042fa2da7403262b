/** In which order a run's cells and rounds come. */
import { createHash } from 'node:crypto';
import type { Cell } from './run.ts';
import { type Axis, cellLabel } from './sweep.ts';

export type OrderName = 'interleaved' | 'sequential' | 'shuffled';

/** As it is journaled and reported; a seed only where the order comes from one. */
export interface TrialOrder {
  name: OrderName;
  seed?: number;
}

/**
 * - interleaved: round by round, the cells in the sweep's order, in every second round from its end (ABBA): what drifts
 *   during a run reaches every cell alike, and so does what drifts within a round, to which no cell is always the first;
 * - shuffled: round by round, the cells of each round in an order of its own, which the seed fixes;
 * - sequential: cell by cell, each with all its rounds.
 */
export function orderTrials<T extends { cell: Cell }>(
  cells: readonly T[],
  rounds: number,
  order: TrialOrder,
): { planned: T; round: number }[] {
  const numbers = Array.from({ length: rounds }, (_, i) => i + 1);
  if (order.name === 'sequential') {
    return cells.flatMap((planned) => numbers.map((round) => ({ planned, round })));
  }
  return numbers.flatMap((round) => {
    const inRound =
      order.name === 'shuffled' ? shuffled(cells, `${order.seed}/${round}`) : alternating(cells, round);
    return inRound.map((planned) => ({ planned, round }));
  });
}

function alternating<T>(cells: readonly T[], round: number): readonly T[] {
  return round % 2 === 1 ? cells : cells.toReversed();
}

/**
 * By the SHA-256 of seed, round and cell: the same everywhere, and the cells that remain under `only` keep the order
 * that they have among all.
 */
function shuffled<T extends { cell: Cell }>(cells: readonly T[], seed: string): T[] {
  const keyed = cells.map((planned) => ({ planned, key: digest(`${seed}/${cellLabel(planned.cell)}`) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ planned }) => planned);
}

/** For a scenario that names none: the same sweep has the same seed, and is shuffled in the same way. */
export function seedOf(sweep: readonly Axis[]): number {
  return Number.parseInt(digest(JSON.stringify(sweep)).slice(0, 8), 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
