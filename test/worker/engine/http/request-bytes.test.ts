import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestPlan } from '../../../../shared/domain/run.ts';
import { BroadsideError } from '../../../../shared/errors.ts';
import { prepareRequest } from '../../../../worker/engine/http/request-bytes.ts';

const base64 = (body: string) => Buffer.from(body).toString('base64');

function plan(changes: Partial<RequestPlan>): RequestPlan {
  return {
    name: 'request',
    weight: 1,
    method: 'GET',
    url: 'http://server.lab:8080/',
    headers: [],
    timeoutUs: 1e6,
    connectTimeoutUs: 1e6,
    ...changes,
  };
}

const WIRE: readonly [sentence: string, request: Partial<RequestPlan>, keepAlive: boolean, wire: string][] = [
  [
    'Host and Connection are added.',
    {},
    true,
    'GET / HTTP/1.1\r\nHost: server.lab:8080\r\nConnection: keep-alive\r\n\r\n',
  ],
  [
    'Without keep-alive the connection is to be closed.',
    {},
    false,
    'GET / HTTP/1.1\r\nHost: server.lab:8080\r\nConnection: close\r\n\r\n',
  ],
  [
    'The default port is no part of Host; path and query go out as they are, the fragment does not.',
    { url: 'http://server.lab:80/a%20b/c?d=e&f=/#g' },
    true,
    'GET /a%20b/c?d=e&f=/ HTTP/1.1\r\nHost: server.lab\r\nConnection: keep-alive\r\n\r\n',
  ],
  [
    'An IPv6 address keeps its brackets in Host.',
    { url: 'http://[::1]:81/' },
    true,
    'GET / HTTP/1.1\r\nHost: [::1]:81\r\nConnection: keep-alive\r\n\r\n',
  ],
  [
    'Headers go out as written, in order, repeated ones too.',
    {
      headers: [
        ['X-B', '1'],
        ['x-a', ''],
        ['X-B', '2'],
      ],
    },
    true,
    'GET / HTTP/1.1\r\nHost: server.lab:8080\r\nX-B: 1\r\nx-a: \r\nX-B: 2\r\nConnection: keep-alive\r\n\r\n',
  ],
  [
    'A header of the plan takes the place of an added one.',
    {
      headers: [
        ['host', 'other'],
        ['CONNECTION', 'close'],
        ['content-length', '7'],
      ],
      bodyBase64: base64('four'),
    },
    true,
    'GET / HTTP/1.1\r\nhost: other\r\nCONNECTION: close\r\ncontent-length: 7\r\n\r\nfour',
  ],
  [
    'A body is announced with its length in bytes.',
    { method: 'POST', bodyBase64: base64('für') },
    true,
    'POST / HTTP/1.1\r\nHost: server.lab:8080\r\nContent-Length: 4\r\nConnection: keep-alive\r\n\r\nfür',
  ],
  [
    'A POST without a body says so.',
    { method: 'POST' },
    true,
    'POST / HTTP/1.1\r\nHost: server.lab:8080\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n',
  ],
  [
    'A body that the plan calls chunked goes out as one chunk.',
    { method: 'PUT', headers: [['Transfer-Encoding', 'chunked']], bodyBase64: base64('hello hello hello') },
    true,
    'PUT / HTTP/1.1\r\nHost: server.lab:8080\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n' +
      '11\r\nhello hello hello\r\n0\r\n\r\n',
  ],
  [
    'An empty chunked body is its last chunk.',
    { method: 'PUT', headers: [['Transfer-Encoding', 'chunked']] },
    true,
    'PUT / HTTP/1.1\r\nHost: server.lab:8080\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n',
  ],
  [
    'Credentials in the URL become basic authorization.',
    { url: 'http://me:p%40ss@server.lab/' },
    true,
    `GET / HTTP/1.1\r\nHost: server.lab\r\nAuthorization: Basic ${base64('me:p@ss')}\r\nConnection: keep-alive\r\n\r\n`,
  ],
];

const REFUSED: readonly [sentence: string, request: Partial<RequestPlan>, message: RegExp][] = [
  ['A method of two words is refused.', { method: 'GET /' }, /not an HTTP method/],
  ['An empty method is refused.', { method: '' }, /not an HTTP method/],
  ['CONNECT is refused.', { method: 'CONNECT' }, /CONNECT/],
  ['A header name with a colon is refused.', { headers: [['X:', 'a']] }, /not a header name/],
  [
    'A header value with a line break is refused.',
    { headers: [['X-A', 'a\r\nX-B: b']] },
    /X-A has a line break/,
  ],
  ['A header value with a NUL is refused.', { headers: [['X-A', '\0']] }, /X-A has a line break/],
];

describe('request bytes', () => {
  for (const [sentence, request, keepAlive, wire] of WIRE) {
    test(sentence, () => {
      assert.equal(prepareRequest(plan(request), keepAlive).bytes.toString(), wire);
    });
  }

  for (const [sentence, request, message] of REFUSED) {
    test(sentence, () => {
      assert.throws(
        () => prepareRequest(plan(request), true),
        (error) => error instanceof BroadsideError && error.code === 'USAGE' && message.test(error.message),
      );
    });
  }

  test('The reply to a HEAD has no body; Connection: close among the headers ends keep-alive.', () => {
    assert.equal(prepareRequest(plan({ method: 'HEAD' }), true).bodyless, true);
    assert.equal(prepareRequest(plan({}), true).bodyless, false);
    assert.equal(prepareRequest(plan({}), true).keepAlive, true);
    assert.equal(prepareRequest(plan({}), false).keepAlive, false);
    assert.equal(prepareRequest(plan({ headers: [['Connection', 'Close']] }), true).keepAlive, false);
  });
});
