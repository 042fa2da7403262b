import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type {
  ConstantArrivalRate,
  ConstantConnections,
  LoadPlan,
  RampingConnections,
} from '../../../shared/domain/load-plan.ts';
import {
  connectionsOf,
  maxParts,
  peakConnections,
  plannedRequests,
  splitByWeight,
  splitEvenly,
  splitLoad,
  splitLoadByWeight,
  totalArrivals,
} from '../../../shared/domain/shard.ts';

const sum = (shares: readonly number[]) => shares.reduce((total, share) => total + share, 0);

function closed(connections: number, requests?: number): ConstantConnections {
  const load: ConstantConnections = { executor: 'constant-connections', connections, keepAlive: true };
  return requests === undefined ? { ...load, durationUs: 1e6 } : { ...load, requests };
}

function open(rate: number, seconds: number, maxConnections: number): ConstantArrivalRate {
  return {
    executor: 'constant-arrival-rate',
    rate,
    durationUs: seconds * 1e6,
    maxConnections,
    maxWaitUs: 1e6,
    keepAlive: true,
    stripe: { offset: 0, stride: 1 },
  };
}

/** Indexes of a share's arrivals, counted out. */
function arrivals(load: ConstantArrivalRate): number[] {
  const found: number[] = [];
  const { offset, stride, width = 1 } = load.stripe;
  for (let k = 0; k < totalArrivals(load); k++)
    if (k >= offset && (k - offset) % stride < width) found.push(k);
  return found;
}

describe('splits', () => {
  test('every total up to 60 in up to 60 parts: the shares sum to it and differ by at most one', () => {
    for (let total = 0; total <= 60; total++) {
      for (let parts = 1; parts <= 60; parts++) {
        const shares = splitEvenly(total, parts);
        assert.equal(shares.length, parts);
        assert.equal(sum(shares), total);
        assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
        assert.deepEqual(
          shares,
          [...shares].sort((a, b) => b - a),
          'the larger first',
        );
      }
    }
  });

  test('shares by weight sum to the total, are proportional, and starve nobody', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), weights, (total, given) => {
        const shares = splitByWeight(total, given);
        const whole = sum(given);
        assert.equal(
          shares.reduce((all, share) => all + BigInt(share), 0n),
          BigInt(total),
        );
        shares.forEach((share, i) => {
          // Within one of the exact share, in whole numbers: |share × whole − total × weight| < whole.
          const off = BigInt(share) * BigInt(whole) - BigInt(total) * BigInt(given[i]!);
          assert.ok(off < BigInt(whole) && off > -BigInt(whole));
          if (total >= whole) assert.ok(share >= given[i]!);
        });
      }),
    );
  });

  const anyClosed = fc
    .tuple(
      fc.integer({ min: 1, max: 5000 }),
      fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined }),
    )
    .map(([connections, requests]) => closed(connections, requests));
  const anyParts = fc.integer({ min: 1, max: 40 });

  test('closed loops: connections and requests sum to the whole, and each part has both', () => {
    fc.assert(
      fc.property(anyClosed, anyParts, (load, parts) => {
        const shares = splitLoad(load, parts) as ConstantConnections[];
        const useful = Math.min(load.connections, load.requests ?? Infinity);
        assert.equal(shares.length, Math.min(parts, useful));
        assert.equal(sum(shares.map((share) => share.connections)), useful);
        assert.ok(shares.every((share) => share.connections >= 1));
        if (load.requests === undefined) return;
        assert.equal(sum(shares.map((share) => share.requests!)), load.requests);
        for (const share of shares) {
          assert.ok(share.requests! >= share.connections, 'a connection without a request would be idle');
          const fair = (load.requests * share.connections) / useful;
          assert.ok(Math.abs(share.requests! - fair) < 1, 'requests follow connections');
        }
      }),
    );
  });

  test('100000 requests on 7 connections over 3 workers: 3, 2 and 2 connections, and requests to match', () => {
    const shares = splitLoad(closed(7, 100_000), 3) as ConstantConnections[];
    assert.deepEqual(
      shares.map(({ connections, requests }) => [connections, requests]),
      [
        [3, 42_857],
        [2, 28_571],
        [2, 28_572],
      ],
    );
  });

  test('fewer requests than connections: no more connections than requests', () => {
    const shares = splitLoad(closed(16, 1), 4);
    assert.deepEqual(shares, [closed(1, 1)]);
  });

  function ramp(stages: [seconds: number, target: number][], requests?: number): RampingConnections {
    return {
      executor: 'ramping-connections',
      startConnections: 0,
      stages: stages.map(([seconds, target]) => ({ durationUs: seconds * 1e6, target })),
      durationUs: stages.reduce((sum, [seconds]) => sum + seconds * 1e6, 0),
      ...(requests !== undefined && { requests }),
      keepAlive: true,
      stripe: { offset: 0, stride: 1 },
    };
  }

  test('ramps: peaks and requests sum to the whole over workers and threads, and each part has both', () => {
    const stages = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat(300)), {
      minLength: 1,
      maxLength: 4,
    });
    const requests = fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined });
    fc.assert(
      fc.property(stages, requests, anyParts, anyParts, (stages, requests, workers, threads) => {
        const load = ramp(stages, requests);
        const peak = peakConnections(load);
        fc.pre(peak > 0);
        const shares = splitLoad(load, workers);
        const leaves = shares.flatMap((share) => splitLoad(share, threads));
        for (const parts of [shares, leaves]) {
          assert.equal(sum(parts.map((part) => connectionsOf(part))), peak);
          assert.ok(parts.every((part) => connectionsOf(part) >= 1));
          if (requests === undefined) continue;
          assert.equal(sum(parts.map((part) => plannedRequests(part)!)), requests);
          assert.ok(parts.every((part) => plannedRequests(part)! >= 1));
        }
      }),
    );
  });

  test('the peak of a ramp is what it has for some time, not what it jumps over', () => {
    assert.equal(
      peakConnections(
        ramp([
          [1, 4],
          [0, 9],
          [0, 2],
          [1, 3],
          [0, 50],
        ]),
      ),
      4,
    );
  });

  test('open loops: stripes partition the arrivals, over workers and again over threads', () => {
    const anyOpen = fc
      .tuple(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 60 }),
      )
      .map(([rate, seconds, connections]) => open(rate, seconds, connections));
    fc.assert(
      fc.property(anyOpen, anyParts, anyParts, (load, workers, threads) => {
        const shares = splitLoad(load, workers) as ConstantArrivalRate[];
        const leaves = shares.flatMap((share) => splitLoad(share, threads) as ConstantArrivalRate[]);
        assert.equal(sum(leaves.map((leaf) => leaf.maxConnections)), load.maxConnections);
        assert.ok(leaves.every((leaf) => leaf.maxConnections >= 1));
        const all = leaves.flatMap(arrivals).sort((a, b) => a - b);
        assert.deepEqual(all, arrivals(load), 'each arrival in exactly one leaf');
        for (const leaf of leaves) {
          assert.equal(plannedRequests(leaf), arrivals(leaf).length);
          assert.ok(arrivals(leaf).length >= 1, 'nobody is left without work');
        }
        const counts = shares.map((share) => plannedRequests(share)!);
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1);
      }),
    );
  });

  const anyWeights = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });

  test('by weights, closed loops: connections and requests sum to the whole, as near to the weights as whole ones can be', () => {
    fc.assert(
      fc.property(anyClosed, anyWeights, (load, weights) => {
        const shares = splitLoadByWeight(load, weights) as ConstantConnections[];
        const useful = Math.min(load.connections, load.requests ?? Infinity);
        assert.equal(sum(shares.map((share) => share.connections)), useful);
        assert.ok(shares.every((share) => share.connections >= 1));
        if (load.requests !== undefined)
          assert.equal(sum(shares.map((share) => share.requests!)), load.requests);
        if (useful < sum(weights)) return;
        shares.forEach(({ connections }, i) => {
          assert.ok(Math.abs(connections - (useful * weights[i]!) / sum(weights)) < 1);
        });
      }),
    );
  });

  test('by weights, open loops: each arrival in exactly one share, and in one of its threads', () => {
    const anyOpen = fc
      .tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 60 }))
      .map(([rate, connections]) => open(rate, 1, connections));
    fc.assert(
      fc.property(anyOpen, anyWeights, fc.integer({ min: 1, max: 5 }), (load, weights, threads) => {
        const shares = splitLoadByWeight(load, weights) as ConstantArrivalRate[];
        const leaves = shares.flatMap((share) => splitLoad(share, threads) as ConstantArrivalRate[]);
        for (const parts of [shares, leaves]) {
          assert.equal(sum(parts.map((part) => part.maxConnections)), load.maxConnections);
          const all = parts.flatMap(arrivals).sort((a, b) => a - b);
          assert.deepEqual(all, arrivals(load));
          for (const part of parts) {
            assert.equal(plannedRequests(part), arrivals(part).length);
            assert.ok(arrivals(part).length >= 1 && part.maxConnections >= 1, 'nobody is without work');
          }
        }
        if (totalArrivals(load) < sum(weights) || load.maxConnections < sum(weights)) return;
        shares.forEach((share, i) => {
          const turns = Math.floor(totalArrivals(load) / sum(weights));
          const count = arrivals(share).length;
          assert.ok(count >= turns * weights[i]! && count <= (turns + 1) * weights[i]!, `${count}`);
        });
      }),
    );
  });

  test('equal weights are none: the stripes stay as narrow as they can be', () => {
    assert.deepEqual(splitLoadByWeight(open(100, 1, 9), [4, 4, 4]), splitLoad(open(100, 1, 9), 3));
    const [wide, narrow] = splitLoadByWeight(open(100, 1, 9), [200, 100]) as ConstantArrivalRate[];
    assert.deepEqual(wide!.stripe, { offset: 0, stride: 3, width: 2 });
    assert.deepEqual(narrow!.stripe, { offset: 2, stride: 3, width: 1 });
    assert.deepEqual([wide!.maxConnections, narrow!.maxConnections], [6, 3]);
  });

  test('one arrival is not split, however many connections are allowed', () => {
    assert.equal(maxParts(open(1, 1, 1000)), 1);
    assert.equal(splitLoad(open(1, 1, 1000), 3).length, 1);
  });

  const TOTALS: [rate: number, seconds: number, arrivals: number][] = [
    [1500, 10, 15_000],
    [0.1, 30, 3],
    [0.5, 3, 1],
    [0.1, 9, 0],
    [333.3, 10, 3333],
    [1 / 3, 3, 1],
  ];
  for (const [rate, seconds, expected] of TOTALS) {
    test(`${rate}/s for ${seconds} s are ${expected} arrivals`, () => {
      assert.equal(totalArrivals(open(rate, seconds, 1)), expected);
    });
  }

  test('a duration promises no number of requests', () => {
    const loads: LoadPlan[] = [closed(4), closed(4, 10), open(10, 1, 1)];
    assert.deepEqual(loads.map(plannedRequests), [undefined, 10, 10]);
  });
});
