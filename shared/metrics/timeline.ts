/**
 * Timeline: a trial's intervals, merged by second on the coordinator's clock. Intervals may come in any order, late,
 * and more than once; each (shard, seq) counts exactly once (DESIGN rule 5). Only counts and histograms are merged.
 */
import { BroadsideError } from '../errors.ts';
import type { FirstError } from './error-class.ts';
import type { HistogramSnapshot } from './histogram.ts';
import { decodeHistogram } from './histogram-codec.ts';
import {
  addCounts,
  emptyCounts,
  type Interval,
  type IntervalCounts,
  mergeFirstErrors,
  PHASES,
  type Phase,
} from './interval.ts';
import { decodeRequests, RequestTotals } from './request-totals.ts';
import { EMPTY_SNAPSHOT, mergeAll, mergeSnapshots } from './snapshot.ts';

/** Merging many at once costs less than one by one, and keeping many costs memory. */
const MOST_UNMERGED = 32;

/** What all shards together saw in one second. */
export interface TimelineSecond {
  /** Whole seconds since the trial's start instant. */
  second: number;
  counts: IntervalCounts;
  /** Started and not finished at its end. */
  inFlight: number;
  latency: HistogramSnapshot;
}

/** What arrived of one shard. */
export interface ShardArrivals {
  /** Different intervals that arrived. */
  intervals: number;
  /** The highest seq that arrived; with `intervals` it tells whether some are missing in between. */
  lastSeq: number;
  lastSecond: number;
  /** In flight at the end of the interval with the highest seq. */
  inFlight: number;
  counts: IntervalCounts;
}

export class TimelineBuilder {
  /** Σ of all that was added; grows as intervals arrive. */
  readonly totals: IntervalCounts = emptyCounts();
  /** The same by the requests' names, where there is more than one. */
  readonly byRequest = new RequestTotals();
  private readonly seconds = new Map<number, TimelineSecond>();
  private readonly shards = new Map<string, { seen: SeqSet; arrivals: ShardArrivals }>();
  /** All but latency: nobody asks for these by the second. Merged now and then, see `MOST_UNMERGED`. */
  private readonly phases = new Map<Phase, HistogramSnapshot[]>();
  private errors: FirstError[] = [];
  private last = -1;

  /**
   * Merges one interval.
   * @returns false, and nothing has changed, when this (shard, seq) was added before
   * @throws BroadsideError JOURNAL_CORRUPT when a number or a histogram in it cannot be; nothing has changed
   */
  add(shard: string, seq: number, interval: Interval): boolean {
    if (!isCount(seq) || !isCount(interval.second)) {
      throw new BroadsideError(
        'JOURNAL_CORRUPT',
        `interval ${seq} of shard ${shard} cannot be placed: seq and second must be whole numbers from 0 (second is ${interval.second})`,
      );
    }
    if (this.has(shard, seq)) return false;
    const decoded = decodePhases(interval);
    const requests = decodeRequests(interval);
    const { seen, arrivals } = this.shardOf(shard);
    seen.add(seq);
    noteArrival(arrivals, seq, interval);
    addCounts(this.totals, interval);
    const second = this.secondOf(interval.second);
    addCounts(second.counts, interval);
    second.inFlight += interval.inFlight;
    for (const [phase, snapshot] of decoded) {
      // Latency is kept by the second; its total is their sum.
      if (phase === 'latency') second.latency = mergeSnapshots(second.latency, snapshot);
      else this.addToPhase(phase, snapshot);
    }
    this.byRequest.add(requests);
    if (interval.firstErrors.length > 0) this.errors = mergeFirstErrors(this.errors, interval.firstErrors);
    return true;
  }

  has(shard: string, seq: number): boolean {
    return this.shards.get(shard)?.seen.has(seq) ?? false;
  }

  /** The latest second of which something was added; −1 before the first. */
  get lastSecond(): number {
    return this.last;
  }

  /** The earliest error of each class, in order of time. */
  get firstErrors(): readonly FirstError[] {
    return this.errors;
  }

  /** What was merged of one second so far; undefined when nothing was. */
  at(second: number): TimelineSecond | undefined {
    return this.seconds.get(second);
  }

  /** Every second from 0 to the last, also those in which nothing happened. */
  *rows(): Generator<TimelineSecond> {
    for (let second = 0; second <= this.last; second++) {
      yield this.seconds.get(second) ?? {
        second,
        counts: emptyCounts(),
        inFlight: 0,
        latency: EMPTY_SNAPSHOT,
      };
    }
  }

  /** All values of one phase. */
  phase(phase: Phase): HistogramSnapshot {
    if (phase !== 'latency') return mergeAll(this.phases.get(phase) ?? []);
    return mergeAll(Array.from(this.seconds.values(), ({ latency }) => latency));
  }

  arrivals(shard: string): ShardArrivals | undefined {
    return this.shards.get(shard)?.arrivals;
  }

  /** Shards of which at least one interval arrived. */
  shardIds(): string[] {
    return [...this.shards.keys()];
  }

  private addToPhase(phase: Phase, snapshot: HistogramSnapshot): void {
    const kept = [...(this.phases.get(phase) ?? []), snapshot];
    this.phases.set(phase, kept.length < MOST_UNMERGED ? kept : [mergeAll(kept)]);
  }

  private shardOf(shard: string): { seen: SeqSet; arrivals: ShardArrivals } {
    let known = this.shards.get(shard);
    if (known === undefined) {
      const arrivals = { intervals: 0, lastSeq: -1, lastSecond: -1, inFlight: 0, counts: emptyCounts() };
      known = { seen: new SeqSet(), arrivals };
      this.shards.set(shard, known);
    }
    return known;
  }

  private secondOf(second: number): TimelineSecond {
    let known = this.seconds.get(second);
    if (known === undefined) {
      known = { second, counts: emptyCounts(), inFlight: 0, latency: EMPTY_SNAPSHOT };
      this.seconds.set(second, known);
      this.last = Math.max(this.last, second);
    }
    return known;
  }
}

/** Everything that can fail is done before anything is changed. */
function decodePhases(interval: Interval): [Phase, HistogramSnapshot][] {
  return PHASES.flatMap((phase): [Phase, HistogramSnapshot][] => {
    const encoded = interval.phases[phase];
    return encoded === undefined ? [] : [[phase, decodeHistogram(encoded)]];
  });
}

function noteArrival(arrivals: ShardArrivals, seq: number, interval: Interval): void {
  arrivals.intervals++;
  arrivals.lastSecond = Math.max(arrivals.lastSecond, interval.second);
  if (seq > arrivals.lastSeq) {
    arrivals.lastSeq = seq;
    arrivals.inFlight = interval.inFlight;
  }
  addCounts(arrivals.counts, interval);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Which numbers have come, when they come nearly in order: all below `next`, and the few `ahead` of it. */
class SeqSet {
  private next = 0;
  private readonly ahead = new Set<number>();

  has(seq: number): boolean {
    return seq < this.next || this.ahead.has(seq);
  }

  add(seq: number): void {
    this.ahead.add(seq);
    while (this.ahead.delete(this.next)) this.next++;
  }
}
