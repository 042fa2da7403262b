import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { quantileOf, summarize } from '../../../shared/metrics/summary.ts';
import { TimelineBuilder } from '../../../shared/metrics/timeline.ts';
import { intervalOf, type Sample } from '../../support/intervals.ts';

function summaryOf(samples: readonly Sample[], durationUs: number) {
  const timeline = new TimelineBuilder();
  timeline.add('s', 0, intervalOf(0, samples));
  return summarize(timeline, durationUs);
}

const reset = (atUs: number) => ({ class: 'reset' as const, message: 'reset', atUs });

test('a small trial, number by number', () => {
  const summary = summaryOf(
    [
      { latencyUs: 100, status: 200, bytes: 300, body: 200, connectUs: 40, firstByteUs: 80 },
      { latencyUs: 200, status: 200, bytes: 300, body: 200, firstByteUs: 90 },
      { latencyUs: 300, status: 404, bytes: 150, body: 0, firstByteUs: 100 },
      { latencyUs: 0, bytes: 50, error: reset(700) },
      {
        latencyUs: 0,
        status: 500,
        bytes: 200,
        body: 100,
        error: { class: 'status', message: '500', atUs: 800 },
      },
    ],
    500_000,
  );
  const { latency, connect, firstByte, ...rest } = summary;
  assert.deepEqual(rest, {
    requests: 3,
    requestRate: 6,
    durationUs: 500_000,
    bytes: { received: 1000, body: 500, sent: 500 },
    transferRate: { received: 2000, body: 1000, sent: 1000 },
    status: { 200: 2, 404: 1, 500: 1 },
    errors: {
      total: 2,
      byClass: { reset: 1, status: 1 },
      first: [reset(700), { class: 'status', message: '500', atUs: 800 }],
    },
    connections: { opened: 1, reused: 4, byAddress: { '10.0.0.5': 1 } },
  });
  assert.deepEqual(
    [latency.min, latency.mean, latency.p50, latency.p99, latency.max],
    [100, 200, 200, 300, 300],
    'latencies are those of completed requests only',
  );
  assert.equal(latency.stdev.toFixed(3), '81.650');
  assert.deepEqual([connect?.min, connect?.max], [40, 40]);
  assert.equal(firstByte?.mean, 90);
});

describe('durations', () => {
  const rows: [why: string, durationUs: number, rate: number, wholeUs: number][] = [
    ['a second', 1_000_000, 1, 1_000_000],
    ['fractions are rounded before anything is divided', 1_000_000.4, 1, 1_000_000],
    ['no time at all is no rate rather than an infinite one', 0, 0, 0],
    ['a request in 250 µs', 250, 4000, 250],
  ];
  for (const [why, durationUs, rate, wholeUs] of rows) {
    test(why, () => {
      const { requestRate, durationUs: said } = summaryOf([{ latencyUs: 100 }], durationUs);
      assert.deepEqual([requestRate, said], [rate, wholeUs]);
    });
  }
});

test('a phase without values is absent; the latency of nothing is zeros and no histogram', () => {
  const summary = summaryOf([], 1e6);
  assert.equal(summary.serviceTime, undefined);
  assert.equal(summary.connect, undefined);
  assert.equal(summary.latency.histogram, '');
  assert.equal(quantileOf(summary.latency, 0.5), 0);
  assert.equal(summary.latency.count, 0);
});

test('p50 ≤ p75 ≤ … ≤ max, and any quantile can be read back from the report', () => {
  const values = fc.array(fc.integer({ min: 0, max: 100_000_000 }), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(values, (latencies) => {
      const { latency } = summaryOf(
        latencies.map((latencyUs) => ({ latencyUs })),
        1e6,
      );
      const { min, p50, p75, p90, p95, p99, p999, max } = latency;
      const rising = [min, p50, p75, p90, p95, p99, p999, max];
      for (let i = 1; i < rising.length; i++) assert.ok(rising[i - 1]! <= rising[i]!);
      assert.ok(min <= latency.mean && latency.mean <= max);
      assert.equal(latency.count, latencies.length);
      assert.deepEqual(
        [quantileOf(latency, 0.5), quantileOf(latency, 0.99), quantileOf(latency, 1)],
        [p50, p99, max],
      );
    }),
  );
});
