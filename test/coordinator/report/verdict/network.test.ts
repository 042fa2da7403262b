import { describe } from 'node:test';
import {
  both,
  closed,
  host,
  lossy,
  onWorker,
  type Row,
  testRows,
  thread,
  wire,
  worker,
} from './evidence-fixture.ts';

const ROWS: Row[] = [
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

describe('links that are full, or lossy', () => testRows(ROWS));
