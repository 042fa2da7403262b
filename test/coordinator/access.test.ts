import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, test } from 'node:test';
import { isLoopback, mayEnter, newToken } from '../../coordinator/access.ts';

const TOKEN = 'sesame';
const ROWS: [sentence: string, headers: IncomingHttpHeaders, token: string | undefined, allowed: boolean][] =
  [
    ['without a token anybody on this machine', {}, undefined, true],
    ['a token that is not asked for does no harm', { authorization: 'Bearer x' }, undefined, true],
    ['the token', { authorization: `Bearer ${TOKEN}` }, TOKEN, true],
    ['no token', {}, TOKEN, false],
    ['an empty one', { authorization: 'Bearer ' }, TOKEN, false],
    ['another', { authorization: 'Bearer sesamf' }, TOKEN, false],
    ['the beginning of it', { authorization: 'Bearer sesam' }, TOKEN, false],
    ['more than it', { authorization: 'Bearer sesame ' }, TOKEN, false],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, TOKEN, false],
    ['bare', { authorization: TOKEN }, TOKEN, false],
    ['the own page', { origin: 'http://127.0.0.1:7070', host: '127.0.0.1:7070' }, undefined, true],
    [
      'another page in a browser on this machine',
      { origin: 'http://evil.example', host: '127.0.0.1:7070' },
      undefined,
      false,
    ],
    ['a page on another port', { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:7070' }, undefined, false],
    ['a page from a file', { origin: 'null', host: '127.0.0.1:7070' }, undefined, false],
    [
      'another page with the token',
      { origin: 'http://evil.example', host: 'h', authorization: `Bearer ${TOKEN}` },
      TOKEN,
      false,
    ],
  ];

describe('mayEnter', () => {
  for (const [sentence, headers, token, allowed] of ROWS) {
    test(sentence, () => assert.equal(mayEnter(headers, token), allowed));
  }
});

test('isLoopback: this machine only', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', '::1']) assert.ok(isLoopback(host), host);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.org', 'example.org', '']) {
    assert.ok(!isLoopback(host), host);
  }
});

test('newToken: no two alike, of letters that need no quotes', () => {
  const tokens = new Set(Array.from({ length: 100 }, newToken));
  assert.equal(tokens.size, 100);
  for (const token of tokens) assert.match(token, /^[\w-]{24}$/);
});
