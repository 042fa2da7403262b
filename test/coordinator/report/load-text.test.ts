import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadText } from '../../../coordinator/report/load-text.ts';
import type { LoadPlan } from '../../../shared/domain/load-plan.ts';

const WHOLE = { offset: 0, stride: 1 };
const OPEN = { maxConnections: 9, maxWaitUs: 0, keepAlive: true, stripe: WHOLE };

describe('a load in words', () => {
  const ROWS: [load: LoadPlan, text: string][] = [
    [
      { executor: 'constant-connections', connections: 1, requests: 5, durationUs: 1e6, keepAlive: false },
      'constant-connections: 1 connection, 5 requests, at most 1.00 s, a new connection for each request',
    ],
    [
      {
        executor: 'constant-connections',
        connections: 2,
        durationUs: 1e6,
        keepAlive: true,
        thinkTime: { pause: { distribution: 'fixed', us: 100_000 }, seed: 1, stripe: WHOLE },
      },
      'constant-connections: 2 connections, 1.00 s, thinking for 100 ms, keep-alive',
    ],
    [
      {
        executor: 'ramping-connections',
        startConnections: 1,
        stages: [
          { durationUs: 30e6, target: 50 },
          { durationUs: 5e6, target: 50 },
          { durationUs: 0, target: 0 },
        ],
        durationUs: 35e6,
        requests: 1000,
        keepAlive: true,
        thinkTime: {
          pause: { distribution: 'uniform', minUs: 50_000, maxUs: 150_000 },
          seed: 7,
          stripe: WHOLE,
        },
        stripe: WHOLE,
      },
      'ramping-connections: from 1 to 50 in 30.0 s, 50 for 5.00 s, at once to 0 connections, 1000 requests, ' +
        'thinking for 50.0 ms to 150 ms (uniform, seed 7), keep-alive',
    ],
    [
      { executor: 'constant-arrival-rate', rate: 500, durationUs: 10e6, ...OPEN },
      'constant-arrival-rate: 500/s for 10.0 s, at most 9 connections, keep-alive',
    ],
    [
      {
        executor: 'ramping-arrival-rate',
        startRate: 0,
        stages: [
          { durationUs: 10e6, target: 500 },
          { durationUs: 5e6, target: 0.5 },
        ],
        durationUs: 15e6,
        ...OPEN,
        poisson: { seed: 1 },
      },
      'ramping-arrival-rate: from 0/s to 500/s in 10.0 s, to 0.5/s in 5.00 s, Poisson arrivals (seed 1), ' +
        'at most 9 connections, keep-alive',
    ],
    [
      {
        executor: 'constant-connections',
        connections: 2,
        requests: 9,
        keepAlive: true,
        thinkTime: { pause: { distribution: 'exponential', meanUs: 1e6 }, seed: 0, stripe: WHOLE },
      },
      'constant-connections: 2 connections, 9 requests, thinking for 1.00 s on average (exponential, seed 0), keep-alive',
    ],
  ];
  for (const [load, text] of ROWS) test(text, () => assert.equal(loadText(load), text));
});
