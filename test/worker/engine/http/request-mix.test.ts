import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DataPlan, RequestPlan } from '../../../../shared/domain/run.ts';
import { createRequestMix } from '../../../../worker/engine/http/request-mix.ts';

function plan(changes: Partial<RequestPlan>): RequestPlan {
  return {
    name: 'request',
    weight: 1,
    method: 'GET',
    url: 'http://h/',
    headers: [],
    timeoutUs: 1e6,
    connectTimeoutUs: 1e6,
    ...changes,
  };
}

const data = (...rows: string[][]): DataPlan => ({
  columns: rows[0]!.map((_, i) => String(i)),
  count: rows.length,
  rows,
});

/** The next sends of a mix: which request, and its bytes. */
function sends(requests: RequestPlan[], count: number, startAt = 0, rows?: DataPlan): [number, string][] {
  const mix = createRequestMix({ requests, keepAlive: true, startAt, ...(rows && { data: rows }) });
  return Array.from({ length: count }, () => {
    const request = mix.next();
    return [request.index, mix.bytesOf(request).toString()];
  });
}

const indexes = (...args: Parameters<typeof sends>) => sends(...args).map(([index]) => index);
const wire = (changes: Partial<RequestPlan>, ...rows: string[][]) =>
  sends([plan(changes)], rows.length, 0, data(...rows)).map(([, bytes]) => bytes);

describe('the requests of an engine', () => {
  const MIX = [plan({ weight: 3 }), plan({ weight: 1 })];

  test('go round in their weighted order', () => {
    assert.deepEqual(indexes(MIX, 9), [0, 0, 1, 0, 0, 0, 1, 0, 0]);
  });

  test('begin where they are told to, so that threads do not all begin with the same', () => {
    assert.deepEqual(indexes(MIX, 4, 2), [1, 0, 0, 0]);
    assert.deepEqual(indexes(MIX, 4, 6), [1, 0, 0, 0]);
  });

  test('take the next row each, round and round; what has no template takes none', () => {
    const byRow = plan({ template: { path: ['/', 0] } });
    const lines = sends([plan({}), byRow], 6, 0, data(['a'], ['b'])).map(([, bytes]) => bytes.split(' ')[1]);
    assert.deepEqual(lines, ['/', '/a', '/', '/b', '/', '/a']);
  });

  test('without a template are the same bytes every time, not a copy', () => {
    const mix = createRequestMix({ requests: [plan({})], keepAlive: true, startAt: 0 });
    assert.equal(mix.bytesOf(mix.next()), mix.bytesOf(mix.next()));
  });

  test('values in a path are percent-encoded, those that are paths already are not', () => {
    const values = [['a b/../c?d=e&f#g'], ['ü\r\nX: y'], ['/a?b=c']];
    const lines = (pathIsEncoded: boolean) =>
      wire({ template: { path: ['/x/', 0], pathIsEncoded } }, ...values).map(
        (bytes) => bytes.split('\r\n')[0],
      );
    assert.deepEqual(lines(false), [
      'GET /x/a%20b%2F..%2Fc%3Fd%3De%26f%23g HTTP/1.1',
      'GET /x/%C3%BC%0D%0AX%3A%20y HTTP/1.1',
      'GET /x/%2Fa%3Fb%3Dc HTTP/1.1',
    ]);
    assert.equal(lines(true)[2], 'GET /x//a?b=c HTTP/1.1');
  });

  test('a body of rows has the length of its bytes', () => {
    const [first, second] = wire(
      {
        method: 'POST',
        bodyBase64: 'eA==',
        template: { body: ['{"u":"', 0, '"}'], headers: [[0, ['Bearer ', 1]]] },
        headers: [['Authorization', 'Bearer ${data.1}']],
      },
      ['ann', 't1'],
      ['ü', 't2'],
    );
    assert.match(first!, /^POST \/ HTTP\/1\.1\r\nHost: h\r\nAuthorization: Bearer t1\r\n/);
    assert.match(first!, /\r\nContent-Length: 11\r\n\r\n\{"u":"ann"\}$/);
    assert.match(second!, /\r\nAuthorization: Bearer t2\r\n.*\r\nContent-Length: 10\r\n\r\n\{"u":"ü"\}$/s);
  });

  test('a body of bytes beside a path of rows stays as it is', () => {
    const [bytes] = wire(
      { method: 'PUT', bodyBase64: Buffer.from('hello').toString('base64'), template: { path: ['/', 0] } },
      ['a'],
    );
    assert.match(bytes!, /^PUT \/a HTTP\/1\.1\r\n.*\r\nContent-Length: 5\r\n.*\r\n\r\nhello$/s);
  });

  test('a generated body is as long as asked for, and the same everywhere', () => {
    const body = (bodySize: number) =>
      sends([plan({ method: 'POST', bodySize })], 1)[0]![1].split('\r\n\r\n')[1]!;
    for (const size of [0, 1, 62, 63, 64, 10_000]) assert.equal(body(size).length, size);
    assert.ok(body(10_000).startsWith(body(64)));
    assert.match(body(10_000), /^[A-Za-z0-9\n]+$/);
  });
});
