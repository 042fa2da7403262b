import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Measured } from './contender.ts';
import type { CaseResult, ContenderResult } from './results.ts';
import { ceilingsOf, targetsOf } from './targets.ts';
import { scalingOf } from './threads.ts';

function contender(name: string, requestRate: number, ratio?: number): ContenderResult {
  const spread = ratio === undefined ? {} : { requestRateRatio: { median: ratio, min: ratio, max: ratio } };
  return { name, version: '1', runs: [], failed: 0, requestRate, ...spread };
}

const SMALL: CaseResult = {
  name: '25 B on 16 connections',
  bodyBytes: 25,
  connections: 16,
  secure: false,
  contenders: [
    contender('broadside', 30_000),
    contender('ab', 28_000, 1.07),
    contender('wrk', 31_000, 0.97),
    contender('hey', 5_000, 6),
    contender('autocannon', 10_000, 3),
  ],
};

const WORKED = (requests: number, cpuSeconds: number): Measured => ({
  requests,
  seconds: 1,
  failed: 0,
  cpuSeconds,
});

describe('targets', () => {
  const found = targetsOf({
    cases: [SMALL],
    footprint: { connections: 1_000, embeddedStartMs: [] },
    threads: {
      bodyBytes: 262_144,
      connections: 16,
      cpuPerRequest: {},
      scaling: { median: 1.9, min: 1.8, max: 2 },
    },
  });
  const rows: [what: RegExp, value: number | undefined, met: boolean | undefined][] = [
    [/over wrk's/, 0.97, true],
    [/over hey's/, 6, true],
    [/^25 B: .* over autocannon's/, 3, false],
    [/two threads/, 1.9, true],
    [/1 MiB/, undefined, undefined],
  ];
  for (const [what, value, met] of rows) {
    test(`${what.source}: ${met === undefined ? 'not measured' : met ? 'met' : 'missed'}`, () => {
      const target = found.find((one) => what.test(one.what))!;
      assert.deepEqual([target.value, target.met], [value, met]);
    });
  }
});

test('the ceiling is the fastest peer, not Broadside, over each slow one', () => {
  assert.deepEqual(
    ceilingsOf([SMALL]).map(({ over, fastest, ratio }) => [over, fastest, ratio]),
    [
      ['hey', 'wrk', 6.2],
      ['autocannon', 'wrk', 3.1],
    ],
  );
  const alone = { ...SMALL, contenders: [contender('broadside', 9), contender('hey', 1)] };
  assert.deepEqual(ceilingsOf([alone]), []);
});

test('two threads that take as much CPU a request as one scale by 2, with a quarter more by 1.6', () => {
  const one = WORKED(1_000, 1);
  const pairs = [1, 1.25, 1.25].map((more) => ({
    before: WORKED(1_000, more),
    peer: one,
    after: WORKED(2_000, 2 * more),
  }));
  const { scaling, cpuPerRequest } = scalingOf(
    pairs.map(({ after }) => after),
    pairs,
  );
  assert.deepEqual(scaling, { median: 1.6, min: 1.6, max: 2 });
  assert.deepEqual(cpuPerRequest, { one: 1_000, two: 1_250 });
});
