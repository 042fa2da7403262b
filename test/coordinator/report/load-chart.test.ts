import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadChart, rampPoints } from '../../../coordinator/report/load-chart.ts';
import type { TimelinePoint } from '../../../coordinator/report/timeline-points.ts';
import type { LoadPlan } from '../../../shared/domain/load-plan.ts';
import { CLOSED, OPEN } from './journal-fixture.ts';

const UP = { durationUs: 10e6, target: 100 };
const HOLD = { durationUs: 20e6, target: 100 };
const JUMP = { durationUs: 0, target: 40 };

describe('a ramp as planned', () => {
  const rows: [sentence: string, end: number, points: [number, number][]][] = [
    [
      'bends where its stages end, and jumps where one takes no time',
      30,
      [
        [0, 0],
        [10, 100],
        [10, 40],
        [30, 100],
      ],
    ],
    [
      'ends where the trial did',
      5,
      [
        [0, 0],
        [5, 50],
      ],
    ],
    [
      'ends in a later stage',
      20,
      [
        [0, 0],
        [10, 100],
        [10, 40],
        [20, 70],
      ],
    ],
    [
      'stays where it ended while the last requests do',
      31,
      [
        [0, 0],
        [10, 100],
        [10, 40],
        [30, 100],
        [31, 100],
      ],
    ],
  ];
  for (const [sentence, end, points] of rows)
    test(sentence, () => assert.deepEqual(rampPoints(0, [UP, JUMP, HOLD], end), points));
});

describe('the chart of the load', () => {
  const x = { label: 'seconds', from: 0, to: 2 };
  const point = (second: number, more: Partial<TimelinePoint> = {}): TimelinePoint => ({
    second,
    lengthUs: 1e6,
    requestRate: 1,
    transferRate: 1,
    errors: 0,
    ...more,
  });
  const stripe = { offset: 0, stride: 1 };
  const rows: [sentence: string, load: LoadPlan, points: TimelinePoint[], shown: RegExp | undefined][] = [
    ['is none of a load that stays', CLOSED, [point(0), point(1)], undefined],
    ['is none of arrivals that stay', OPEN, [point(0), point(1)], undefined],
    [
      'is the plan of a ramp of connections',
      {
        executor: 'ramping-connections',
        startConnections: 1,
        stages: [UP],
        durationUs: 10e6,
        keepAlive: true,
        stripe,
      },
      [point(0), point(1)],
      /Connections, as planned: from 1 on, at most 20\.8/,
    ],
    [
      'is the plan of a ramp of arrivals',
      { ...OPEN, executor: 'ramping-arrival-rate', startRate: 0, stages: [UP], durationUs: 10e6 },
      [point(0), point(1)],
      /Arrivals a second, as planned: from 0 on, at most 20"/,
    ],
    [
      'is the VUs of a script as they were counted',
      { executor: 'script' },
      [point(0, { vus: 2, vusMax: 5 }), point(1, { vus: 4, vusMax: 5 })],
      /VUs by the second: from 2 to 4 at work[\s\S]*at work[\s\S]*allocated/,
    ],
    ['is none where nobody told of VUs', { executor: 'script' }, [point(0), point(1)], undefined],
  ];
  for (const [sentence, load, points, shown] of rows)
    test(sentence, () => {
      const charts = loadChart(load, points, x, 'by the second');
      assert.equal(charts.length, shown === undefined ? 0 : 1);
      if (shown !== undefined) assert.match(charts[0]!.text, shown);
    });
});
