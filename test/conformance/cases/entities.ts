/** What the entity must contain, and be, whatever pieces it comes in; and bodies that the engine makes itself. */
import { createHash } from 'node:crypto';
import { awaitRead, end, send } from '../../support/scripted-server.ts';
import { type ConformanceCase, head, OK, reply } from '../case.ts';

const sha256 = (entity: string) => createHash('sha256').update(entity).digest('hex');
const chunked = (...chunks: string[]) =>
  `${head(OK, 'Transfer-Encoding: chunked')}${[...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}`;
const sized = (entity: string) => `${head(OK, `Content-Length: ${entity.length}`)}${entity}`;
const LARGE = `${'x'.repeat(150_000)}needle${'y'.repeat(150_000)}`;

export const ENTITIES: readonly ConformanceCase[] = [
  {
    name: 'An entity with the expected text is a success, also in two reads.',
    request: { expect: { contains: 'needle' } },
    server: [reply(sized('a needle in hay'))],
    samples: [200],
    body: 15,
  },
  {
    name: 'An entity without the expected text fails as body, with its status; the connection goes on.',
    request: { expect: { contains: 'needle' } },
    server: [[...reply(sized('all is hay')), ...reply(sized('needle'))]],
    samples: [{ failed: 'body', status: 200 }, 200],
    body: 16,
  },
  {
    name: 'The expected text is found across borders of chunks.',
    request: { expect: { contains: 'needle' } },
    server: [reply(chunked('a nee', 'd', 'le', '!'))],
    samples: [200],
    body: 9,
  },
  {
    name: 'A chunk border, or what stands in the framing, is no text of the entity.',
    request: { expect: { contains: '\r\n' } },
    server: [reply(chunked('one', 'two'))],
    samples: [{ failed: 'body', status: 200 }],
    body: 6,
  },
  {
    name: 'A text that begins again while it begins is found.',
    request: { expect: { contains: 'aab' } },
    server: [reply(chunked('a', 'a', 'a', 'b'))],
    samples: [200],
    body: 4,
  },
  {
    name: 'One letter is text enough.',
    request: { expect: { contains: 'z' } },
    server: [[...reply(chunked('ab', 'z')), ...reply(chunked('ab', 'c'))]],
    samples: [200, { failed: 'body', status: 200 }],
    body: 6,
  },
  {
    name: 'Text is UTF-8: found where a read ends inside of a letter.',
    request: { expect: { contains: 'größer' } },
    server: [reply(sized(Buffer.from('ist größer').toString('latin1')))],
    samples: [200],
    body: 12,
  },
  {
    name: 'The text of the reply before is not that of the next one.',
    request: { expect: { contains: 'needle' } },
    server: [[...reply(sized('nee')), ...reply(sized('dle'))]],
    samples: [
      { failed: 'body', status: 200 },
      { failed: 'body', status: 200 },
    ],
    body: 6,
  },
  {
    name: 'The expected text is found in an entity that ends with its connection.',
    request: { expect: { contains: 'needle' } },
    server: [reply(`${head(OK)}a nee`, awaitRead, 'dle', end)],
    samples: [200],
    body: 8,
  },
  {
    name: 'The expected text is found in the middle of an entity of many reads.',
    request: { expect: { contains: 'needle', sha256: sha256(LARGE) } },
    server: [reply(sized(LARGE))],
    samples: [200],
    body: LARGE.length,
  },
  {
    name: 'An entity with the expected sha256 is a success, in whatever pieces.',
    request: { expect: { sha256: sha256('hello, world') } },
    server: [[...reply(sized('hello, world')), ...reply(chunked('hello', ', ', 'world'))]],
    samples: [200, 200],
    body: 24,
  },
  {
    name: 'An entity with another sha256 fails as body.',
    request: { expect: { sha256: sha256('hello, world') } },
    server: [reply(sized('Hello, world'))],
    samples: [{ failed: 'body', status: 200 }],
    body: 12,
  },
  {
    name: 'The sha256 of nothing is one, too.',
    request: { expect: { sha256: sha256('') } },
    server: [reply(head('HTTP/1.1 204 No Content'))],
    samples: [204],
    body: 0,
  },
  {
    name: 'A reply that breaks several expectations fails by its status, then its length, then its entity.',
    request: { expect: { status: [200], length: 2, contains: 'hi' } },
    server: [
      [
        ...reply(`${head('HTTP/1.1 500 Broken', 'Content-Length: 1')}x`),
        ...reply(sized('x')),
        ...reply(sized('xx')),
        ...reply(sized('hi')),
      ],
    ],
    samples: [
      { failed: 'status', status: 500 },
      { failed: 'length', status: 200 },
      { failed: 'body', status: 200 },
      200,
    ],
    body: 6,
  },
  {
    name: 'A text that came before the entity broke off is no success.',
    request: { expect: { contains: 'needle' } },
    server: [[...reply(`${head(OK, 'Content-Length: 20')}needle`), awaitRead, end]],
    samples: ['closed-early'],
    body: 6,
  },
  {
    name: 'A generated body has the size that was asked for.',
    request: { method: 'POST', bodySize: 100_000 },
    server: [[...reply(send(sized('hi'))), ...reply(sized('hi'))]],
    samples: [200, 200],
    body: 4,
    sentAtLeast: 200_000,
    cut: false,
    kept: true,
  },
];
