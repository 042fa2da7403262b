/**
 * Splitting a load so that the parts sum to the whole, remainders included (DESIGN rule 8). The same functions split
 * a trial over workers and a shard over threads.
 */
import type { ConstantArrivalRate, ConstantConnections, LoadPlan } from './run.ts';

/** `total` in `parts` whole shares that differ by at most one, the larger first. */
export function splitEvenly(total: number, parts: number): number[] {
  const base = Math.floor(total / parts);
  const remainder = total - base * parts;
  return Array.from({ length: parts }, (_, i) => base + (i < remainder ? 1 : 0));
}

/**
 * `total` in whole shares proportional to `weights` (positive integers), by rounding the running sum down, so the
 * shares always sum to `total`, and each is at least its weight when `total` is at least the sum of the weights.
 */
export function splitByWeight(total: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let cumulative = 0;
  let given = 0;
  return weights.map((weight) => {
    cumulative += weight;
    // BigInt: total × cumulative passes 2^53 for long runs.
    const upTo = Number((BigInt(total) * BigInt(cumulative)) / BigInt(whole));
    const share = upTo - given;
    given = upTo;
    return share;
  });
}

/** How many parts a load can be cut into: no part may be left without a connection or a request. */
export function maxParts(load: LoadPlan): number {
  if (load.executor === 'constant-arrival-rate') return Math.min(load.maxConnections, plannedRequests(load)!);
  return load.requests === undefined ? load.connections : Math.min(load.connections, load.requests);
}

/** `load` in `min(parts, maxParts(load))` parts that sum to it, but at least in one. */
export function splitLoad(load: LoadPlan, parts: number): LoadPlan[] {
  const count = Math.max(1, Math.min(parts, maxParts(load)));
  return load.executor === 'constant-arrival-rate' ? splitArrivals(load, count) : splitClosed(load, count);
}

/**
 * Requests follow the connections, so that parts with fewer connections finish at the same time as the others
 * rather than trail at a lower concurrency.
 */
function splitClosed(load: ConstantConnections, parts: number): ConstantConnections[] {
  const useful = load.requests === undefined ? load.connections : Math.min(load.connections, load.requests);
  const connections = splitEvenly(useful, parts);
  if (load.requests === undefined) return connections.map((share) => ({ ...load, connections: share }));
  const requests = splitByWeight(load.requests, connections);
  return connections.map((share, i) => ({ ...load, connections: share, requests: requests[i]! }));
}

/** Arrivals are striped: part i takes every parts-th arrival, so the merged spacing stays as even as the whole's. */
function splitArrivals(load: ConstantArrivalRate, parts: number): ConstantArrivalRate[] {
  const { offset, stride } = load.stripe;
  return splitEvenly(load.maxConnections, parts).map((maxConnections, i) => ({
    ...load,
    maxConnections,
    stripe: { offset: offset + stride * i, stride: stride * parts },
  }));
}

/** Arrivals in the whole load: those due strictly before its end. */
export function totalArrivals(load: ConstantArrivalRate): number {
  // 1500/s for 10 s is 15000; the small term keeps 0.1 × 30 from becoming 2.
  return Math.floor((load.rate * load.durationUs) / 1e6 + 1e-9);
}

/** Requests that the load promises, where it promises a number. */
export function plannedRequests(load: LoadPlan): number | undefined {
  if (load.executor === 'constant-connections') return load.requests;
  const { offset, stride } = load.stripe;
  return Math.max(0, Math.ceil((totalArrivals(load) - offset) / stride));
}
