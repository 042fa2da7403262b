import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import { type AbFlags, scenarioFromFlags } from '../../../shared/domain/scenario-from-flags.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import { suiteFolder } from '../../support/folders.ts';

const folder = suiteFolder({ 'body.txt': '{"price": "${1}"}' });
const BODY = join(folder, 'body.txt');

const URL_TEXT = 'http://127.0.0.1:8080/a?b=c';
const planOf = (flags: Partial<AbFlags>) => planTrials(scenarioFromFlags({ url: URL_TEXT, ...flags }))[0]!;
const closed = (load: object) => ({
  executor: 'constant-connections',
  connections: 1,
  keepAlive: false,
  ...load,
});
const open = (load: object) => ({
  executor: 'constant-arrival-rate',
  rate: 100,
  durationUs: 5_000_000,
  maxConnections: 1000,
  maxWaitUs: 1_000_000,
  keepAlive: false,
  stripe: { offset: 0, stride: 1 },
  ...load,
});

const LOADS: [flags: Partial<AbFlags>, load: object, sentence: string][] = [
  [{}, closed({ requests: 1 }), 'one request when nothing is said'],
  [
    { n: '1000', c: '16', k: true },
    closed({ requests: 1000, connections: 16, keepAlive: true }),
    'as ab is used',
  ],
  [{ n: '3', c: '16' }, closed({ requests: 3, connections: 16 }), 'fewer requests than connections'],
  [{ t: '30' }, closed({ durationUs: 30_000_000 }), 'a time limit alone'],
  [{ t: '30', n: '7' }, closed({ durationUs: 30_000_000, requests: 7 }), 'both: what comes first'],
  [{ rate: '100', t: '5' }, open({}), 'a rate'],
  [{ rate: '100', t: '5', arrivals: 'even' }, open({}), 'a rate, evenly spaced'],
  [{ rate: '100', t: '5', arrivals: 'poisson' }, open({ poisson: { seed: 1 } }), 'a rate, at random'],
  [
    { rate: '90/m', t: '5', c: '4', k: true },
    open({ rate: 1.5, maxConnections: 4, keepAlive: true }),
    '-c is the most',
  ],
];

const REFUSED: [flags: Partial<AbFlags>, message: string][] = [
  [{ n: '0' }, '-n: "0" is not a whole number of requests, 1 or more'],
  [{ n: '-5' }, '-n: "-5" is not a whole number of requests'],
  [{ n: '1.5' }, '-n: "1.5" is not a whole number of requests'],
  [{ n: '1e5' }, '-n: "1e5" is not a whole number of requests'],
  [{ n: '99999999999999999999' }, '-n: "99999999999999999999" is too many requests'],
  [{ c: '0' }, '-c: "0" is not a whole number of connections, 1 or more'],
  [{ c: '1000001' }, '-c: "1000001" is too many connections; at most 1000000'],
  [{ t: '10s' }, '-t: "10s" is not a whole number of seconds, 1 or more'],
  [{ s: '0' }, '-s: "0" is not a whole number of seconds'],
  [{ workers: 'two' }, '--workers: "two" is not a whole number of workers'],
  [{ rate: '0', t: '5' }, '--rate: "0" is not a rate more than 0'],
  [{ rate: 'fast', t: '5' }, '--rate: "fast" is not a rate more than 0, such as 1500 or 1500/s'],
  [{ rate: '100' }, '--rate: needs -t'],
  [{ arrivals: 'poisson', n: '5' }, '--arrivals: needs --rate'],
  [{ rate: '100', t: '5', arrivals: 'often' }, '--arrivals: "often" is not known; expected even or poisson'],
  [{ rate: '100', t: '5', n: '5' }, '-n: does not go with --rate'],
  [{ m: 'G ET' }, '-m: "G ET" is not a method such as GET or POST'],
  [{ m: 'get' }, 'command line: request.method: methods are case-sensitive; did you mean "GET"?'],
  [{ H: ['Accept'] }, '-H: "Accept" is not a header such as "Accept: text/html"'],
  [{ H: ['A b: c'] }, '-H: "A b" is not a header name'],
  [{ H: ['A: b\r\nC: d'] }, '-H: "b\\r\\nC: d" has a line break'],
  [{ T: 'text/html' }, '-T: is the content type of a body; give the body with -p FILE'],
  [{ A: 'hunter2' }, '-A: expected user:password'],
  [{ url: 'http://' }, 'the URL: "http://" has no host'],
  [
    { url: 'localhost:80/' },
    'the URL: "localhost:80/" is not a URL such as http://10.0.0.5:8080; did you mean "http://localhost:80/"?',
  ],
  [{ url: 'ftp://h/' }, 'the URL: "ftp://h/" has the scheme ftp'],
];

describe('ab letters', () => {
  for (const [flags, load, sentence] of LOADS) {
    test(`${JSON.stringify(flags)}: ${sentence}`, () => assert.deepEqual(planOf(flags).load, load));
  }

  for (const [flags, message] of REFUSED) {
    test(message.slice(0, 70), () => {
      assert.throws(
        () => scenarioFromFlags({ url: URL_TEXT, ...flags }),
        (error) => {
          assert.ok(error instanceof BroadsideError);
          assert.equal(error.code, 'USAGE');
          assert.ok(error.message.startsWith(message), error.message);
          assert.ok(!error.message.includes('hunter2'));
          return true;
        },
      );
    });
  }

  test('the request: method, URL as written, headers in order, timeouts', () => {
    const { requests, target } = planOf({ m: 'DELETE', H: ['Accept: a:b', 'X-Y:${z}'], A: 'me:pw', s: '7' });
    assert.deepEqual(requests[0], {
      name: 'request',
      weight: 1,
      method: 'DELETE',
      url: 'http://127.0.0.1:8080/a?b=c',
      headers: [
        ['Accept', 'a:b'],
        ['X-Y', '${z}'],
        ['Authorization', `Basic ${Buffer.from('me:pw').toString('base64')}`],
      ],
      timeoutUs: 7_000_000,
      connectTimeoutUs: 7_000_000,
    });
    assert.deepEqual(target, { name: '127.0.0.1:8080', url: 'http://127.0.0.1:8080' });
  });

  test('30 seconds to wait, as ab', () => assert.equal(planOf({}).requests[0]!.timeoutUs, 30_000_000));

  test('-p posts the file as text/plain, -m and -T change that', () => {
    const request = planOf({ p: BODY }).requests[0]!;
    assert.equal(request.method, 'POST');
    assert.deepEqual(request.headers, [['Content-Type', 'text/plain']]);
    assert.equal(Buffer.from(request.bodyBase64!, 'base64').toString(), '{"price": "${1}"}');
    const put = planOf({ p: BODY, m: 'PUT', T: 'application/json' }).requests[0]!;
    assert.deepEqual([put.method, put.headers], ['PUT', [['Content-Type', 'application/json']]]);
    const own = planOf({ p: BODY, H: ['content-type: a/b'] }).requests[0]!;
    assert.deepEqual(own.headers, [['content-type', 'a/b']]);
  });

  test('a body file that is not there', () => {
    assert.throws(
      () => scenarioFromFlags({ url: URL_TEXT, p: '/nowhere/body' }),
      (error) => error instanceof BroadsideError && error.code === 'FILE_UNREADABLE',
    );
  });

  test('userinfo is a login, and shows up nowhere else', () => {
    const scenario = scenarioFromFlags({ url: 'http://me:hunter2@h/x?token=hunter2#top' });
    assert.equal(scenario.name, 'GET http://h/x?token=[redacted]');
    const request = planTrials(scenario)[0]!.requests[0]!;
    assert.equal(request.url, 'http://h/x?token=hunter2');
    assert.deepEqual(request.headers, [
      ['Authorization', `Basic ${Buffer.from('me:hunter2').toString('base64')}`],
    ]);
  });

  test('--workers', () => assert.equal(scenarioFromFlags({ url: URL_TEXT, workers: '3' }).workers.count, 3));
});
