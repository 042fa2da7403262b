import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportWorker } from '../../../../coordinator/report/schema.ts';
import type { Evidence } from '../../../../coordinator/report/verdict/evidence.ts';
import { verdictOf } from '../../../../coordinator/report/verdict/verdict.ts';
import {
  type Change,
  closed,
  failures,
  onWorker,
  open,
  type Row,
  testRows,
  thread,
  times,
  worker,
} from './evidence-fixture.ts';

const ROWS: Row[] = [
  [
    'ports used up',
    closed({ summary: { requests: 900, errors: failures({ 'local-ports': 90, reset: 10 }) } }),
    'generator',
    /90 of 100 failures .*\(local-ports 90\), the first on w1: 9\.0 % of the requests, bound 1 %/,
    /--local-address/,
  ],
  [
    'descriptors used up',
    closed({ summary: { requests: 0, errors: failures({ 'local-fds': 20 }) } }),
    'generator',
    /local-fds 20/,
    /ulimit -n/,
  ],
  [
    'a load thread that works all the time',
    closed({ workers: [worker({ threadLoads: [thread(0.98)] })] }),
    'generator',
    /^w1: its one load thread had no time left in 100 % of the seconds, bound 50 %: busy 99 % of the time$/,
    /more workers/,
  ],
  [
    'one of two',
    closed({ workers: [worker({ threads: 2, threadLoads: [thread(0.2), thread(0.98)] })] }),
    'generator',
    /1 of its 2 load threads/,
  ],
  [
    'a thread that has to wait for a core',
    closed({ workers: [worker({ threadLoads: [thread(0.3, { waited: 0.68, full: 0.9 })] })] }),
    'generator',
    /busy 98 % of the time, 68 % of it waiting for a core that others had/,
  ],
  [
    'a process whose threads do not tell',
    closed({ workers: [worker({ threadLoads: undefined!, cpu: 0.97 })] }),
    'generator',
    /w1 kept 0\.97 cores busy/,
  ],
  [
    'a full machine whose threads do not tell',
    closed({ workers: [worker({ threadLoads: undefined! })], hosts: [onWorker({ busy: 0.99 })] }),
    'generator',
    /w1: all 4 cores .* 99 % of the time, bound 95 %/,
  ],
  [
    'a full machine with the target on it, whose threads wait for cores',
    closed({
      workers: [worker({ threadLoads: [thread(0.3, { waited: 0.3 })] })],
      hosts: [onWorker({ busy: 0.99 })],
    }),
    'generator',
    /all 4 cores/,
  ],
  [
    'arrivals that are sent late',
    open({ summary: { sendLag: times(25_000) } }),
    'generator',
    /25\.0 ms or more after it was due, bound 10\.0 ms/,
  ],
  [
    'late timers, where latencies are no longer than that',
    closed({ summary: { loopDelay: times(12_000) } }),
    'generator',
    /timers came 12\.0 ms late or more, bound 10\.0 ms/,
  ],
  [
    'what it was measured to reach',
    closed({ workers: [worker({ threadLoads: [thread(0.85)], requestRate: 900, capacity: 1_000 })] }),
    'generator',
    /w1 sent 900\/s of the 1000\/s that it was measured to reach against itself, bound 80 %/,
  ],
  [
    'iterations of k6 that found no VU',
    closed({
      load: { executor: 'script' },
      summary: {
        script: { iterations: 900, droppedIterations: 100 } as NonNullable<Evidence['summary']['script']>,
      },
    }),
    'generator',
    /100 iterations were dropped for want of a free VU: 10\.0 %/,
    /maxVUs/,
  ],
  [
    'samples of k6 that were read late',
    closed({
      load: { executor: 'script' },
      workers: [worker({ warnings: ['samples of k6 waited up to 4.2 s until they were read'] })],
    }),
    'generator',
    /^w1: samples of k6 waited up to 4\.2 s/,
  ],
];

describe('what the generator did to itself', () => testRows(ROWS));

describe('a worker with a rate cap', () => {
  const capped = (more: Partial<ReportWorker>): Change => ({ workers: [worker({ maxRate: 800, ...more })] });

  test('that was reached: it, and not the target, is named', () => {
    const { limit, evidence } = verdictOf(
      closed(capped({ maxRate: 505, held: { requests: 4_000, us: 25e6 } })),
    );
    assert.equal(limit, 'generator');
    assert.deepEqual(evidence, [
      'rate cap of worker w1 reached: it may send 505/s (--max-rate), and its requests waited for that 20 % of the time, bound 5 %',
    ]);
  });

  test('that was never in the way changes nothing', () => {
    const held = { requests: 40, us: 1e6 };
    assert.deepEqual(verdictOf(closed(capped({ held }))), verdictOf(closed()));
    assert.deepEqual(verdictOf(open(capped({ maxRate: 500, held }))), verdictOf(open()));
  });
});
