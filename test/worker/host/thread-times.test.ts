import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ThreadReader, type ThreadTimesById, threadsBetween } from '../../../worker/host/thread-times.ts';

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
    ['they tell nothing by now', threads({ a: [1, 1] }), undefined, undefined],
    [
      'the busiest is the one that worked and waited most; all of them waited',
      threads({ a: [100, 10], b: [0, 0] }),
      threads({ a: [150, 20], b: [30, 50] }),
      { waitUs: 60, busiestThreadUs: 80, threadsRead: 2 },
    ],
    [
      'one that has come meanwhile is left for the next look',
      threads({ a: [0, 0] }),
      threads({ a: [5, 0], b: [900, 900] }),
      { waitUs: 0, busiestThreadUs: 5, threadsRead: 1 },
    ],
    [
      'one that has gone tells nothing',
      threads({ a: [0, 0], b: [900, 900] }),
      threads({ a: [5, 1] }),
      { waitUs: 1, busiestThreadUs: 6, threadsRead: 1 },
    ],
  ];
  for (const [that, before, now, found] of rows) {
    test(that, () => assert.deepEqual(threadsBetween(before, now), found));
  }
});

const PIDS = [process.pid];
const count = (): number => readdirSync(`/proc/${process.pid}/task`).length;
/** Of `PID/task/TID`, kept as long as the reader reads it. */
const openFiles = (): number => readdirSync(`/proc/${process.pid}/fd`).length;

function computeFor(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

function reader(t: TestContext, most: number): ThreadReader {
  const made = new ThreadReader(most);
  t.after(() => made.end());
  return made;
}

describe('of this process', { skip: process.platform === 'linux' ? false : 'only Linux has /proc' }, () => {
  test('a thread that computes is seen at it', (t) => {
    const all = reader(t, 64);
    const before = all.read(PIDS, count());
    computeFor(100);
    const { busiestThreadUs, threadsRead } = threadsBetween(before, all.read(PIDS, count()))!;
    // On a CPU or waiting for one, it was ready all the time.
    assert.ok(busiestThreadUs > 80_000, `${busiestThreadUs} µs`);
    assert.equal(threadsRead, count());
    assert.equal(all.readsPart, false);
  });

  test('with room for two of many, the one that is busy is found in turn, and stays', (t) => {
    const some = reader(t, 2);
    let before = some.read(PIDS, count());
    assert.equal(before?.size, 2);
    let busyLooks = 0;
    const all = count();
    for (let look = 0; look < 2 * all; look++) {
      // The kernel accounts for a running thread by its timer, so some milliseconds late.
      computeFor(20);
      const now = some.read(PIDS, count());
      const between = threadsBetween(before, now);
      assert.ok(between === undefined || between.threadsRead <= 2);
      assert.ok(some.readsPart);
      if (look >= all && (between?.busiestThreadUs ?? 0) > 8_000) busyLooks++;
      before = now;
    }
    assert.ok(busyLooks >= all / 2, `seen at work in ${busyLooks} of the last ${all} looks`);
  });

  test('threads that come and go are followed, and their files closed', async (t) => {
    const all = reader(t, 256);
    all.read(PIDS, count());
    const [before, open] = [count(), openFiles()];
    const workers = Array.from({ length: 4 }, () => new Worker('setInterval(() => {}, 1e6)', { eval: true }));
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('online', resolve))));
    assert.equal(all.read(PIDS, count())?.size, count());
    assert.ok(count() > before);
    await Promise.all(workers.map((worker) => worker.terminate()));
    assert.equal(all.read(PIDS, count())?.size, count());
    all.end();
    assert.ok(openFiles() < open, 'all that it held are closed');
  });

  test('a process that has gone tells nothing', (t) => {
    assert.equal(reader(t, 8).read([2 ** 30], 3), undefined);
  });
});
