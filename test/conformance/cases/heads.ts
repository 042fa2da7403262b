/** Status lines and headers as servers write them. */
import { type ConformanceCase, head, OK, reply } from '../case.ts';

const fine = (name: string, bytes: string, status = 200): ConformanceCase => ({
  name,
  server: [reply(bytes)],
  samples: [status],
  body: 2,
  kept: true,
});

const refused = (name: string, bytes: string): ConformanceCase => ({
  name,
  server: [reply(bytes)],
  samples: ['protocol'],
  body: 0,
  kept: false,
});

/** A head of so many bytes. */
function headOf(size: number): string {
  const frame = head(OK, 'Content-Length: 2', 'X-Long: ');
  return head(OK, 'Content-Length: 2', `X-Long: ${'x'.repeat(size - frame.length)}`);
}

export const HEADS: readonly ConformanceCase[] = [
  fine('A status line may have no reason.', `${head('HTTP/1.1 200 ', 'Content-Length: 2')}hi`),
  fine('A status line may end with its status.', `${head('HTTP/1.1 200', 'Content-Length: 2')}hi`),
  fine('A reason may hold any text.', `${head('HTTP/1.1 200 \xc3\xa7a va: 100%', 'Content-Length: 2')}hi`),
  fine(
    'A status that nobody has heard of is a status.',
    `${head('HTTP/1.1 799 Odd', 'Content-Length: 2')}hi`,
    799,
  ),
  fine('A server error is a whole reply.', `${head('HTTP/1.1 503 Busy', 'Content-Length: 2')}hi`, 503),
  fine('A later minor version is read as 1.1.', `${head('HTTP/1.2 200 OK', 'Content-Length: 2')}hi`),
  fine('Header names have no case.', `${head(OK, 'cOnTeNt-LeNgTh: 2')}hi`),
  fine('Space around a value is no part of it.', `${head(OK, 'Content-Length: \t 2 \t ')}hi`),
  fine('A value may follow its colon at once.', `${head(OK, 'Content-Length:2')}hi`),
  fine('Space before the colon is ignored.', `${head(OK, 'Content-Length \t: 2')}hi`),
  fine('A header may have no value.', `${head(OK, 'X-Nothing:', 'Content-Length: 2')}hi`),
  fine(
    'A value may hold colons and bytes above 127.',
    `${head(OK, 'X-Odd: a:b:\xff\xfe', 'Content-Length: 2')}hi`,
  ),
  fine(
    'A header with a name as long as one that matters is another header.',
    `${head(OK, 'Content-Lengths: 9', 'Content-Langth: 9', 'Content-Length: 2')}hi`,
  ),
  fine(
    'A folded line is part of the value before it.',
    `${head(OK, 'X-Long: one', '\ttwo', 'Content-Length: 2')}hi`,
  ),
  fine(
    'A folded line that looks like a header is none.',
    `${head(OK, 'X-A: b', ' Content-Length: 9', 'Content-Length: 2')}hi`,
  ),
  fine('A folded Content-Length is read.', `${head(OK, 'Content-Length:', ' 2')}hi`),
  fine(
    'A folded Transfer-Encoding is read.',
    `${head(OK, 'Transfer-Encoding:', '\tchunked')}2\r\nhi\r\n0\r\n\r\n`,
  ),
  fine('Lines may end with a bare LF.', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nhi'),
  fine('Line ends may be mixed.', 'HTTP/1.1 200 OK\r\nX-A: b\nContent-Length: 2\r\n\nhi'),
  fine('A blank line may have a CR after a bare LF.', 'HTTP/1.1 200 OK\nContent-Length: 2\n\r\nhi'),
  { ...fine('A head of 64 KiB is read.', `${headOf(64 * 1024)}hi`), cut: false },
  { ...refused('A head of 64 KiB and one byte is refused.', headOf(64 * 1024 + 1)), cut: false },
  {
    ...refused(
      'A head without an end is refused at its limit.',
      `${OK}\r\nX-Long: ${'x'.repeat(64 * 1024 - 24)}`,
    ),
    cut: false,
  },
  refused('A banner of another protocol is refused at once.', 'SSH-2.0-OpenSSH_9.2\r\n'),
  refused('A TLS alert is refused at once.', '\x15\x03\x01\x00\x02\x02\x46'),
  refused('A request is no reply.', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
  refused('Other text with the same letters is no reply.', 'HTTP is great\r\n\r\n'),
  refused('The reply of a streaming server (ICY) is refused.', head('ICY 200 OK')),
  refused('HTTP/2.0 is refused.', head('HTTP/2.0 200 OK')),
  refused('A version without a digit is refused.', head('HTTP/1.x 200 OK')),
  refused('A status of two digits is refused.', head('HTTP/1.1 20 OK')),
  refused('A status of four digits is refused.', head('HTTP/1.1 2000 OK')),
  refused('A status below 100 is refused.', head('HTTP/1.1 099 Low')),
  refused('A status of letters is refused.', head('HTTP/1.1 abc OK')),
  refused('Two spaces before the status are refused.', head('HTTP/1.1  200 OK')),
  refused('A status line without a status is refused.', head('HTTP/1.1')),
  refused('A blank line before the status line is refused.', `\r\n${head(OK, 'Content-Length: 0')}`),
  refused('A line without a colon is refused.', head(OK, 'Content-Length 2')),
  refused('A header without a name is refused.', head(OK, ': 2')),
  refused('A folded line before any header is refused.', head(OK, ' X-A: b')),
  refused('A bare CR in a header is refused.', head(OK, 'X-A: b\rContent-Length: 2')),
  refused('A bare CR in the status line is refused.', head('HTTP/1.1 200 O\rK')),
  refused('A NUL in a header is refused.', head(OK, 'X-A: \0')),
  refused('A NUL in the status line is refused.', head('HTTP/1.1 200 \0')),
];
