/**
 * When requests are due in open loop: pure arithmetic, no timers. Arrival k of the whole load is due at k/rate
 * seconds; a share takes every stride-th arrival from its offset on. Due times come from k alone, so they do not drift.
 */
import { type ConstantArrivalRate } from '../../shared/domain/run.ts';
import { plannedRequests } from '../../shared/domain/shard.ts';

export interface Arrivals {
  /** How many arrivals this share has. */
  readonly count: number;
  /** When its i-th arrival is due, µs after the start instant. */
  dueUs(i: number): number;
}

export function evenArrivals(load: ConstantArrivalRate): Arrivals {
  const { offset, stride } = load.stripe;
  const spacingUs = 1e6 / load.rate;
  return {
    count: plannedRequests(load) ?? 0,
    dueUs: (i) => (offset + stride * i) * spacingUs,
  };
}
