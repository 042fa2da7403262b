/** What is sent, and what is expected of the reply. */
import { awaitClose, awaitHead, send } from '../../support/scripted-server.ts';
import { type ConformanceCase, head, OK, reply } from '../case.ts';

const HI = `${head(OK, 'Content-Length: 2')}hi`;
const NOT_FOUND = `${head('HTTP/1.1 404 Not Found', 'Content-Length: 4')}gone`;
const base64 = (body: string | Buffer) => Buffer.from(body).toString('base64');

export const REQUESTS: readonly ConformanceCase[] = [
  {
    name: 'A POST carries its body.',
    request: { method: 'POST', bodyBase64: base64('name=value') },
    server: [reply(HI)],
    samples: [200],
    body: 2,
    kept: true,
  },
  {
    name: 'A body may be any bytes.',
    request: { method: 'PUT', bodyBase64: base64(Buffer.from([0, 13, 10, 13, 10, 255])) },
    server: [reply(HI)],
    samples: [200],
    body: 2,
    kept: true,
  },
  {
    name: 'A method may be any word.',
    request: { method: 'PROPFIND' },
    server: [reply(`${head('HTTP/1.1 207 Multi-Status', 'Content-Length: 2')}hi`)],
    samples: [207],
    body: 2,
    kept: true,
  },
  {
    name: 'A large body is sent whole and counted to the byte.',
    request: { method: 'POST', bodyBase64: base64(Buffer.alloc(1_000_001, 'b')) },
    server: [[...reply(HI), ...reply(HI)]],
    cut: false,
    samples: [200, 200],
    body: 4,
    kept: true,
  },
  {
    name: 'A reply to the head, while the body is still being sent, is the reply; the connection is not used again.',
    request: { method: 'POST', bodyBase64: base64(Buffer.alloc(20_000_000, 'b')) },
    server: [[awaitHead, send(`${head('HTTP/1.1 413 Too Large', 'Content-Length: 2')}no`), awaitClose]],
    cut: false,
    samples: [413],
    body: 2,
    sentOpen: true,
  },
  {
    name: 'A status other than the expected one is a failure with a status; the connection goes on.',
    request: { expect: { status: [200, 204] } },
    server: [[...reply(NOT_FOUND), ...reply(HI)]],
    samples: [{ failed: 'status', status: 404 }, 200],
    body: 6,
    kept: true,
  },
  {
    name: 'A length other than the expected one is a failure with a status; the connection goes on.',
    request: { expect: { length: 2 } },
    server: [[...reply(`${head(OK, 'Content-Length: 3')}huh`), ...reply(HI)]],
    samples: [{ failed: 'length', status: 200 }, 200],
    body: 5,
  },
  {
    name: 'The expected length is that of the entity, not of its chunks.',
    request: { expect: { length: 2, status: [200] } },
    server: [reply(`${head(OK, 'Transfer-Encoding: chunked')}1\r\nh\r\n1\r\ni\r\n0\r\n\r\n`)],
    samples: [200],
    body: 2,
  },
  {
    name: 'A reply that breaks both expectations fails by its status.',
    request: { expect: { length: 2, status: [200] } },
    server: [reply(NOT_FOUND)],
    samples: [{ failed: 'status', status: 404 }],
    body: 4,
  },
  {
    name: 'A reply that is not whole fails as such, whatever its status.',
    request: { expect: { status: [200] } },
    server: [reply(`${head('HTTP/1.1 500 Broken', 'Content-Length: x')}`)],
    samples: ['protocol'],
    body: 0,
  },
];
