/** Chunked bodies. */
import { end } from '../../support/scripted-server.ts';
import { type ConformanceCase, head, OK, reply } from '../case.ts';

const CHUNKED_HEAD = head(OK, 'Transfer-Encoding: chunked');

const fine = (name: string, body: number, bytes: string): ConformanceCase => ({
  name,
  server: [reply(bytes)],
  samples: [200],
  body,
  kept: true,
});

const refused = (name: string, body: number, bytes: string): ConformanceCase => ({
  name,
  server: [reply(CHUNKED_HEAD + bytes)],
  samples: ['protocol'],
  body,
  kept: false,
});

/** 4 MB in chunks of 1000 bytes, and their wire form. */
const LARGE = `${`3e8\r\n${'x'.repeat(1000)}\r\n`.repeat(4000)}0\r\n\r\n`;

export const CHUNKED: readonly ConformanceCase[] = [
  fine('A chunked body is what its chunks carry.', 5, `${CHUNKED_HEAD}5\r\nhello\r\n0\r\n\r\n`),
  fine('A chunked body may have no chunk but the last.', 0, `${CHUNKED_HEAD}0\r\n\r\n`),
  fine('Chunks add up.', 8, `${CHUNKED_HEAD}1\r\na\r\n2\r\nbc\r\n5\r\ndefgh\r\n0\r\n\r\n`),
  fine('A chunk may hold what looks like the last chunk.', 5, `${CHUNKED_HEAD}5\r\n0\r\n\r\n\r\n0\r\n\r\n`),
  fine(
    'Chunk sizes are hexadecimal, in either case, with leading zeros.',
    27,
    `${CHUNKED_HEAD}000a\r\n0123456789\r\nB\r\n0123456789a\r\n06\r\n012345\r\n000\r\n\r\n`,
  ),
  fine('Chunk extensions are read over.', 2, `${CHUNKED_HEAD}2;name=value;flag\r\nhi\r\n0;last\r\n\r\n`),
  fine('A chunk extension may be quoted.', 2, `${CHUNKED_HEAD}2 ; a="b;c \\" 5"\r\nhi\r\n0\r\n\r\n`),
  fine('Space may follow a chunk size.', 2, `${CHUNKED_HEAD}2 \t\r\nhi\r\n0 \r\n\r\n`),
  fine(
    'Trailers are read over and are no body.',
    2,
    `${CHUNKED_HEAD}2\r\nhi\r\n0\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n`,
  ),
  fine(
    'A Content-Length in a trailer means nothing.',
    2,
    `${CHUNKED_HEAD}2\r\nhi\r\n0\r\nContent-Length: 9\r\n\r\n`,
  ),
  fine('Chunk lines may end with a bare LF.', 2, `${CHUNKED_HEAD}2\nhi\n0\nX-Sum: 1\n\n`),
  fine('Codings have no case.', 2, `${head(OK, 'transfer-encoding: Chunked')}2\r\nhi\r\n0\r\n\r\n`),
  fine(
    'A coding below chunked is left as it is.',
    2,
    `${head(OK, 'Transfer-Encoding: gzip, chunked')}2\r\nhi\r\n0\r\n\r\n`,
  ),
  fine(
    'Codings may stand on several lines.',
    2,
    `${head(OK, 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')}2\r\nhi\r\n0\r\n\r\n`,
  ),
  fine(
    'The obsolete coding identity is none.',
    2,
    `${head(OK, 'Transfer-Encoding: identity', 'Content-Length: 2')}hi`,
  ),
  {
    ...fine('Transfer-Encoding wins over Content-Length, and the connection is not used again.', 2, ''),
    server: [reply(`${head(OK, 'Content-Length: 9', 'Transfer-Encoding: chunked')}2\r\nhi\r\n0\r\n\r\n`)],
    kept: false,
  },
  {
    ...fine('Chunks in HTTP/1.0 are read, and the connection is not used again.', 2, ''),
    server: [
      reply(
        head('HTTP/1.0 200 OK', 'Connection: keep-alive', 'Transfer-Encoding: chunked'),
        '2\r\nhi\r\n0\r\n\r\n',
      ),
    ],
    kept: false,
  },
  {
    ...fine('A body with another coding and no chunks ends with the connection.', 2, ''),
    server: [reply(head(OK, 'Transfer-Encoding: gzip'), 'hi', end)],
    kept: false,
  },
  {
    ...fine('A body of 4 MB in 4000 chunks is counted to the byte.', 4_000_000, CHUNKED_HEAD + LARGE),
    cut: false,
  },
  {
    ...refused('Chunked that is not the last coding is refused.', 0, ''),
    server: [reply(head(OK, 'Transfer-Encoding: chunked, gzip'))],
  },
  {
    ...refused('Chunked twice is refused.', 0, ''),
    server: [reply(head(OK, 'Transfer-Encoding: chunked, chunked'))],
  },
  refused('A chunk size of other letters is refused.', 0, 'xyz\r\n'),
  refused('An empty chunk size is refused.', 0, '\r\n'),
  refused('A negative chunk size is refused.', 0, '-1\r\n'),
  refused('A chunk size with 0x is refused.', 0, '0x5\r\nhello\r\n'),
  refused('A chunk size beyond any number is refused.', 0, 'fffffffffffffffff\r\n'),
  refused('A chunk size of zeros without an end is refused.', 0, '0'.repeat(16 * 1024 + 1)),
  refused('A chunk longer than its size is refused.', 2, '2\r\nhi!\r\n'),
  refused('A chunk without its line end is refused.', 2, '2\r\nhi0\r\n\r\n'),
  refused('A bare CR after a chunk size is refused.', 0, '2\rhi'),
  refused('A bare CR after a chunk is refused.', 2, '2\r\nhi\r0\r\n\r\n'),
  refused('A bare CR in a trailer is refused.', 2, '2\r\nhi\r\n0\r\nX-A: b\rc\r\n\r\n'),
  refused('A bare CR after the last chunk is refused.', 2, '2\r\nhi\r\n0\r\n\rX'),
  refused('An extension without an end is refused.', 0, `2;${'x'.repeat(16 * 1024)}`),
  refused('Trailers without an end are refused.', 0, `0\r\n${`X-Long: ${'x'.repeat(1000)}\r\n`.repeat(66)}`),
];
