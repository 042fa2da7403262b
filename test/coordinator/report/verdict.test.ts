import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReportHost, ReportLink, ReportProcess } from '../../../coordinator/report/hosts/host-model.ts';
import type { ReportThread, ReportWorker, Verdict } from '../../../coordinator/report/schema.ts';
import { type Evidence, verdictOf } from '../../../coordinator/report/verdict.ts';
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';
import type { LatencySummary } from '../../../shared/metrics/summary.ts';

/** All of its quantiles alike, but for those that are given. */
function times(us: number, more: Partial<LatencySummary> = {}): LatencySummary {
  const { count = 5_000 } = more;
  const all = { min: us, mean: us, stdev: 0, p50: us, p75: us, p90: us, p95: us, p99: us, p999: us, max: us };
  return { ...all, histogram: '', ...more, count };
}

function thread(cpu: number, more: Partial<ReportThread> = {}): ReportThread {
  return { cpu, waited: 0.01, full: cpu >= 0.95 ? 1 : 0, ...more };
}

function worker(more: Partial<ReportWorker> = {}): ReportWorker {
  return {
    name: 'w1',
    hostname: 'load-1',
    threads: 1,
    clockOffsetUs: 0,
    clockUncertaintyUs: 0,
    threadLoads: [thread(0.2)],
    requests: 5_000,
    share: 1,
    expectedShare: 1,
    requestRate: 500,
    transferRate: 1e6,
    ...more,
  };
}

const WHOLE = { offset: 0, stride: 1 };
const CLOSED: Evidence['load'] = {
  executor: 'constant-connections',
  connections: 10,
  durationUs: 1e7,
  keepAlive: true,
};
const OPEN: Evidence['load'] = {
  executor: 'constant-arrival-rate',
  rate: 500,
  durationUs: 1e7,
  maxConnections: 100,
  maxWaitUs: 0,
  keepAlive: true,
  stripe: WHOLE,
};

/** 500/s for 10 s with 20 ms each: ten connections that wait all the time. */
const SUMMARY: Evidence['summary'] = {
  requests: 5_000,
  requestRate: 500,
  durationUs: 1e7,
  errors: { total: 0, byClass: {}, first: [] },
  connections: { opened: 10, reused: 4_990, byAddress: {} },
  latency: times(20_000),
  firstByte: times(19_000),
  connect: times(200, { count: 10 }),
  loopDelay: times(900),
};

interface Change extends Partial<Omit<Evidence, 'summary'>> {
  summary?: Partial<Evidence['summary']>;
}

function closed({ summary = {}, ...more }: Change = {}): Evidence {
  return {
    load: CLOSED,
    summary: { ...SUMMARY, ...summary },
    ledger: { dropped: 0 },
    stalls: [],
    workers: [worker()],
    hosts: [],
    connectUs: 250,
    ...more,
  };
}

function open({ summary = {}, ...more }: Change = {}): Evidence {
  return closed({
    load: OPEN,
    ledger: { planned: 5_000, dropped: 0 },
    ...more,
    summary: { serviceTime: times(20_000), sendLag: times(150), ...summary },
  });
}

function failures(byClass: Partial<Record<ErrorClass, number>>): Evidence['summary']['errors'] {
  const total = Object.values(byClass).reduce((sum, count) => sum + count, 0);
  const names = Object.keys(byClass) as ErrorClass[];
  return {
    total,
    byClass,
    first: names.map((name) => ({ class: name, message: 'E', atUs: 1, worker: 'w1' })),
  };
}

const both = (mean: number) => ({ mean, max: mean });

function host(
  more: Partial<ReportHost> & { busy?: number; core?: number; iowait?: number } = {},
): ReportHost {
  const { busy = 0.3, core = busy, iowait = 0, ...rest } = more;
  return {
    name: 'target',
    role: 'observer',
    machine: `machine of ${rest.name ?? 'target'}`,
    cores: 4,
    clockOffsetUs: 0,
    clockUncertaintyUs: 0,
    sampledUs: 1e7,
    cpu: {
      busy: both(busy),
      user: both(busy),
      system: both(0),
      iowait: both(iowait),
      steal: both(0),
      busiestCore: both(core),
    },
    tcp: { sentSegments: 100_000, retransmits: 0, resets: 0, listenOverflows: 0, listenDrops: 0 },
    processes: [],
    interfaces: [],
    seconds: [],
    ...rest,
  };
}

const onWorker = (more: Parameters<typeof host>[0] = {}): ReportHost =>
  host({ name: 'w1', role: 'worker', ...more });

function process(more: Partial<ReportProcess>): ReportProcess {
  return {
    name: 'nginx',
    user: both(0.2),
    system: both(0.1),
    waited: both(0.01),
    busiestThread: both(0.3),
    threads: 4,
    ...more,
  };
}

function wire(...links: Partial<ReportLink>[]): NonNullable<Evidence['wire']> {
  const parts = { body: 0, head: 0, tcpIp: 0, ethernet: 0, total: 0 };
  return {
    perRequest: { body: 1, head: 1, sent: 1, connections: 0 },
    replies: parts,
    requests: parts,
    links: links.map((link) => ({
      host: 'w1',
      role: 'worker',
      interface: 'eth0',
      receivedBits: 1e8 * (link.share ?? 0),
      sentBits: 1e6,
      speedBitsPerSecond: 1e8,
      ...link,
    })),
  };
}

const LOOPBACK = wire({ interface: 'lo', loopback: true });
const lossy = (retransmits: number) => ({
  sentSegments: 10_000,
  retransmits,
  resets: 0,
  listenOverflows: 0,
  listenDrops: 0,
});
const overflowing = (listenOverflows: number) => ({
  ...lossy(500),
  listenOverflows,
  listenDrops: listenOverflows,
});
const TRIED_AGAIN = { connect: times(200, { count: 500, max: 1_010_000 }) };

type Row = [that: string, trial: Evidence, limit: Verdict['limit'], evidence: RegExp, advice?: RegExp];

const GENERATOR: Row[] = [
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

const NETWORK: Row[] = [
  [
    'a full link of the target',
    closed({ wire: wire({ share: 0.4 }, { host: 'target', role: 'observer', share: 0.972 }) }),
    'network',
    /^eth0 of target carried 97\.2 Mbit\/s in, with framing: 97\.2 % of its 100 Mbit\/s, bound 95 %$/,
    /faster link/,
  ],
  [
    'a full link, whose generator had no more to give either',
    closed({ wire: wire({ share: 0.96 }), workers: [worker({ threadLoads: [thread(0.99)] })] }),
    'network',
    /eth0 of w1/,
  ],
  [
    'segments sent again',
    closed({ wire: wire({ share: 0.3 }), hosts: [host({ tcp: lossy(300) })] }),
    'network',
    /target had to send 300 of 10000 TCP segments again: 3\.0 %, bound 1 %/,
    /cables/,
  ],
  [
    'packets dropped on the way',
    closed({
      wire: wire({ share: 0.3 }),
      hosts: [
        onWorker({
          interfaces: [
            {
              name: 'eth0',
              onPath: true,
              bytes: { received: 0, sent: 0 },
              packets: { received: 1_000, sent: 1_000 },
              drops: { received: 40, sent: 0 },
              receivedBits: both(0),
              sentBits: both(0),
            },
          ],
        }),
      ],
    }),
    'network',
    /eth0 of w1 dropped 40 packets: 2\.0 %/,
  ],
];

const TARGET: Row[] = [
  [
    'a host that is full',
    closed({ hosts: [onWorker(), host({ busy: 0.97 })] }),
    'target',
    /^target: all 4 cores together were busy 97 % of the time, bound 95 %\nthe generator had room: .* 21 %/,
  ],
  [
    'a thread of its process that is',
    closed({
      hosts: [host({ processes: [process({ busiestThread: both(0.99), waited: both(0.49) })] })],
    }),
    'target',
    /target: the busiest of the threads of nginx had no time left: busy 99 % .* used 0\.30 cores, and waited for 0\.49 more that others had/,
  ],
  [
    'many threads that wait for cores',
    closed({ hosts: [host({ processes: [process({ user: both(1), waited: both(3) })] })] }),
    'target',
    /nginx wanted 4\.10 cores and got 1\.10/,
  ],
  [
    'a process that has no descriptors left',
    closed({ hosts: [host({ processes: [process({ descriptors: { open: 1_020, limit: 1_024 } })] })] }),
    'target',
    /1020 of 1024 file descriptors/,
  ],
  [
    'a listen queue that overflows, which looks like loss',
    closed({
      summary: TRIED_AGAIN,
      wire: wire({ share: 0.1 }),
      hosts: [onWorker({ tcp: lossy(400) }), host({ tcp: overflowing(400) })],
    }),
    'target',
    /target: new connections found a listen queue full 400 times, bound 10/,
  ],
  [
    'one on the machine that loads itself, seen by the worker',
    closed({ summary: TRIED_AGAIN, wire: LOOPBACK, hosts: [onWorker({ tcp: overflowing(400) })] }),
    'target',
    /w1: new connections/,
  ],
  [
    'disks',
    closed({ hosts: [host({ iowait: 0.6 })] }),
    'target',
    /waited for disks 60 % of the time, bound 50 %/,
  ],
  [
    'a target that takes its time, whom nobody watched: inferred',
    closed(),
    'target',
    /^inferred, .*: the 10 connections waited for replies 100 % of the time, bound 80 %\nhalf of the first bytes took 19\.0 ms or more, a connect as little as 200 µs/,
    /worker observe/,
  ],
  [
    'the same, where connections were opened by the warm-up: the preflight knows the way',
    closed({ summary: { connect: undefined! } }),
    'target',
    /as little as 250 µs/,
  ],
  [
    'one on this machine, that is fast, but not as fast as its connections',
    closed({
      wire: LOOPBACK,
      summary: { requestRate: 20_000, latency: times(480), firstByte: times(470) },
    }),
    'target',
    /half of the first bytes took 470 µs or more, and there is no network in between/,
  ],
  [
    'arrivals dropped because all connections waited',
    open({
      ledger: { planned: 50_000, dropped: 45_000 },
      summary: { serviceTime: times(190_000), firstByte: times(189_000) },
    }),
    'target',
    /45000 of 50000 arrivals were dropped, on average 95\.0 of 100 connections waited/,
  ],
  [
    'a target that turns requests down',
    closed({ summary: { requests: 0, latency: times(0, { count: 0 }), errors: failures({ status: 90 }) } }),
    'target',
    /90 of 90 requests failed at the target \(status 90\)/,
  ],
  [
    'a server of one thread that nobody named',
    closed({ hosts: [host({ busy: 0.3, core: 0.97 })] }),
    'target',
    /one of its 4 cores was busy 97 %/,
    /--process/,
  ],
];

const NONE: Row[] = [
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

const UNDECIDED: Row[] = [
  [
    'too short',
    closed({ summary: { durationUs: 900_000, connect: undefined! }, connectUs: undefined }),
    'undecided',
    /less than a second/,
    /longer/,
  ],
  [
    'replies that take no longer than the way',
    closed({ summary: { firstByte: times(19_000), connect: times(18_000) }, connectUs: 18_000 }),
    'undecided',
    /nobody watched the target/,
    /worker observe/,
  ],
  [
    'a generator that is rather busy',
    closed({ workers: [worker({ threadLoads: [thread(0.85)] })] }),
    'undecided',
    /the busiest was busy 86 % of the time/,
  ],
  [
    'a worker that did not tell, for it was lost',
    closed({ workers: [worker(), worker({ name: 'w2', threadLoads: undefined! })] }),
    'undecided',
    /not every worker told/,
  ],
  [
    'links of unknown speed',
    closed({
      wire: wire({ speedBitsPerSecond: undefined!, share: undefined! }),
      workers: [worker({ threadLoads: [thread(0.85)] })],
    }),
    'undecided',
    /how fast the links are is not known/,
    /--link-speed/,
  ],
  [
    'SYNs sent again, and nobody at the target who could tell why',
    closed({ summary: TRIED_AGAIN, wire: wire({ share: 0.1 }), hosts: [onWorker({ tcp: lossy(400) })] }),
    'undecided',
    /a connect took 1\.01 s: lost by the network, or by a full listen queue/,
    /worker observe/,
  ],
  [
    'a few failures of its own, among many that are not',
    closed({
      summary: {
        requests: 5_000,
        errors: failures({ 'local-fds': 1, body: 8 }),
        latency: times(400),
        firstByte: times(300),
      },
    }),
    'undecided',
    /nobody watched/,
  ],
];

describe('what limited a trial', () => {
  for (const [limit, rows] of Object.entries({ GENERATOR, NETWORK, TARGET, NONE, UNDECIDED })) {
    describe(limit.toLowerCase(), () => {
      for (const [that, trial, expected, evidence, advice] of rows) {
        test(that, () => {
          const verdict = verdictOf(trial);
          assert.equal(verdict.limit, expected, verdict.evidence.join('\n'));
          assert.match(verdict.evidence.join('\n'), evidence);
          if (advice !== undefined) assert.match(verdict.advice ?? '', advice);
        });
      }
    });
  }

  test('what is inferred is called so', () => {
    assert.equal(verdictOf(closed()).inferred, true);
    assert.equal(verdictOf(closed({ hosts: [host({ busy: 0.97 })] })).inferred, undefined);
  });
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
