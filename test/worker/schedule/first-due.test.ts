import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScheduledLoad } from '../../../shared/domain/load-plan.ts';
import { firstDueUs } from '../../../worker/schedule/first-due.ts';

const OPEN = { maxConnections: 9, maxWaitUs: 0, keepAlive: true };
const RAMP = { durationUs: 10e6, stages: [{ durationUs: 10e6, target: 10 }], keepAlive: true };

describe('the first request of a share is due', () => {
  const ROWS: [sentence: string, load: ScheduledLoad, us: number][] = [
    [
      'at the start, with constant connections',
      { executor: 'constant-connections', connections: 7, requests: 5, keepAlive: false },
      0,
    ],
    [
      'when the first connection of its stripe begins',
      { executor: 'ramping-connections', startConnections: 0, ...RAMP, stripe: { offset: 1, stride: 2 } },
      1.5e6,
    ],
    [
      'at the start, where a ramp does not begin at 0',
      { executor: 'ramping-connections', startConnections: 2, ...RAMP, stripe: { offset: 1, stride: 2 } },
      0,
    ],
    [
      'never, where its stripe is beyond the ramp',
      { executor: 'ramping-connections', startConnections: 0, ...RAMP, stripe: { offset: 10, stride: 11 } },
      Number.POSITIVE_INFINITY,
    ],
    [
      'with the first arrival of its stripe',
      {
        executor: 'constant-arrival-rate',
        rate: 10,
        durationUs: 10e6,
        ...OPEN,
        stripe: { offset: 3, stride: 4 },
      },
      300_000,
    ],
  ];
  for (const [sentence, load, us] of ROWS) test(sentence, () => assert.equal(firstDueUs(load), us));
});
