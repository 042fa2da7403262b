/** What can only happen under TLS, once the handshake is done: an end that nobody vouches for. */
import { awaitRead, awaitRequest, cut, cutInRecord, end, send } from '../../support/scripted-server.ts';
import { type ConformanceCase, head, OK, reply } from '../case.ts';

export const ONLY_TLS: readonly ConformanceCase[] = [
  {
    name: 'A body without a length that ends with a close_notify is whole.',
    server: [reply(head(OK), 'hello', end)],
    samples: [200],
    body: 5,
    kept: false,
  },
  {
    name: 'The same when the close_notify comes by itself.',
    server: [reply(head(OK), 'hello', awaitRead, end)],
    samples: [200],
    body: 5,
    kept: false,
  },
  {
    name: 'A body without a length that ends without a close_notify may have been cut off: closed-early.',
    server: [reply(head(OK), 'hello', cut)],
    samples: ['closed-early'],
    body: 5,
    kept: false,
  },
  {
    name: 'The same when the end comes by itself.',
    server: [reply(head(OK), 'hello', awaitRead, cut)],
    samples: ['closed-early'],
    body: 5,
    kept: false,
  },
  {
    name: 'The same when it is cut in the middle of a record: its first bytes are no close_notify.',
    server: [reply(head(OK), 'hello', awaitRead, cutInRecord)],
    samples: ['closed-early'],
    body: 5,
    kept: false,
  },
  {
    name: 'A body without a length that is cut off before its first byte: closed-early.',
    server: [reply(head(OK), cut)],
    samples: ['closed-early'],
    body: 0,
    kept: false,
  },
  {
    name: 'A body of 1 MiB without a length, with a close_notify, is whole.',
    server: [reply(head(OK), Buffer.alloc(1 << 20, 'x'), end)],
    samples: [200],
    body: 1 << 20,
    kept: false,
  },
  {
    name: 'A body of 1 MiB without a length, and no close_notify: closed-early.',
    server: [reply(head(OK), Buffer.alloc(1 << 20, 'x'), cut)],
    samples: ['closed-early'],
    body: 1 << 20,
    kept: false,
  },
  {
    name: 'A reply whose length says that it is whole needs no close_notify.',
    server: [reply(`${head(OK, 'Content-Length: 5', 'Connection: close')}hello`, cut)],
    samples: [200],
    body: 5,
    kept: false,
  },
  {
    name: 'A connection that is cut while it is idle is replaced, without an error.',
    server: [reply(`${head(OK, 'Content-Length: 2')}hi`, cut), reply(`${head(OK, 'Content-Length: 2')}hi`)],
    awaitCloseBetween: true,
    samples: [200, 200],
    body: 4,
  },
  {
    name: 'A reused connection that is cut before any byte of the reply: sent once more, still one request.',
    server: [
      [...reply(`${head(OK, 'Content-Length: 2')}hi`), awaitRequest, cut],
      [awaitRequest, send(`${head(OK, 'Content-Length: 2')}hi`)],
    ],
    samples: [200, 200],
    body: 4,
    kept: true,
    reused: 1,
  },
];
