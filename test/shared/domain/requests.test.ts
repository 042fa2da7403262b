/** Several requests, rows and lists of URLs: what a scenario may say, and the plans that it becomes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { planTrials, redactForJournal } from '../../../shared/domain/plan-trials.ts';
import type { TrialPlan } from '../../../shared/domain/run.ts';
import { parseScenario, readScenario } from '../../../shared/domain/scenario-source.ts';
import { validateScenario } from '../../../shared/domain/validate-scenario.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import { suiteFolder } from '../../support/folders.ts';
import { LEAST_SCENARIO } from './scenario-text.ts';

const LOAD = 'load: { executor: constant-connections, connections: 4, requests: 10 }';
const scenario = (...lines: string[]) => ['targets: { web: "http://h/app" }', LOAD, ...lines, ''].join('\n');
const plan = (...lines: string[]): TrialPlan => planTrials(parseScenario(scenario(...lines), 's.yaml'))[0]!;
const ROWS = 'data: { csv: "user,word\\nann,a\\nbob,b\\n" }';

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof BroadsideError);
    return error.message;
  }
  return 'it was taken';
}

describe('requests in a scenario', () => {
  const REFUSED: [line: string, message: string][] = [
    ['requests: []', 's.yaml:3:1: requests: the list is empty'],
    ['requests: { path: / }', 's.yaml:3:1: requests: a mapping is not a list such as'],
    ['requests: [{ path: / }]', 's.yaml:3:12: requests[0].name is missing; expected a name'],
    [
      'requests: [{ name: a }, { name: a }]',
      's.yaml:3:33: requests[1].name: "a" is the name of another request',
    ],
    [
      'requests: [{ name: a, weight: 0 }]',
      's.yaml:3:31: requests[0].weight: 0 is not a whole number from 1 to',
    ],
    ['requests: [{ name: a, weight: 1.5 }]', 's.yaml:3:31: requests[0].weight: 1.5 is not a whole number'],
    [
      'requests: [{ name: a, weight: 99999 }, { name: b, weight: 2 }]',
      's.yaml:3:1: requests: the weights sum to more than 100000',
    ],
    ['requests: [{ name: a, pth: / }]', 's.yaml:3:23: requests[0]: unknown key "pth"; did you mean "path"?'],
    [
      'requests: [{ name: a, body: x, bodySize: 1KiB }]',
      's.yaml:3:42: requests[0].bodySize: the body is given twice, as "body" and as "bodySize"; keep one',
    ],
    ['request: { weight: 2 }', 's.yaml:3:12: request: unknown key "weight" here; one request needs none'],
    [
      'request: { path: / }\nrequests: [{ name: a }]',
      's.yaml:4:1: requests: the requests are given twice, as "request" and "requests"; keep one',
    ],
    ['request: { bodySize: 33MiB }', 's.yaml:3:22: request.bodySize: "33MiB" is larger than 32.0 MiB'],
    ['request: { bodySize: 33 }', 's.yaml:3:22: request.bodySize: 33 has no unit'],
    ['request: { expect: { contains: "" } }', 's.yaml:3:32: request.expect.contains: "" is not a text'],
    [
      'request: { expect: { sha256: abc } }',
      's.yaml:3:30: request.expect.sha256: "abc" is not a SHA-256 in hex',
    ],
    [
      'request: { path: "/${data.user}" }',
      's.yaml:3:18: request.path: ${data.user} is a column, and there are no data',
    ],
    [
      `${ROWS}\nrequest: { path: "/\${data.usr}" }`,
      's.yaml:4:18: request.path: "usr" is not a column of the data; did you mean "user"?',
    ],
    [
      `${ROWS}\nrequest: { path: "/\${data.user}", method: "\${data.word}" }`,
      's.yaml:4:43: request.method: ${data.word} has a value only in path, headers and body',
    ],
    [
      `${ROWS}\nrequest: { path: / }`,
      's.yaml:3:1: data: no request uses the data; put ${data.user} into one',
    ],
    [
      `${ROWS}\nrequest: { path: "/\${data.user}" }\nworkers: { count: 3 }`,
      's.yaml:3:1: data: 2 rows are too few for 3 workers',
    ],
    [
      'data: { csv: "a\\n\\"1\\n2\\"\\n" }\nrequest: { headers: { X: "${data.a}" } }',
      's.yaml:3:1: data: a value of column "a", which a header uses',
    ],
    ['data: { file: rows.csv }', 's.yaml:3:15: data.file: a file can be named only in a scenario file'],
    ['data: { order: shuffled }', 's.yaml:3:1: data: no rows are given; add "file"'],
    ['data: { csv: "a\\n1\\n", seed: 1 }', 's.yaml:3:30: data.seed: only a shuffled order has a seed'],
    ['data: { csv: "a,b\\n1\\n" }', 's.yaml:3:14: data.csv: this is not CSV: Invalid Record Length'],
    ['urls: urls.txt', 's.yaml:3:7: urls: a file can be named only in a scenario file'],
    ['urls: ["", "# none"]', 's.yaml:3:1: urls: there is no URL in it'],
    ['urls: [/a, b]', 's.yaml:3:12: urls[1]: "b" is not a path that starts with "/", or a URL'],
    ['urls: [/a, 5]', 's.yaml:3:12: urls[1]: 5 is not a URL or a path'],
    ['urls: [/a, "/b c"]', 's.yaml:3:12: urls[1]: "/b c" has a space'],
    [
      'urls: ["http://h/appendix"]',
      's.yaml:3:8: urls[0]: "http://h/appendix" is not below the target http://h/app',
    ],
    ['urls: ["http://other/app/a"]', 's.yaml:3:8: urls[0]: "http://other/app/a" is not below the target'],
    ['urls: ["ftp://h/app/a"]', 's.yaml:3:8: urls[0]: "ftp://h/app/a" has the scheme ftp'],
    ['urls: ["http://me:pw@h/app/a"]', 's.yaml:3:8: urls[0]: a login cannot be in a list of URLs'],
    [
      'urls: [/a]\nrequest: { path: /b }',
      's.yaml:4:12: request.path: with "urls" each request has the path of its URL',
    ],
    ['urls: [/a]\nrequests: [{ name: a }]', 's.yaml:3:1: urls: the requests are given twice'],
    [`urls: [/a]\n${ROWS}`, 's.yaml:4:1: data: with "urls" there is nothing that could use rows'],
    [
      'requests: [{ name: login }]\nthresholds: [{ that: "p(99) < 1s", request: logn }]',
      's.yaml:4:45: thresholds[0].request: "logn" is not the name of a request; did you mean "login"?',
    ],
    [
      'requests: [{ name: login }]\nthresholds: [{ that: "transferRate > 1MiB/s", request: login }]',
      's.yaml:4:22: thresholds[0].that: transferRate is measured of the whole, not of one request',
    ],
  ];
  for (const [line, message] of REFUSED) {
    test(`${JSON.stringify(line)} is refused`, () => {
      const refused = refusal(() => parseScenario(scenario(line), 's.yaml'));
      assert.ok(refused.startsWith(message), refused);
    });
  }

  test('a list becomes a plan each, with names, weights and axes', () => {
    const trials = planTrials(
      parseScenario(
        scenario(
          'sweep: { n: [1, 2] }',
          'requests:',
          '  - { name: home, weight: 3, path: "/${n}" }',
          '  - { name: post, body: "n=${n}", timeout: 2s }',
          '  - { name: large, bodySize: 1KiB, expect: { contains: ok } }',
        ),
        's.yaml',
      ),
    );
    assert.deepEqual(
      trials[1]!.requests.map(({ name, weight, method, url }) => [name, weight, method, url]),
      [
        ['home', 3, 'GET', 'http://h/app/2'],
        ['post', 1, 'POST', 'http://h/app'],
        ['large', 1, 'POST', 'http://h/app'],
      ],
    );
    assert.equal(trials[1]!.requests[1]!.timeoutUs, 2_000_000);
    assert.equal(trials[1]!.requests[2]!.bodySize, 1024);
    assert.deepEqual(trials[1]!.requests[2]!.expect, { contains: 'ok' });
    assert.equal(trials[1]!.data, undefined);
  });

  test('one request has the name "request", or its own', () => {
    assert.equal(plan('request: { path: / }').requests[0]!.name, 'request');
    assert.equal(plan('request: { name: home }').requests[0]!.name, 'home');
  });

  test('columns become pieces of path, header and body; the texts stay readable; $${ stays a literal', () => {
    const trial = plan(
      ROWS,
      'request: { path: "/${data.user}/x?w=${data.word}", headers: { A: b, X-User: "u:${data.user}" },',
      '           body: "$${data.user}=${ data.user }" }',
    );
    const [request] = trial.requests;
    assert.deepEqual(request!.template, {
      path: ['/app', '/', 0, '/x?w=', 1],
      headers: [[1, ['u:', 0]]],
      body: ['${data.user}=', 0],
    });
    assert.equal(request!.url, 'http://h/app/${data.user}/x?w=${data.word}');
    assert.deepEqual(request!.headers[1], ['X-User', 'u:${data.user}']);
    assert.deepEqual(trial.data, {
      columns: ['user', 'word'],
      count: 2,
      rows: [
        ['ann', 'a'],
        ['bob', 'b'],
      ],
    });
  });

  test('the journal gets the number of rows, and neither rows nor templates', () => {
    const redacted = redactForJournal(plan(ROWS, 'request: { body: "pw=${data.user}" }'));
    assert.deepEqual(redacted.data, { columns: ['user', 'word'], count: 2, rows: [] });
    assert.doesNotMatch(JSON.stringify(redacted), /ann|bob|pw=/);
  });

  test('a few URLs are requests of their own, named by their paths; absolute ones lose the target', () => {
    const trial = plan(
      'urls: ["/", "# a note", "/ü?b=1#top", "http://h/app/c", "http://h/app"]',
      'request: { method: HEAD }',
    );
    assert.deepEqual(
      trial.requests.map(({ name, method, url, weight }) => [name, method, url, weight]),
      [
        ['/', 'HEAD', 'http://h/app/', 1],
        ['/%C3%BC?b=1', 'HEAD', 'http://h/app/%C3%BC?b=1', 1],
        ['/c', 'HEAD', 'http://h/app/c', 1],
        ['/', 'HEAD', 'http://h/app/', 1],
      ],
    );
  });

  test('more than 50 are one request, named urls, with its path from rows', () => {
    const urls = Array.from({ length: 51 }, (_, i) => `/${i}`);
    const trial = plan(`urls: ${JSON.stringify(urls)}`);
    assert.equal(trial.requests.length, 1);
    assert.equal(trial.requests[0]!.name, 'urls');
    assert.deepEqual(trial.requests[0]!.template, { path: ['/app', 0], pathIsEncoded: true });
    assert.equal(trial.data!.count, 51);
    assert.deepEqual(trial.data!.rows[50], ['/50']);
  });
});

describe('files beside a scenario', () => {
  const folder = suiteFolder({
    'rows.csv': 'user\nann\n',
    'ragged.csv': 'a,b\n1\n',
    'urls.txt': '# first\r\n/a\r\n\r\nhttp://127.0.0.1:8080/b\r\n',
    'bad.txt': '/a\n\nhttp://127.0.0.2:8080/b\n',
    'body.bin': 'hello',
    'latin.csv': Buffer.from([0x61, 0x0a, 0xff, 0x0a]),
  });

  const read = (lines: string) => {
    const path = join(folder, 's.yaml');
    writeFileSync(path, `${LEAST_SCENARIO}${lines}\n`);
    return readScenario(path);
  };

  test('rows, URLs and bodies travel inside the scenario, which can be checked again', () => {
    for (const lines of [
      'data: { file: rows.csv }\nrequest: { path: "/${data.user}" }',
      'urls: urls.txt',
      'requests: [{ name: a }, { name: b, bodyFile: body.bin }]',
    ]) {
      const scenario = read(lines);
      const again = validateScenario(JSON.parse(JSON.stringify(scenario.source)), 'POST');
      assert.deepEqual(planTrials(again), planTrials(scenario));
    }
    assert.deepEqual(
      planTrials(read('urls: urls.txt'))[0]!.requests.map(({ name }) => name),
      ['/a', '/b'],
    );
  });

  const REFUSED: [lines: string, message: string][] = [
    [
      'urls: bad.txt',
      ':3:7: urls: bad.txt:3: "http://127.0.0.2:8080/b" is not below the target http://127.0.0.1:8080',
    ],
    ['urls: none.txt', ':3:7: urls: cannot read '],
    ['data: { file: none.csv }', ':3:15: data.file: cannot read '],
    ['data: { file: latin.csv }', ':3:15: data.file: '],
    ['data: { file: rows.csv, csv: "a\\n1\\n" }', ':3:15: data.file: the rows are given twice'],
    ['data: { file: ragged.csv }', ':3:15: data.file: ragged.csv: this is not CSV: Invalid Record Length'],
    ['requests: [{ name: a, bodyFile: none.bin }]', ':3:33: requests[0].bodyFile: cannot read '],
  ];
  for (const [lines, message] of REFUSED) {
    test(`${lines} is refused`, () => {
      const refused = refusal(() => read(lines));
      assert.ok(refused.startsWith(join(folder, 's.yaml') + message), refused);
    });
  }
});
