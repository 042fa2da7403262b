/**
 * Timeline: a trial's intervals, merged by second on the coordinator's clock. Intervals may come in any order, late,
 * and more than once; each (shard, seq) counts exactly once (DESIGN rule 5). Only counts and histograms are merged.
 */
import { BroadsideError } from '../errors.ts';
import type { FirstError } from './error-class.ts';
import type { Histogram, HistogramSnapshot } from './histogram.ts';
import { addEncoded, addPlacesOf, type EncodedHistogram } from './histogram-codec.ts';
import {
  addCountsToEach,
  emptyCounts,
  type Interval,
  type IntervalCounts,
  mergeFirstErrors,
  PHASES,
  type Phase,
} from './interval.ts';
import { decodeRequests, RequestTotals } from './request-totals.ts';
import { decodeScript, ScriptTotals } from './script-totals.ts';
import { SeqSet } from './seq-set.ts';
import { borrowHistogram, copyOf, EMPTY_SNAPSHOT, giveBack, viewOf } from './snapshot.ts';

/** What all shards together saw in one second. */
export interface TimelineSecond {
  /** Whole seconds since the trial's start instant. */
  second: number;
  counts: IntervalCounts;
  /** Started and not finished at its end. */
  inFlight: number;
  /** In parts, for who reads it to merge: of a few shards there is nothing to be saved by merging them before. */
  latency: readonly LatencyPart[];
}

/** As it arrived, which takes the least room; or several, merged. */
export type LatencyPart = EncodedHistogram | HistogramSnapshot;

/** To be given back. */
export function mergedParts(parts: readonly LatencyPart[]): Histogram {
  const all = borrowHistogram();
  for (const part of parts) {
    if ('v2' in part) addEncoded(all, part);
    else all.add(part);
  }
  return all;
}

/** So many parts of a second take more room than their sum. */
const MOST_PARTS = 4;

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
  /** Of a k6 script; empty where there is none. */
  readonly script = new ScriptTotals();
  private readonly seconds = new Map<number, TimelineSecond>();
  private readonly shards = new Map<string, { seen: SeqSet; arrivals: ShardArrivals }>();
  /** Over all seconds; dense, because that is what adding is quickest in. */
  private readonly phases = new Map<Phase, Histogram>();
  private errors: FirstError[] = [];
  private last = -1;
  private readonly bySecond: boolean;

  /** @param bySecond false: nobody will ask for a second's latencies, which are what takes the room */
  constructor({ bySecond = true } = {}) {
    this.bySecond = bySecond;
  }

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
    const requests = decodeRequests(interval);
    const script = decodeScript(interval);
    if (script !== undefined) this.script.check(script);
    this.addPhases(interval);
    if (script !== undefined) this.script.add(shard, interval.second, script);
    const { seen, arrivals } = this.shardOf(shard);
    seen.add(seq);
    noteArrival(arrivals, seq, interval);
    const second = this.secondOf(interval.second);
    addCountsToEach([this.totals, arrivals.counts, second.counts], interval);
    second.inFlight += interval.inFlight;
    const { latency } = interval.phases;
    // Nobody asks for the others by the second.
    if (this.bySecond && latency !== undefined && latency.count > 0) {
      second.latency = withPart(second.latency, latency);
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
        latency: [],
      };
    }
  }

  /** How many values of one phase there are. */
  countOf(phase: Phase): number {
    return this.phases.get(phase)?.count ?? 0;
  }

  /**
   * All values of one phase.
   * @returns a view that is valid until the next phase of any timeline is asked for
   */
  phase(phase: Phase): HistogramSnapshot {
    const whole = this.phases.get(phase);
    return whole === undefined ? EMPTY_SNAPSHOT : viewOf(whole);
  }

  arrivals(shard: string): ShardArrivals | undefined {
    return this.shards.get(shard)?.arrivals;
  }

  /** Shards of which at least one interval arrived. */
  shardIds(): string[] {
    return [...this.shards.keys()];
  }

  /** Lets go of what is large. Nothing may be added or asked for after it. */
  close(): void {
    for (const whole of this.phases.values()) giveBack(whole);
    this.phases.clear();
    this.seconds.clear();
  }

  /** Of each phase: all of them, or none when one cannot be read. */
  private addPhases({ phases }: Interval): void {
    const begun: { whole: Histogram; encoded: EncodedHistogram; lowest: number; highest: number }[] = [];
    try {
      for (const phase of PHASES) {
        const encoded = phases[phase];
        if (encoded === undefined || encoded.count === 0) continue;
        const whole = this.wholeOf(phase);
        const { lowest, highest } = addPlacesOf(encoded, whole.places);
        begun.push({ whole, encoded, lowest, highest });
      }
    } catch (error) {
      for (const { whole, encoded } of begun) addPlacesOf(encoded, whole.places, -1);
      throw error;
    }
    for (const { whole, encoded, lowest, highest } of begun) whole.added(lowest, highest, encoded);
  }

  private wholeOf(phase: Phase): Histogram {
    let known = this.phases.get(phase);
    if (known === undefined) {
      known = borrowHistogram();
      this.phases.set(phase, known);
    }
    return known;
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
      known = { second, counts: emptyCounts(), inFlight: 0, latency: [] };
      this.seconds.set(second, known);
      this.last = Math.max(this.last, second);
    }
    return known;
  }
}

function withPart(parts: readonly LatencyPart[], more: LatencyPart): LatencyPart[] {
  const all = [...parts, more];
  if (all.length < MOST_PARTS) return all;
  const merged = mergedParts(all);
  const rest = copyOf(viewOf(merged));
  giveBack(merged);
  return [rest];
}

function noteArrival(arrivals: ShardArrivals, seq: number, interval: Interval): void {
  arrivals.intervals++;
  arrivals.lastSecond = Math.max(arrivals.lastSecond, interval.second);
  if (seq > arrivals.lastSeq) {
    arrivals.lastSeq = seq;
    arrivals.inFlight = interval.inFlight;
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
