import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importHar } from '../../../coordinator/import/har.ts';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import { validateScenario } from '../../../shared/domain/validate-scenario.ts';

interface Entry {
  method?: string;
  url: string;
  headers?: { name: string; value: string }[];
  postData?: object;
}
const har = (...requests: Entry[]): string =>
  JSON.stringify({
    log: { entries: requests.map((request) => ({ request: { method: 'GET', headers: [], ...request } })) },
  });
const planOf = (text: string, origin?: string) =>
  planTrials(validateScenario(importHar(text, 'a.har', origin).scenario, 'test'))[0]!;

describe('a HAR as a scenario', () => {
  test('requests by how often they were sent, in the order of their first', () => {
    const { requests, target } = planOf(
      har({ url: 'http://h/b?x=1' }, { url: 'http://h/a' }, { url: 'http://h/b?x=1' }),
    );
    assert.equal(target.url, 'http://h');
    assert.deepEqual(
      requests.map(({ name, url, weight }) => [name, url, weight]),
      [
        ['GET /b', 'http://h/b?x=1', 2],
        ['GET /a', 'http://h/a', 1],
      ],
    );
  });

  test('requests that differ in the query, a header or far along the path have names of their own', () => {
    const long = `http://h/${'x'.repeat(100)}`;
    const { requests } = planOf(
      har(
        { url: 'http://h/a?x=1' },
        { url: 'http://h/a?x=2' },
        { url: 'http://h/a?x=2', headers: [{ name: 'Accept', value: '*/*' }] },
        { url: `${long}1` },
        { url: `${long}2` },
        { url: 'http://h/a?x=2' },
      ),
    );
    const names = requests.map(({ name }) => name);
    assert.deepEqual(names.slice(0, 3), ['GET /a', 'GET /a #2', 'GET /a #3']);
    assert.match(names[4]!, /^GET \/x+… #2$/);
    assert.deepEqual(
      requests.map(({ weight }) => weight),
      [1, 2, 1, 1, 1],
    );
  });

  test('bodies, as text or from a form, and texts that look like references', () => {
    const { requests } = planOf(
      har(
        {
          method: 'POST',
          url: 'http://h/',
          postData: { mimeType: 'application/json', text: '{"a":"${b}"}' },
        },
        { method: 'POST', url: 'http://h/f', postData: { params: [{ name: 'a', value: 'x y' }] } },
      ),
    );
    const bodies = requests.map(({ bodyBase64 }) => Buffer.from(bodyBase64!, 'base64').toString());
    assert.deepEqual(bodies, ['{"a":"${b}"}', 'a=x+y']);
  });

  test('the server with most requests, or the one that is asked for', () => {
    const text = har({ url: 'http://a/' }, { url: 'http://b/1' }, { url: 'http://b/2' });
    assert.equal(planOf(text).target.url, 'http://b');
    assert.equal(planOf(text, 'http://a/x').target.url, 'http://a');
    assert.throws(
      () => importHar(text, 'a.har', 'http://c'),
      /has no request to http:\/\/c; it has http:\/\/a, http:\/\/b/,
    );
  });

  const DROPPED: [sentence: string, entries: Entry[], names: RegExp[]][] = [
    [
      'other servers',
      [{ url: 'http://a/1' }, { url: 'http://a/2' }, { url: 'http://b/' }],
      [/^1 request to http:\/\/b/, /the order of the requests/],
    ],
    ['websockets', [{ url: 'http://a/' }, { url: 'ws://a/' }], [/^requests of ws: scheme/]],
    [
      'secrets',
      [
        {
          url: 'http://a/',
          headers: [
            { name: 'Cookie', value: 's=1' },
            { name: 'Authorization', value: 'b' },
          ],
        },
      ],
      [/header cookie/, /header authorization/],
    ],
    [
      'files',
      [{ method: 'POST', url: 'http://a/', postData: { params: [{ name: 'f', fileName: 'a.png' }] } }],
      [/files of forms/],
    ],
  ];
  for (const [sentence, entries, names] of DROPPED) {
    test(`left out, and said so: ${sentence}`, () => {
      const { dropped, scenario } = importHar(har(...entries), 'a.har');
      assert.equal(dropped.length, names.length, dropped.join('\n'));
      for (const [i, name] of names.entries()) assert.match(dropped[i]!, name);
      assert.doesNotMatch(JSON.stringify(scenario), /s=1/);
    });
  }

  test('what a connection or the browser says of itself is left out without a word', () => {
    const headers = ['Host', ':authority', 'Connection', 'Content-Length', 'Sec-Fetch-Mode', 'Accept'].map(
      (name) => ({ name, value: '1' }),
    );
    const { dropped, scenario } = importHar(har({ url: 'http://a/', headers }), 'a.har');
    assert.deepEqual(dropped, []);
    assert.deepEqual((scenario.requests as { headers: object }[])[0]?.headers, { Accept: '1' });
  });

  for (const [text, message] of [
    ['{', /a\.har: is not JSON/],
    ['{"log":{}}', /a\.har: is no HAR: log\.entries/],
    [har({ url: 'data:text/plain,a' }), /it has no request over http/],
  ] as const) {
    test(`refused: ${text}`, () => assert.throws(() => importHar(text, 'a.har'), message));
  }
});
