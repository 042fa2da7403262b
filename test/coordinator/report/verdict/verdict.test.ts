import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportHost } from '../../../../coordinator/report/hosts/host-model.ts';
import type { Verdict } from '../../../../coordinator/report/schema.ts';
import type { Evidence } from '../../../../coordinator/report/verdict/evidence.ts';
import { verdictOf } from '../../../../coordinator/report/verdict/verdict.ts';
import {
  both,
  type Change,
  CLOSED,
  closed,
  failures,
  host,
  LOOPBACK,
  lossy,
  onWorker,
  open,
  overflowing,
  process,
  TRIED_AGAIN,
  thread,
  times,
  wire,
  worker,
} from './evidence-fixture.ts';

test('what is inferred is called so', () => {
  assert.equal(verdictOf(closed()).inferred, true);
  assert.equal(verdictOf(closed({ hosts: [host({ busy: 0.97 })] })).inferred, undefined);
});

describe('what is no evidence', () => {
  const rows: [that: string, trial: Evidence, not: Verdict['limit']][] = [
    [
      'one failure of its own in five thousand requests',
      closed({ summary: { errors: failures({ 'local-fds': 1 }) } }),
      'generator',
    ],
    [
      'lateness that is little beside the service time',
      open({ summary: { serviceTime: times(400_000), sendLag: times(25_000) } }),
      'generator',
    ],
    [
      'a machine kept busy by the target on it, whose load threads get their cores',
      closed({ hosts: [onWorker({ busy: 0.99 })] }),
      'generator',
    ],
    [
      'a capacity that was measured on a bad day',
      closed({ workers: [worker({ requestRate: 900, capacity: 1_000 })] }),
      'generator',
    ],
    [
      'a full host whose server gets its cores: something else fills it',
      open({
        summary: { serviceTime: times(4_000) },
        hosts: [host({ busy: 0.99, processes: [process({})] })],
      }),
      'target',
    ],
    [
      'one connection over loopback: neither side is waited for while the other is at work',
      closed({
        load: { ...CLOSED, connections: 1 },
        wire: LOOPBACK,
        summary: { requestRate: 9_000, latency: times(100), firstByte: times(95) },
      }),
      'target',
    ],
    ['a full loopback', closed({ wire: wire({ loopback: true, share: 0.99 }) }), 'network'],
    [
      'segments sent again on a machine that loads itself',
      closed({ wire: LOOPBACK, hosts: [onWorker({ tcp: lossy(400) })] }),
      'network',
    ],
    [
      'overflows of somebody else’s queue: no connection here was tried again',
      closed({
        workers: [worker({ threadLoads: [thread(0.85)] })],
        hosts: [host({ tcp: { ...overflowing(400), retransmits: 0 } })],
      }),
      'target',
    ],
    [
      'a full host that loads itself: it may be the generator that fills it',
      closed({
        workers: [worker({ threadLoads: [thread(0.85)] })],
        hosts: [onWorker({ machine: 'one', busy: 0.9 }), host({ machine: 'one', busy: 0.97 })],
      }),
      'target',
    ],
  ];
  for (const [that, trial, not] of rows) {
    test(that, () => assert.notEqual(verdictOf(trial).limit, not));
  }
});

describe('never the target when the generator was at a limit', () => {
  const limits: [that: string, limit: Change][] = [
    ['a full thread', { workers: [worker({ threadLoads: [thread(0.97)] })] }],
    ['a second worker with a full thread', { workers: [worker(), worker({ threadLoads: [thread(0.97)] })] }],
    ['starved threads', { workers: [worker({ threadLoads: [thread(0.1, { waited: 0.87, full: 0.8 })] })] }],
    ['no ports', { summary: { errors: failures({ 'local-ports': 500 }) } }],
    ['late arrivals', { summary: { sendLag: times(1e6) } }],
    ['late timers', { summary: { loopDelay: times(50_000) } }],
    ['a rate cap', { workers: [worker({ maxRate: 500 })] }],
    [
      'a rate cap that held requests',
      { workers: [worker({ maxRate: 800, held: { requests: 9, us: 9e6 } })] },
    ],
  ];
  const targets: [that: string, seen: ReportHost[]][] = [
    ['nobody watched', []],
    ['its host was full', [host({ busy: 1 })]],
    ['its process was full', [host({ processes: [process({ busiestThread: both(1) })] })]],
    ['its queue overflowed', [host({ tcp: overflowing(9_999) })]],
  ];
  for (const [that, limit] of limits) {
    for (const [seen, hosts] of targets) {
      test(`${that}; ${seen}`, () => {
        const { limit: found } = verdictOf(
          closed({ hosts, ...limit, summary: { ...TRIED_AGAIN, ...limit.summary } }),
        );
        assert.equal(found, 'generator');
      });
    }
  }
});
