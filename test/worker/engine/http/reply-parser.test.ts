/** Properties of the parser: splits change nothing, and garbage ends in a refusal. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { HeadCache } from '../../../../worker/engine/http/head-cache.ts';
import { HEAD_LIMIT, Progress, ReplyParser } from '../../../../worker/engine/http/reply-parser.ts';

interface Read {
  progress: Progress;
  status: number;
  body: number;
  keepAlive: boolean;
  /** Bytes of the stream that belong to the reply. */
  consumed: number;
}

/** Feeds the pieces until the reply is over, as a connection would; then the end of the connection. */
function read(pieces: readonly Buffer[], parser: ReplyParser, bodyless = false): Read {
  parser.begin(bodyless);
  let before = 0;
  for (const piece of pieces) {
    const progress = parser.feed(piece, 0, piece.length);
    if (progress !== Progress.more) return result(parser, progress, before + parser.end);
    before += piece.length;
  }
  return result(parser, parser.finish(), before);
}

function result(parser: ReplyParser, progress: Progress, consumed: number): Read {
  const { status, bodyBytes: body, keepAlive } = parser;
  // Where exactly a malformed reply is refused is not promised, and so is how much of its body was counted by then.
  if (progress === Progress.broken) return { progress, status: 0, body: 0, keepAlive: false, consumed: 0 };
  return { progress, status, body, keepAlive, consumed };
}

function split(stream: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((a, b) => a - b);
  return [...places, stream.length].map((place, i) => stream.subarray(i === 0 ? 0 : places[i - 1]!, place));
}

const text = fc.stringMatching(/^[ -~]{0,20}$/);
const lineEnd = fc.constantFrom('\r\n', '\n');
const body = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const header = fc
  .tuple(fc.stringMatching(/^X-[A-Za-z0-9]{1,10}$/), text)
  .map(([name, value]) => `${name}: ${value}`);

interface Reply {
  stream: Buffer;
  body: number;
  status: number;
  untilClose: boolean;
}

/** Any well-formed reply, with what must be read from it. */
const reply: fc.Arbitrary<Reply> = fc
  .record({
    interims: fc.array(fc.constantFrom(100, 102, 103), { maxLength: 2 }),
    status: fc.constantFrom(200, 201, 404, 500, 599),
    reason: text,
    headers: fc.array(header, { maxLength: 4 }),
    framing: fc.constantFrom('length', 'chunked', 'until-close'),
    chunks: fc.array(body, { maxLength: 4 }),
    extension: fc.constantFrom('', ';a', ' ; a="b"'),
    trailers: fc.array(header, { maxLength: 2 }),
    lineEnd,
  })
  .map(({ interims, status, reason, headers, framing, chunks, extension, trailers, lineEnd: eol }) => {
    const block = (lines: string[]) => Buffer.from(lines.map((line) => line + eol).join('') + eol, 'latin1');
    const content = chunks.filter((chunk) => chunk.length > 0);
    const length = content.reduce((sum, chunk) => sum + chunk.length, 0);
    const framingHeader = {
      length: [`Content-Length: ${length}`],
      chunked: ['Transfer-Encoding: chunked'],
      'until-close': [],
    }[framing]!;
    const encoded =
      framing === 'chunked'
        ? [
            ...content.flatMap((chunk) => [
              Buffer.from(chunk.length.toString(16) + extension + eol),
              chunk,
              Buffer.from(eol),
            ]),
            Buffer.from(`0${extension}${eol}`),
            block(trailers),
          ]
        : content;
    const stream = Buffer.concat([
      ...interims.map((interim) => block([`HTTP/1.1 ${interim} ${reason}`, ...headers])),
      block([`HTTP/1.1 ${status} ${reason}`, ...headers, ...framingHeader]),
      ...encoded,
    ]);
    return { stream, body: length, status, untilClose: framing === 'until-close' };
  });

const cuts = fc.array(fc.nat(4000), { maxLength: 12 });

/** What replies are made of, in any order: far more likely to get past the first byte than noise is. */
const fragments = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'HTTP/1.1 200 OK\r\n',
        'HTTP/1.1 100 Continue\r\n\r\n',
        'HTTP/1.0 204\n',
        'Content-Length: 5\r\n',
        'Content-Length: 99999999\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Connection: close\r\n',
        ' folded\r\n',
        '\r\n',
        '\n',
        '\r',
        '5\r\nhello\r\n',
        '0\r\n',
        'ffffffffffff\r\n',
        ':',
        '\0',
      ),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
    { maxLength: 20 },
  )
  .map((parts) => Buffer.from(parts.join(''), 'latin1'));

describe('reply parser', () => {
  test('a well-formed reply is read to its last byte, whatever the split', () => {
    fc.assert(
      fc.property(reply, cuts, ({ stream, body: length, status, untilClose }, places) => {
        const parser = new ReplyParser(new HeadCache());
        const expected = {
          progress: Progress.done,
          status,
          body: length,
          keepAlive: !untilClose,
          consumed: stream.length,
        };
        assert.deepEqual(read(split(stream, places), parser), expected);
        assert.deepEqual(read([stream], parser), expected);
        assert.deepEqual(read(split(stream, Array.from(stream.keys())), parser), expected);
      }),
      { numRuns: 500 },
    );
  });

  test('bytes after a reply with an end are left alone', () => {
    fc.assert(
      fc.property(
        reply.filter(({ untilClose }) => !untilClose),
        fc.uint8Array({ minLength: 1, maxLength: 30 }),
        ({ stream }, after) => {
          const got = read([Buffer.concat([stream, after])], new ReplyParser(new HeadCache()));
          assert.equal(got.progress, Progress.done);
          assert.equal(got.consumed, stream.length);
        },
      ),
    );
  });

  test('a part of a reply with an end is never a whole one', () => {
    fc.assert(
      fc.property(
        reply.filter(({ untilClose }) => !untilClose),
        fc.nat(4000),
        ({ stream }, place) => {
          const part = stream.subarray(0, place % stream.length);
          assert.equal(read([part], new ReplyParser(new HeadCache())).progress, Progress.more);
        },
      ),
    );
  });

  test('replies that follow each other share a cache and do not disturb each other', () => {
    fc.assert(
      fc.property(fc.array(reply, { minLength: 1, maxLength: 6 }), cuts, (replies, places) => {
        const cache = new HeadCache();
        const parsers = [new ReplyParser(cache), new ReplyParser(cache)];
        for (const [i, { stream, body: length, status }] of [...replies, ...replies].entries()) {
          const pieces = i % 3 === 0 ? split(stream, places) : [stream];
          const got = read(pieces, parsers[i % 2]!);
          assert.deepEqual([got.progress, got.status, got.body], [Progress.done, status, length]);
        }
      }),
    );
  });

  test('garbage ends in the same way whatever the split, and keeps no more than a head', () => {
    fc.assert(
      fc.property(fragments, cuts, fc.boolean(), (stream, places, bodyless) => {
        const whole = read([stream], new ReplyParser(new HeadCache()), bodyless);
        const inPieces = read(split(stream, places), new ReplyParser(new HeadCache()), bodyless);
        assert.deepEqual(inPieces, whole);
      }),
      { numRuns: 2000 },
    );
  });

  test('a head without an end is refused at the limit, in pieces of any size', () => {
    for (const size of [1, 7, 1000, 65_535, 65_536, 65_537, 200_000]) {
      const parser = new ReplyParser(new HeadCache());
      parser.begin(false);
      const start = Buffer.from('HTTP/1.1 200 OK\r\nX-Long: ');
      let progress = parser.feed(start, 0, start.length);
      const piece = Buffer.alloc(size, 'x');
      let fed = start.length;
      while (progress === Progress.more && fed <= 300_000) {
        progress = parser.feed(piece, 0, piece.length);
        fed += size;
      }
      assert.equal(progress, Progress.broken, `pieces of ${size}`);
      assert.ok(fed - size <= HEAD_LIMIT, `refused after ${fed} bytes`);
    }
  });

  test('a reply that starts anywhere in what was read is found there', () => {
    const bytes = Buffer.from('##HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi##');
    const parser = new ReplyParser(new HeadCache());
    parser.begin(false);
    assert.equal(parser.feed(bytes, 2, bytes.length), Progress.done);
    assert.equal(parser.end, bytes.length - 2);
  });
});
