import { describe } from 'node:test';
import {
  closed,
  failures,
  lossy,
  onWorker,
  type Row,
  TRIED_AGAIN,
  testRows,
  thread,
  times,
  wire,
  worker,
} from './evidence-fixture.ts';

const ROWS: Row[] = [
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

describe('what is not known', () => testRows(ROWS));
