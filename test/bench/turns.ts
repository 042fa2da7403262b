/**
 * Contenders in turns: ours, a peer, ours, the next peer, ours, … so that each peer's run lies between two of ours,
 * and what else the machine does weighs on both alike.
 */
import type { Contender, Measured } from './contender.ts';

/** A peer's run, and ours just before and just after it. */
export interface Pair {
  peer: Measured;
  before: Measured;
  after: Measured;
}

export interface PeerTurns {
  peer: Contender;
  pairs: Pair[];
  /** Why the peer could not carry out the load; it has no turn after that. */
  failure?: string;
}

export interface Turns {
  ours: Measured[];
  peers: PeerTurns[];
}

/** @param run carries out one turn; may say something about it */
export async function takeTurns(
  ours: Contender,
  peers: readonly Contender[],
  rounds: number,
  run: (contender: Contender, round: number) => Promise<Measured>,
): Promise<Turns> {
  let before = await run(ours, 1);
  const turns: Turns = { ours: [before], peers: peers.map((peer) => ({ peer, pairs: [] })) };
  for (let round = 1; round <= rounds; round++) {
    for (const turn of turns.peers) {
      if (turn.failure !== undefined) continue;
      let measured: Measured;
      try {
        measured = await run(turn.peer, round);
      } catch (error) {
        turn.failure = error instanceof Error ? error.message : String(error);
        continue;
      }
      const after = await run(ours, round);
      turn.pairs.push({ peer: measured, before, after });
      turns.ours.push(after);
      before = after;
    }
  }
  return turns;
}

export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** undefined when there are no values. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** Ours over the peer's, pair by pair, ours being the mean of the run before and the run after. */
export function ratiosOf(
  pairs: readonly Pair[],
  quantity: (measured: Measured) => number | undefined,
): Spread | undefined {
  return spreadOf(
    pairs.flatMap(({ peer, before, after }) => {
      const [theirs, first, second] = [peer, before, after].map(quantity);
      if (theirs === undefined || first === undefined || second === undefined || theirs === 0) return [];
      return (first + second) / 2 / theirs;
    }),
  );
}
