/** Servers that let a client wait. */
import { awaitClose, awaitRequest, end, pause, send } from '../../support/scripted-server.ts';
import { type ConformanceCase, head, OK, reply } from '../case.ts';

const SHORT = { timeoutUs: 60_000 };

const waits = (
  name: string,
  bytes: string,
  body: number,
  outcome: 'timeout' | 'unframed',
): ConformanceCase => ({
  name,
  request: SHORT,
  server: [bytes === '' ? [awaitRequest, awaitClose] : [awaitRequest, send(bytes), awaitClose]],
  samples: [outcome],
  body,
  kept: false,
});

export const TIMEOUTS: readonly ConformanceCase[] = [
  waits('A server that never answers: timeout.', '', 0, 'timeout'),
  waits('A server that stops inside the head: timeout.', 'HTTP/1.1 200 OK\r\nConte', 0, 'timeout'),
  waits(
    'A server that stops after an interim reply: timeout.',
    head('HTTP/1.1 103 Early Hints'),
    0,
    'timeout',
  ),
  waits('A server that stops inside a body: timeout.', `${head(OK, 'Content-Length: 5')}hel`, 3, 'timeout'),
  waits(
    'A server that stops between chunks: timeout.',
    `${head(OK, 'Transfer-Encoding: chunked')}2\r\nhi\r\n`,
    2,
    'timeout',
  ),
  waits('A reply without a length on a connection left open: unframed.', `${head(OK)}hello`, 5, 'unframed'),
  waits('Only a head without a length on a connection left open: unframed.', head(OK), 0, 'unframed'),
  waits(
    'HTTP/1.0 that promises to keep its connection and gives no length: unframed.',
    `${head('HTTP/1.0 200 OK', 'Connection: keep-alive')}hello`,
    5,
    'unframed',
  ),
  {
    name: 'A timeout on a reused connection is a timeout: the request is not sent again.',
    request: SHORT,
    server: [[...reply(head(OK, 'Content-Length: 0')), awaitRequest, awaitClose]],
    samples: [200, 'timeout'],
    body: 0,
    kept: false,
  },
  {
    name: 'A reply within its time is a reply, however slowly its pieces come.',
    request: { timeoutUs: 2_000_000 },
    server: [reply('HTTP/1.1 200', pause(20), ' OK\r\nContent-Length: 4\r\n\r\n', pause(20), 'slow')],
    samples: [200],
    body: 4,
    kept: true,
  },
  {
    name: 'A server that takes its time before it ends a body without a length is awaited.',
    request: { timeoutUs: 2_000_000 },
    server: [reply(head(OK), 'slow', pause(40), end)],
    samples: [200],
    body: 4,
    kept: false,
  },
];
