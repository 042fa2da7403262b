/**
 * Timeline: a trial's intervals, merged by second on the coordinator's clock. Intervals may come in any order, late,
 * and more than once; each (shard, seq) counts exactly once (DESIGN rule 5). Only counts and histograms are merged.
 */
import { BroadsideError } from '../errors.ts';
import type { FirstError } from './error-class.ts';
import type { Histogram, HistogramSnapshot } from './histogram.ts';
import { decodeHistogramInto, type Places, roomForPlaces } from './histogram-codec.ts';
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
import { decodeScript, ScriptTotals } from './script-totals.ts';
import { SeqSet } from './seq-set.ts';
import { borrowHistogram, copyOf, EMPTY_SNAPSHOT, giveBack, mergeAll, restOf } from './snapshot.ts';

/** What all shards together saw in one second. */
export interface TimelineSecond {
  /** Whole seconds since the trial's start instant. */
  second: number;
  counts: IntervalCounts;
  /** Started and not finished at its end. */
  inFlight: number;
  /** In parts, for who reads it to merge: of a few shards there is nothing to be saved by merging them before. */
  latency: readonly HistogramSnapshot[];
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
  /** What of it was asked for, at rest, until more comes. */
  private readonly rests = new Map<Phase, HistogramSnapshot>();
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
    const decoded = decodePhases(interval);
    const requests = decodeRequests(interval);
    const script = decodeScript(interval);
    if (script !== undefined) this.script.add(shard, interval.second, script);
    const { seen, arrivals } = this.shardOf(shard);
    seen.add(seq);
    noteArrival(arrivals, seq, interval);
    addCounts(this.totals, interval);
    const second = this.secondOf(interval.second);
    addCounts(second.counts, interval);
    second.inFlight += interval.inFlight;
    if (this.rests.size > 0) this.rests.clear();
    for (const [phase, snapshot] of decoded) {
      this.wholeOf(phase).add(snapshot);
      // Nobody asks for the others by the second.
      if (phase === 'latency' && this.bySecond) second.latency = withPart(second.latency, snapshot);
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

  /** All values of one phase. */
  phase(phase: Phase): HistogramSnapshot {
    const whole = this.phases.get(phase);
    if (whole === undefined) return EMPTY_SNAPSHOT;
    let rest = this.rests.get(phase);
    if (rest === undefined) {
      rest = restOf(whole);
      this.rests.set(phase, rest);
    }
    return rest;
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
    this.rests.clear();
    this.seconds.clear();
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

/** Written over by each interval: room for each phase, so that all are decoded before anything is changed. */
const rooms = new Map<Phase, Places>();

/** Everything that can fail. What is returned is valid until the next interval is decoded. */
function decodePhases(interval: Interval): [Phase, HistogramSnapshot][] {
  const decoded: [Phase, HistogramSnapshot][] = [];
  for (const phase of PHASES) {
    const encoded = interval.phases[phase];
    if (encoded === undefined || encoded.count === 0) continue;
    let room = rooms.get(phase);
    if (room === undefined) {
      room = roomForPlaces();
      rooms.set(phase, room);
    }
    decoded.push([phase, decodeHistogramInto(encoded, room)]);
  }
  return decoded;
}

function withPart(parts: readonly HistogramSnapshot[], more: HistogramSnapshot): HistogramSnapshot[] {
  return parts.length + 1 < MOST_PARTS ? [...parts, copyOf(more)] : [mergeAll([...parts, more])];
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
