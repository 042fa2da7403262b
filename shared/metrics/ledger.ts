/**
 * Ledger: the conservation account of a shard and of a trial (DESIGN rule 6).
 *   planned = started + dropped                        (where a number is promised)
 *   started = completed + failed + inFlight + lost
 * What a shard said at its end is held against what its intervals sum to; every difference is a sentence.
 */
import type { IntervalCounts, ShardTotals } from './interval.ts';
import type { ShardArrivals } from './timeline.ts';

export interface Ledger {
  planned?: number;
  started: number;
  completed: number;
  failed: number;
  /** Started and not finished when the load ended. */
  inFlight: number;
  dropped: number;
  /** Started by a worker that was lost before it could say how they ended. */
  lost: number;
  balanced: boolean;
  /** Why it does not balance; empty when it does. */
  problems: string[];
}

/** All that is known of one shard. */
export interface ShardAccount {
  /** For people: `w1's shard`. */
  label: string;
  /** What the plan promises. */
  planned?: number;
  /** Absent when no interval came. */
  arrived?: ShardArrivals;
  /** The shard's own account at its end; absent when it never gave one. */
  done?: { intervals: number; totals: ShardTotals };
  /** The worker was lost. It counts only when there is no `done`: one that came back has accounted for itself. */
  lost: boolean;
}

export function shardLedger(account: ShardAccount): Ledger {
  return account.done === undefined ? ledgerWithoutEnd(account) : ledgerWithEnd(account, account.done);
}

/** @param planned what the whole trial promises, from the scenario and not from the shards */
export function mergeLedgers(shards: readonly Ledger[], planned: number | undefined): Ledger {
  const sum = (of: (ledger: Ledger) => number) => shards.reduce((total, ledger) => total + of(ledger), 0);
  const merged = {
    started: sum((shard) => shard.started),
    completed: sum((shard) => shard.completed),
    failed: sum((shard) => shard.failed),
    inFlight: sum((shard) => shard.inFlight),
    dropped: sum((shard) => shard.dropped),
    lost: sum((shard) => shard.lost),
  };
  const problems = shards.flatMap((shard) => shard.problems);
  const shared = sum((shard) => shard.planned ?? 0);
  if (planned !== undefined && planned !== shared) {
    problems.push(`the trial promises ${planned} requests, its shards together ${shared}`);
  }
  return settle(
    { ...merged, ...(planned === undefined ? {} : { planned }) },
    problems,
    'the trial',
    problems.length === 0,
  );
}

function ledgerWithEnd(account: ShardAccount, done: { intervals: number; totals: ShardTotals }): Ledger {
  const { label, planned, arrived } = account;
  const { totals } = done;
  const problems: string[] = [];
  const intervals = arrived?.intervals ?? 0;
  if (intervals !== done.intervals) {
    problems.push(`${label}: ${intervals} of its ${done.intervals} intervals arrived`);
  }
  for (const name of ['started', 'completed', 'failed', 'dropped'] as const) {
    const summed = arrived?.counts[name] ?? 0;
    if (summed !== totals[name]) {
      problems.push(`${label}: its intervals sum to ${summed} ${name}, its own total is ${totals[name]}`);
    }
  }
  if (planned !== undefined && totals.planned !== undefined && totals.planned !== planned) {
    problems.push(`${label}: was given ${planned} requests and says it was given ${totals.planned}`);
  }
  const counts = countsOf(arrived?.counts);
  return settle(
    {
      ...counts,
      ...plannedOf(planned),
      inFlight: totals.inFlight,
      lost: 0,
    },
    problems,
    label,
    true,
  );
}

/** The shard never said how it ended: what it had started and not finished, as far as is known, is lost. */
function ledgerWithoutEnd(account: ShardAccount): Ledger {
  const { label, planned, arrived } = account;
  const problems: string[] = [];
  if (!account.lost) problems.push(`${label}: never said how it ended, and its worker was not reported lost`);
  if (arrived !== undefined && arrived.intervals !== arrived.lastSeq + 1) {
    problems.push(`${label}: ${arrived.intervals} of its first ${arrived.lastSeq + 1} intervals arrived`);
  }
  const counts = countsOf(arrived?.counts);
  return settle(
    {
      ...counts,
      ...plannedOf(planned),
      inFlight: 0,
      dropped: planned === undefined ? counts.dropped : neverStarted(planned, counts),
      lost: Math.max(0, counts.started - counts.completed - counts.failed),
    },
    problems,
    label,
    true,
  );
}

/** Checks the two sums, where that was not done for the parts already. */
function settle(
  ledger: Omit<Ledger, 'balanced' | 'problems'>,
  problems: string[],
  label: string,
  check: boolean,
): Ledger {
  const { planned, started, completed, failed, inFlight, dropped, lost } = ledger;
  if (check && planned !== undefined && planned !== started + dropped) {
    problems.push(`${label}: planned ${planned} ≠ started ${started} + dropped ${dropped}`);
  }
  if (check && started !== completed + failed + inFlight + lost) {
    problems.push(
      `${label}: started ${started} ≠ completed ${completed} + failed ${failed} + in flight ${inFlight} + lost ${lost}`,
    );
  }
  return { ...ledger, balanced: problems.length === 0, problems };
}

function countsOf(counts: IntervalCounts | undefined) {
  return {
    started: counts?.started ?? 0,
    completed: counts?.completed ?? 0,
    failed: counts?.failed ?? 0,
    dropped: counts?.dropped ?? 0,
  };
}

function plannedOf(planned: number | undefined): { planned?: number } {
  return planned === undefined ? {} : { planned };
}

function neverStarted(planned: number | undefined, counts: { started: number }): number {
  return Math.max(0, (planned ?? 0) - counts.started);
}
