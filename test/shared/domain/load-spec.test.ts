import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readLoad } from '../../../shared/domain/load-spec.ts';

const WHOLE = { offset: 0, stride: 1 };
const CLOSED = { executor: 'constant-connections', connections: 4, duration: '10s' };
const RAMP = { executor: 'ramping-connections', stages: [{ duration: '10s', target: 5 }] };
const OPEN = { executor: 'constant-arrival-rate', rate: '100/s', duration: '10s' };
const OPEN_RAMP = { executor: 'ramping-arrival-rate', stages: [{ duration: '10s', target: '100/s' }] };

const PLANS: [sentence: string, load: object, plan: object][] = [
  [
    'a ramp begins at no connection and keeps them alive unless told',
    RAMP,
    {
      executor: 'ramping-connections',
      startConnections: 0,
      stages: [{ durationUs: 10_000_000, target: 5 }],
      durationUs: 10_000_000,
      keepAlive: true,
      stripe: WHOLE,
    },
  ],
  [
    'jumps, falls to 0, an end by number, and connections that think',
    {
      ...RAMP,
      startConnections: 2,
      stages: [
        { duration: '0s', target: 8 },
        { duration: '2s', target: 0 },
      ],
      requests: 100,
      thinkTime: '100ms',
      keepAlive: false,
    },
    {
      executor: 'ramping-connections',
      startConnections: 2,
      stages: [
        { durationUs: 0, target: 8 },
        { durationUs: 2_000_000, target: 0 },
      ],
      durationUs: 2_000_000,
      requests: 100,
      keepAlive: false,
      thinkTime: { pause: { distribution: 'fixed', us: 100_000 }, seed: 1, stripe: WHOLE },
      stripe: WHOLE,
    },
  ],
  [
    'an arrival rate on a ramp begins at 0',
    { ...OPEN_RAMP, maxConnections: 7, maxWait: '0s' },
    {
      executor: 'ramping-arrival-rate',
      startRate: 0,
      stages: [{ durationUs: 10_000_000, target: 100 }],
      durationUs: 10_000_000,
      maxConnections: 7,
      maxWaitUs: 0,
      keepAlive: true,
      stripe: WHOLE,
    },
  ],
  [
    'rates in any unit, and a rest',
    {
      ...OPEN_RAMP,
      startRate: '60/m',
      stages: [
        { duration: '1s', target: 0 },
        { duration: '1m', target: '1200/m' },
      ],
      arrivals: 'even',
    },
    {
      executor: 'ramping-arrival-rate',
      startRate: 1,
      stages: [
        { durationUs: 1_000_000, target: 0 },
        { durationUs: 60_000_000, target: 20 },
      ],
      durationUs: 61_000_000,
      maxConnections: 1000,
      maxWaitUs: 1_000_000,
      keepAlive: true,
      stripe: WHOLE,
    },
  ],
  [
    'Poisson arrivals have a seed, 1 unless told',
    { ...OPEN, arrivals: 'poisson' },
    {
      executor: 'constant-arrival-rate',
      rate: 100,
      durationUs: 10_000_000,
      maxConnections: 1000,
      maxWaitUs: 1_000_000,
      keepAlive: true,
      poisson: { seed: 1 },
      stripe: WHOLE,
    },
  ],
  [
    'a pause at random, with a seed',
    { ...CLOSED, thinkTime: { uniform: ['50ms', '150ms'] }, seed: 0 },
    {
      executor: 'constant-connections',
      connections: 4,
      durationUs: 10_000_000,
      keepAlive: true,
      thinkTime: {
        pause: { distribution: 'uniform', minUs: 50_000, maxUs: 150_000 },
        seed: 0,
        stripe: WHOLE,
      },
    },
  ],
  [
    'an exponential pause',
    { ...CLOSED, thinkTime: { exponential: '1s' } },
    {
      executor: 'constant-connections',
      connections: 4,
      durationUs: 10_000_000,
      keepAlive: true,
      thinkTime: { pause: { distribution: 'exponential', meanUs: 1_000_000 }, seed: 1, stripe: WHOLE },
    },
  ],
];

const REFUSED: [load: object, path: string, message: RegExp][] = [
  [
    { ...RAMP, stages: undefined },
    'load.stages',
    /^is missing; expected a list such as \[\{ duration: 30s, target: 50 \}\]$/,
  ],
  [{ ...RAMP, stages: [] }, 'load.stages', /^there are none; give at least one/],
  [{ ...RAMP, stages: { duration: '1s', target: 1 } }, 'load.stages', /^a mapping is not a list such as/],
  [
    { ...RAMP, stages: ['1s'] },
    'load.stages.0',
    /^"1s" is not a mapping such as \{ duration: 30s, target: 50 \}$/,
  ],
  [{ ...RAMP, stages: [{ duration: '0s', target: 1 }] }, 'load.stages', /together last no time at all/],
  [{ ...RAMP, stages: [{ target: 1 }] }, 'load.stages.0.duration', /^is missing; expected a duration/],
  [
    { ...RAMP, stages: [{ duration: '1s' }] },
    'load.stages.0.target',
    /^is missing; expected a whole number from 0/,
  ],
  [
    { ...RAMP, stages: [{ duration: '1s', target: -1 }] },
    'load.stages.0.target',
    /^-1 is not a whole number from 0 to/,
  ],
  [
    { ...RAMP, stages: [{ duration: '1s', target: 1.5 }] },
    'load.stages.0.target',
    /^1.5 is not a whole number/,
  ],
  [
    { ...RAMP, stages: [{ duration: '1s', target: 1, rate: 1 }] },
    'load.stages.0.rate',
    /^unknown key "rate"/,
  ],
  [{ ...RAMP, stages: [{ duration: '-1s', target: 1 }] }, 'load.stages.0.duration', /is negative/],
  [
    { ...RAMP, stages: [{ duration: '1s', target: 0 }] },
    'load.stages',
    /^no connection would ever be active/,
  ],
  [
    {
      ...RAMP,
      stages: [
        { duration: '1s', target: 0 },
        { duration: '0s', target: 9 },
      ],
    },
    'load.stages',
    /^no connection would ever be active/,
  ],
  [{ ...RAMP, startConnections: -1 }, 'load.startConnections', /^-1 is not a whole number from 0/],
  [
    { ...RAMP, connections: 4 },
    'load.connections',
    /the stages have targets; the first begins at "startConnections"/,
  ],
  [{ ...RAMP, duration: '4s' }, 'load.duration', /each of the stages has a duration of its own/],
  [
    { ...RAMP, arrivals: 'poisson' },
    'load.arrivals',
    /belongs to executor constant-arrival-rate or ramping-arrival-rate/,
  ],
  [
    { ...CLOSED, stages: [] },
    'load.stages',
    /belongs to executor ramping-connections or ramping-arrival-rate/,
  ],
  [{ ...OPEN_RAMP, stages: [] }, 'load.stages', /^there are none/],
  [
    { ...OPEN_RAMP, stages: [{ duration: '1s', target: -5 }] },
    'load.stages.0.target',
    /^-5 is not a rate of 0 or more, such as 1500 or "1500\/s"$/,
  ],
  [{ ...OPEN_RAMP, stages: [{ duration: '1s', target: 0 }] }, 'load.stages', /not one request falls in/],
  [{ ...OPEN_RAMP, rate: 1 }, 'load.rate', /the stages have targets; the first begins at "startRate"/],
  [{ ...OPEN_RAMP, thinkTime: '1s' }, 'load.thinkTime', /belongs to executor constant-connections/],
  [{ ...OPEN, rate: 0 }, 'load.rate', /^0 is not a rate more than 0/],
  [{ ...OPEN, arrivals: 'poison' }, 'load.arrivals', /did you mean "poisson"\?/],
  [{ ...OPEN, seed: -1 }, 'load.seed', /^-1 is not a whole number from 0 to 4294967295$/],
  [{ ...OPEN, startRate: 1 }, 'load.startRate', /belongs to executor ramping-arrival-rate/],
  [{ ...CLOSED, thinkTime: 100 }, 'load.thinkTime', /^100 has no unit; write 100s, or 100ms$/],
  [{ ...CLOSED, thinkTime: '0s' }, 'load.thinkTime', /is no time at all/],
  [
    { ...CLOSED, thinkTime: null },
    'load.thinkTime',
    /^the value is empty; expected a duration such as 100ms, \{ uniform/,
  ],
  [
    { ...CLOSED, thinkTime: ['1s', '2s'] },
    'load.thinkTime',
    /^a list is not a duration such as 100ms, \{ uniform/,
  ],
  [
    { ...CLOSED, thinkTime: { normal: '1s' } },
    'load.thinkTime',
    /^a mapping is not a duration such as 100ms, \{ uniform/,
  ],
  [
    { ...CLOSED, thinkTime: { uniform: ['1s', '2s'], exponential: '1s' } },
    'load.thinkTime',
    /^a mapping is not a duration such as 100ms/,
  ],
  [
    { ...CLOSED, thinkTime: { uniform: '1s' } },
    'load.thinkTime',
    /^uniform: "1s" is not the shortest and the longest/,
  ],
  [
    { ...CLOSED, thinkTime: { uniform: ['2s', '1s'] } },
    'load.thinkTime',
    /^uniform: "2s" is longer than "1s"/,
  ],
  [{ ...CLOSED, thinkTime: { uniform: ['x', '1s'] } }, 'load.thinkTime', /^uniform: "x" is not a duration/],
  [{ ...CLOSED, thinkTime: { exponential: 3 } }, 'load.thinkTime', /^exponential: 3 has no unit/],
];

describe('load', () => {
  for (const [sentence, load, plan] of PLANS) {
    test(sentence, () => assert.deepEqual(readLoad(load), plan));
  }

  for (const [load, path, message] of REFUSED) {
    test(`refused: ${JSON.stringify(load)}`, () => {
      const problems = readLoad(load);
      assert.ok(Array.isArray(problems), 'it was taken');
      assert.deepEqual(
        problems.map((problem) => problem.path.join('.')),
        [path],
      );
      assert.match(problems[0]!.message, message);
    });
  }
});
