/**
 * Splitting a load so that the parts sum to the whole, remainders included (DESIGN rule 8). The same functions split
 * a trial over workers and a shard over threads.
 */
import {
  type ClosedLoad,
  type ConstantConnections,
  isOpenLoop,
  type LoadPlan,
  type OpenLoad,
  type RampingConnections,
  type ScheduledLoad,
  type Stage,
  type Stripe,
} from './load-plan.ts';
import { rateCurve } from './rate-curve.ts';
import { countOn, partOf, reduced, weightedStripes } from './stripe.ts';

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

/** The most connections that this share has at a time; a script says nothing of its own. */
export function connectionsOf(load: ScheduledLoad): number;
export function connectionsOf(load: LoadPlan): number | undefined;
export function connectionsOf(load: LoadPlan): number | undefined {
  if (load.executor === 'script') return undefined;
  if (isOpenLoop(load)) return load.maxConnections;
  if (load.executor === 'constant-connections') return load.connections;
  return countOn(load.stripe, peakConnections(load));
}

/** Of the whole. */
export function peakConnections({ startConnections, stages }: RampingConnections): number {
  return peakOf(startConnections, stages);
}

/** Arrivals a second, of the whole. */
export function peakRate(load: OpenLoad): number {
  return load.executor === 'constant-arrival-rate' ? load.rate : peakOf(load.startRate, load.stages);
}

/** The most arrivals a second of this share. */
export function rateOf(load: OpenLoad): number {
  return (peakRate(load) * (load.stripe.width ?? 1)) / load.stripe.stride;
}

/** A jump that no time follows does not count. */
function peakOf(start: number, stages: readonly Stage[]): number {
  let from = start;
  let peak = 0;
  for (const { durationUs, target } of stages) {
    if (durationUs > 0) peak = Math.max(peak, from, target);
    from = target;
  }
  return peak;
}

/**
 * How many parts a load can be cut into: no part may be left without a connection or a request. What a script has is not
 * known here.
 */
export function maxParts(load: LoadPlan): number {
  if (load.executor === 'script') return Number.POSITIVE_INFINITY;
  return Math.min(connectionsOf(load), plannedRequests(load) ?? Number.POSITIVE_INFINITY);
}

/** `load` in `min(parts, maxParts(load))` parts that sum to it, but at least in one. */
export function splitLoad(load: ScheduledLoad, parts: number): ScheduledLoad[];
export function splitLoad(load: LoadPlan, parts: number): LoadPlan[];
export function splitLoad(load: LoadPlan, parts: number): LoadPlan[] {
  const count = Math.max(1, Math.min(parts, maxParts(load)));
  if (load.executor === 'script') return Array.from({ length: count }, () => load);
  const cut = evenParts(load, count);
  // What is on a wide stripe may all be in one turn.
  return count === 1 || cut.every(hasWork) ? cut : splitLoad(load, count - 1);
}

function evenParts(load: ScheduledLoad, count: number): ScheduledLoad[] {
  if (isOpenLoop(load)) return splitArrivals(load, count);
  return load.executor === 'constant-connections'
    ? constantParts(load, splitEvenly(usefulConnections(load), count))
    : splitRamp(load, count);
}

function hasWork(part: ScheduledLoad): boolean {
  return connectionsOf(part) > 0 && plannedRequests(part) !== 0;
}

/**
 * The same in proportion to whole weights. Evenly where the load is too small for that, so that nobody is without work,
 * and a script, which its engine shares out.
 */
export function splitLoadByWeight(load: LoadPlan, weights: readonly number[]): LoadPlan[] {
  const small = reduced(weights);
  if (load.executor === 'script' || small.every((weight) => weight === 1))
    return splitLoad(load, weights.length);
  const parts = weighted(load, small);
  return parts.every(hasWork) ? parts : splitLoad(load, weights.length);
}

function weighted(load: ScheduledLoad, weights: readonly number[]): ScheduledLoad[] {
  if (load.executor === 'constant-connections')
    return constantParts(load, splitByWeight(usefulConnections(load), weights));
  const stripes = weightedStripes(load.stripe, weights);
  if (!isOpenLoop(load)) return rampParts(load, stripes);
  const connections = splitByWeight(load.maxConnections, weights);
  return stripes.map((stripe, i) => ({ ...load, maxConnections: connections[i]!, stripe }));
}

function usefulConnections({ connections, requests }: ConstantConnections): number {
  return Math.min(connections, requests ?? Number.POSITIVE_INFINITY);
}

/** Evenly split, the first parts have one connection more where it does not come out even, as the first stripes do. */
function constantParts(load: ConstantConnections, connections: readonly number[]): ConstantConnections[] {
  const requests = splitRequests(load, connections);
  return connections.map((share, i) => ({
    ...load,
    connections: share,
    ...requests[i],
    ...thinkTimeOf(load, i, connections.length),
  }));
}

function splitRamp(load: RampingConnections, parts: number): RampingConnections[] {
  return rampParts(
    load,
    Array.from({ length: parts }, (_, i) => partOf(load.stripe, i, parts)),
  );
}

/** Every part follows the whole's curve and has its stripe of the connections, at every instant. */
function rampParts(load: RampingConnections, stripes: readonly Stripe[]): RampingConnections[] {
  const shares = stripes.map((stripe) => connectionsOf({ ...load, stripe }));
  const requests = splitRequests(load, shares);
  return stripes.map((stripe, i) => ({
    ...load,
    stripe,
    ...requests[i],
    ...thinkTimeOf(load, i, stripes.length),
  }));
}

/**
 * Requests follow the connections, so that parts with fewer connections finish at the same time as the others
 * rather than trail at a lower concurrency; where there are fewer requests than connections, each part has some.
 */
function splitRequests(load: ClosedLoad, connections: readonly number[]): { requests?: number }[] {
  const { requests } = load;
  if (requests === undefined) return [];
  const all = connections.reduce((sum, share) => sum + share, 0);
  const shares =
    requests < all ? splitEvenly(requests, connections.length) : splitByWeight(requests, connections);
  return shares.map((share) => ({ requests: share }));
}

function thinkTimeOf({ thinkTime }: ClosedLoad, i: number, parts: number): Pick<ClosedLoad, 'thinkTime'> {
  if (thinkTime === undefined) return {};
  return { thinkTime: { ...thinkTime, stripe: partOf(thinkTime.stripe, i, parts) } };
}

/** Arrivals are striped: part i takes every parts-th arrival, so the merged spacing stays as even as the whole's. */
function splitArrivals(load: OpenLoad, parts: number): OpenLoad[] {
  return splitEvenly(load.maxConnections, parts).map((maxConnections, i) => ({
    ...load,
    maxConnections,
    stripe: partOf(load.stripe, i, parts),
  }));
}

/** Arrivals in the whole load that this was split from. */
export function totalArrivals(load: OpenLoad): number {
  return rateCurve(load).arrivals;
}

/** Requests that the load promises, where it promises a number. */
export function plannedRequests(load: LoadPlan): number | undefined {
  if (load.executor === 'script') return undefined;
  return isOpenLoop(load) ? countOn(load.stripe, totalArrivals(load)) : load.requests;
}
