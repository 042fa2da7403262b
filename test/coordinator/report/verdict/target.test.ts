import { describe } from 'node:test';
import {
  both,
  closed,
  failures,
  host,
  LOOPBACK,
  lossy,
  onWorker,
  open,
  overflowing,
  process,
  type Row,
  TRIED_AGAIN,
  testRows,
  times,
  wire,
} from './evidence-fixture.ts';

const ROWS: Row[] = [
  [
    'a host that is full',
    closed({ hosts: [onWorker(), host({ busy: 0.97 })] }),
    'target',
    /^target: all 4 cores together were busy 97 % of the time, bound 95 %\nthe generator had room: .* 21 %/,
  ],
  [
    'a host that is full, of whose server not all threads were read: others may have waited for a core',
    closed({
      hosts: [onWorker(), host({ busy: 0.97, processes: [process({ threads: 900, threadsRead: 256 })] })],
    }),
    'target',
    /^target: all 4 cores together were busy 97 % of the time, bound 95 %/,
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

describe('the target, observed or inferred', () => testRows(ROWS));
