import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LoadPlan } from '../../shared/domain/load-plan.ts';
import { checkMaxRate, readMaxRate } from '../../worker/max-rate.ts';

describe('a rate cap as it is typed', () => {
  const RATES: [string, number | undefined][] = [
    ['5000', 5_000],
    [' 5000 ', 5_000],
    ['5000/s', 5_000],
    ['5000 / s', 5_000],
    ['0.5', 0.5],
    ['90/m', 1.5],
    ['0', undefined],
    ['0/s', undefined],
    ['-5', undefined],
    ['5k', undefined],
    ['5,000', undefined],
    ['5.0.0', undefined],
    ['1e5', undefined],
    ['5000/x', undefined],
    ['fast', undefined],
    ['', undefined],
  ];
  for (const [text, perSecond] of RATES) {
    test(`${JSON.stringify(text)} is ${perSecond === undefined ? 'none' : `${perSecond} a second`}`, () => {
      assert.equal(readMaxRate(text), perSecond);
    });
  }
});

describe('a shard that a coordinator hands out', () => {
  const arrivals = {
    executor: 'constant-arrival-rate',
    rate: 600,
    durationUs: 1e6,
    maxConnections: 10,
    maxWaitUs: 0,
    keepAlive: true,
  } as const;
  const SHARDS: [string, LoadPlan, RegExp | undefined][] = [
    ['half of 600/s is 300/s', { ...arrivals, stripe: { offset: 1, stride: 2 } }, undefined],
    [
      'two thirds of it are too many',
      { ...arrivals, stripe: { offset: 0, stride: 3, width: 2 } },
      /asks for 400\/s/,
    ],
    [
      'the peak of a ramp counts',
      {
        ...arrivals,
        executor: 'ramping-arrival-rate',
        startRate: 1,
        stages: [{ durationUs: 1e6, target: 301 }],
        stripe: { offset: 0, stride: 1 },
      },
      /takes at most 300\/s \(--max-rate\), and its shard asks for 301\/s/,
    ],
    [
      'a closed loop is slowed down when it comes to that',
      { executor: 'constant-connections', connections: 900, durationUs: 1e6, keepAlive: true },
      undefined,
    ],
    ['a script is not begun', { executor: 'script' }, /k6 has no cap/],
  ];
  for (const [what, load, refused] of SHARDS) {
    test(`at most 300/s: ${what}`, () => {
      if (refused === undefined) checkMaxRate({ load }, 300);
      else assert.throws(() => checkMaxRate({ load }, 300), refused);
      checkMaxRate({ load }, undefined);
    });
  }
});
