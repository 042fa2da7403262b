/** `Expect: 100-continue` (RFC 9110, 10.1.1): the body waits for the server's word. */
import {
  awaitClose,
  awaitHead,
  awaitRead,
  awaitRequest,
  end,
  pause,
  send,
} from '../../support/scripted-server.ts';
import { type ConformanceCase, head, OK } from '../case.ts';

const CONTINUE = head('HTTP/1.1 100 Continue');
const HI = `${head(OK, 'Content-Length: 2')}hi`;
const SIZE = 2000;
const ASKS: ConformanceCase['request'] = {
  method: 'POST',
  headers: [['Expect', '100-continue']],
  bodySize: SIZE,
};
const REFUSAL = head('HTTP/1.1 417 Expectation Failed', 'Content-Length: 0');

export const CONTINUES: readonly ConformanceCase[] = [
  {
    name: 'With Expect: 100-continue the body goes out when the server says 100.',
    request: ASKS,
    server: [[awaitHead, send(CONTINUE), awaitRequest, send(HI)]],
    samples: [200],
    body: 2,
    sentAtLeast: SIZE,
    cut: false,
  },
  {
    name: 'A connection on which 100-continue was granted is used again, and asked again.',
    request: ASKS,
    server: [
      [awaitHead, send(CONTINUE), awaitRequest, send(HI), awaitHead, send(CONTINUE), awaitRequest, send(HI)],
    ],
    samples: [200, 200],
    body: 4,
    sentAtLeast: 2 * SIZE,
    cut: false,
  },
  {
    name: 'A body of a megabyte goes out whole after the 100.',
    request: { ...ASKS, bodySize: 1_000_001 },
    server: [[awaitHead, send(CONTINUE), awaitRequest, send(HI)]],
    samples: [200],
    body: 2,
    sentAtLeast: 1_000_001,
    cut: false,
  },
  {
    name: 'A 103 is no 100: the body goes on waiting.',
    request: ASKS,
    server: [
      [awaitHead, send(head('HTTP/1.1 103 Early Hints')), awaitRead, pause(50), send(REFUSAL), awaitClose],
    ],
    samples: [417],
    body: 0,
    sentBelow: SIZE,
    cut: false,
  },
  {
    name: 'A refusal (417) is the reply; the body is never sent and the connection is not used again.',
    request: ASKS,
    server: [
      [awaitHead, send(REFUSAL), awaitClose],
      [awaitHead, send(REFUSAL), awaitClose],
    ],
    samples: [417, 417],
    body: 0,
    sentBelow: SIZE,
    cut: false,
  },
  {
    name: 'Any final status in place of the 100 is the reply, here with a body that takes its time.',
    request: { ...ASKS, expect: { status: [200] } },
    server: [
      [
        awaitHead,
        send(`${head('HTTP/1.1 401 Unauthorized', 'Content-Length: 4')}no`),
        pause(1_200),
        send('pe'),
        awaitClose,
      ],
    ],
    samples: [{ failed: 'status', status: 401 }],
    body: 4,
    sentBelow: SIZE,
  },
  {
    name: 'A server that knows nothing of 100-continue gets the body after a second.',
    request: { ...ASKS, timeoutUs: 5_000_000 },
    server: [[awaitRequest, send(HI)]],
    samples: [200],
    body: 2,
    sentAtLeast: SIZE,
    cut: false,
  },
  {
    name: 'A timeout shorter than that second ends the request as ever.',
    request: { ...ASKS, timeoutUs: 60_000 },
    server: [[awaitHead, awaitClose]],
    samples: ['timeout'],
    body: 0,
    sentBelow: SIZE,
  },
  {
    name: 'A close while the body waits is closed-early.',
    request: ASKS,
    server: [[awaitHead, end, awaitClose]],
    samples: ['closed-early'],
    body: 0,
    sentBelow: SIZE,
  },
  {
    name: 'Without a body there is nothing to wait for.',
    request: { headers: [['Expect', '100-continue']] },
    server: [[awaitRequest, send(HI)]],
    samples: [200],
    body: 2,
    cut: false,
  },
];
