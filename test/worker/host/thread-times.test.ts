import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readThreadTimes, type ThreadTimesById, threadsBetween } from '../../../worker/host/thread-times.ts';

const threads = (rows: Record<string, [cpuUs: number, waitUs: number]>): ThreadTimesById =>
  new Map(Object.entries(rows).map(([thread, [cpuUs, waitUs]]) => [thread, { cpuUs, waitUs }]));

describe('threads between two looks', () => {
  const rows: [
    that: string,
    before: ThreadTimesById | undefined,
    now: ThreadTimesById | undefined,
    found: ReturnType<typeof threadsBetween>,
  ][] = [
    ['nothing to compare with', undefined, threads({ a: [1, 1] }), undefined],
    ['they are too many by now', threads({ a: [1, 1] }), undefined, undefined],
    [
      'the busiest is the one that worked and waited most; all of them waited',
      threads({ a: [100, 10], b: [0, 0] }),
      threads({ a: [150, 20], b: [30, 50] }),
      { waitUs: 60, busiestThreadUs: 80 },
    ],
    [
      'one that has come meanwhile is left for the next look',
      threads({ a: [0, 0] }),
      threads({ a: [5, 0], b: [900, 900] }),
      { waitUs: 0, busiestThreadUs: 5 },
    ],
    [
      'one that has gone tells nothing',
      threads({ a: [0, 0], b: [900, 900] }),
      threads({ a: [5, 1] }),
      { waitUs: 1, busiestThreadUs: 6 },
    ],
  ];
  for (const [that, before, now, found] of rows) {
    test(that, () => assert.deepEqual(threadsBetween(before, now), found));
  }
});

describe('of this process', { skip: process.platform === 'linux' ? false : 'only Linux has /proc' }, () => {
  test('a thread that computes is seen at it', () => {
    const before = readThreadTimes([process.pid], 16);
    const endMs = performance.now() + 100;
    while (performance.now() < endMs);
    const { busiestThreadUs } = threadsBetween(before, readThreadTimes([process.pid], 16))!;
    // On a CPU or waiting for one, it was ready all the time.
    assert.ok(busiestThreadUs > 80_000, `${busiestThreadUs} µs`);
  });

  test('of very many threads nothing is told', () => {
    assert.equal(readThreadTimes([process.pid], 10_000), undefined);
  });
});
