import { describe } from 'node:test';
import type { Evidence } from '../../../../coordinator/report/verdict/evidence.ts';
import { CLOSED, closed, open, type Row, testRows, times, WHOLE } from './evidence-fixture.ts';

const ROWS: Row[] = [
  [
    'a rate that is easily met',
    open({ summary: { serviceTime: times(4_000), latency: times(4_200), firstByte: times(3_900) } }),
    'none',
    /^100\.0 % of 5000 arrivals were answered, bound 99 %, 500\.0\/s, with 2\.0 of 100 connections/,
    /higher rate/,
  ],
  [
    'connections that pause',
    closed({
      load: {
        ...CLOSED,
        connections: 100,
        thinkTime: { pause: { distribution: 'fixed', us: 180_000 }, seed: 1, stripe: WHOLE },
      },
    }),
    'none',
    /waited for replies only 10 % of the time/,
  ],
  [
    'a script whose arrivals were all started',
    closed({
      load: { executor: 'script' },
      script: { scenarios: { default: 'constant-arrival-rate' } },
      summary: {
        script: { iterations: 900, droppedIterations: 0 } as NonNullable<Evidence['summary']['script']>,
      },
    }),
    'none',
    /all iterations that were due were started: 900/,
  ],
];

describe('a load that was carried as asked for', () => testRows(ROWS));
