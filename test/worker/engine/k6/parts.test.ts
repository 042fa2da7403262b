import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Histogram } from '../../../../shared/metrics/histogram.ts';
import { errorClassOf } from '../../../../worker/engine/k6/error-class.ts';
import { durationOf, readFacts } from '../../../../worker/engine/k6/inspect-script.ts';
import { inspectCommand, type K6Call, runCommand } from '../../../../worker/engine/k6/k6-command.ts';
import { differences, totalsOf } from '../../../../worker/engine/k6/own-account.ts';
import { forPeople } from '../../../../worker/engine/k6/people-text.ts';
import { SampleTags } from '../../../../worker/engine/k6/sample-tags.ts';
import { ScriptLog } from '../../../../worker/engine/k6/script-log.ts';
import { SparseHistogram } from '../../../../worker/engine/k6/sparse-histogram.ts';

describe('durations, as Go writes them', () => {
  const cases: [text: string | null, us: number | undefined][] = [
    ['2m30s', 150e6],
    ['1h0m0.5s', 3_600.5e6],
    ['1.5ms', 1_500],
    ['0s', 0],
    ['1d2h', 93_600e6],
    ['250µs', 250],
    [null, undefined],
    ['', undefined],
  ];
  for (const [text, us] of cases) test(String(text), () => assert.equal(durationOf(text), us));
});

test('what k6 inspect says of a script', () => {
  const facts = readFacts(
    JSON.stringify({
      setupTimeout: '10s',
      teardownTimeout: null,
      totalDuration: '2m30s',
      maxVUs: 10,
      thresholds: {
        http_req_duration: ['p(95)<500', { threshold: 'avg<100', abortOnFail: true, delayAbortEval: '5s' }],
      },
      scenarios: { a: { executor: 'shared-iterations', vus: 10 } },
    }),
  );
  assert.deepEqual(facts, {
    thresholds: [
      { metric: 'http_req_duration', expression: 'p(95)<500', abortOnFail: false, delayAbortEvalUs: 0 },
      { metric: 'http_req_duration', expression: 'avg<100', abortOnFail: true, delayAbortEvalUs: 5e6 },
    ],
    durationUs: 150e6,
    maxVus: 10,
    setupTimeoutUs: 10e6,
    teardownTimeoutUs: 60e6,
    scenarios: { a: 'shared-iterations' },
  });
});

describe('how long the load of a script is planned', () => {
  const rate = { executor: 'constant-arrival-rate', duration: '5s' };
  const ramp = { executor: 'ramping-vus', startTime: '2s', stages: [{ duration: '4s' }, { duration: '1m' }] };
  const cases: [what: string, scenarios: object, loadUs: number | undefined][] = [
    ['one of a duration', { rate }, 5e6],
    ['stages, and a start that is later', { rate, ramp }, 66e6],
    ['one that ends by its iterations', { rate, some: { executor: 'shared-iterations' } }, undefined],
    ['no scenario', {}, undefined],
  ];
  for (const [what, scenarios, loadUs] of cases)
    test(what, () => assert.equal(readFacts(JSON.stringify({ scenarios })).loadUs, loadUs));
});

describe('how k6 is called', () => {
  const call = (index: number, count: number, more: Partial<K6Call['plan']> = {}): K6Call => ({
    binary: { path: '/bin/k6', version: '1.8.1' },
    plan: {
      script: 'load.js',
      package: { sha256: '', bytes: 0, kind: 'archive' },
      env: { TARGET_URL: 'http://10.0.0.1', K6_HIDDEN: 'x' },
      tags: { test: 'a b' },
      submetrics: [],
      requires: {},
      output: 'exact',
      ...more,
    },
    script: '/scripts/script.tar',
    folder: '/scripts',
    shard: { index, count },
  });
  const flagValue = (args: readonly string[], flag: string): string | undefined =>
    args[args.indexOf(flag) + 1];

  test('each shard has its segment of the whole, and all know all segments', () => {
    const segments = [0, 1, 2].map((index) => {
      const { args } = runCommand(call(index, 3), [], 1);
      assert.equal(flagValue(args, '--execution-segment-sequence'), '0,1/3,2/3,1');
      return flagValue(args, '--execution-segment');
    });
    assert.deepEqual(segments, ['0:1/3', '1/3:2/3', '2/3:1']);
    assert.ok(!runCommand(call(0, 1), [], 1).args.includes('--execution-segment'));
  });

  test('it waits, stays, prints nothing, judges nothing, and tells nobody', () => {
    const { args, env, cwd } = runCommand(call(0, 1), [], 6_565);
    for (const flag of ['--paused', '--linger', '--no-setup', '--no-teardown', '--quiet', '127.0.0.1:6565'])
      assert.ok(args.includes(flag), flag);
    assert.equal(env.K6_THRESHOLDS, '');
    assert.equal(env.K6_NO_USAGE_REPORT, 'true');
    assert.equal(cwd, '/scripts');
  });

  test('variables travel in the environment, except those that k6 would take for its own', () => {
    const { args, env } = runCommand(call(0, 1), [], 1);
    assert.equal(env.TARGET_URL, 'http://10.0.0.1');
    assert.equal(env.K6_HIDDEN, undefined);
    assert.ok(args.includes('K6_HIDDEN=x') && !args.some((arg) => arg.includes('TARGET_URL')));
    assert.ok(args.includes('test=a b'));
  });

  test('the worker’s token is none of the script’s business', (t) => {
    process.env.BROADSIDE_TOKEN = 'secret';
    t.after(() => delete process.env.BROADSIDE_TOKEN);
    assert.equal(runCommand(call(0, 1), [], 1).env.BROADSIDE_TOKEN, undefined);
  });

  test('what the scenario says of the load is said to inspect and to run alike', () => {
    const plan = { vus: 3, iterations: 9, durationUs: 1_500_000 };
    for (const { env } of [inspectCommand(call(0, 1, plan)), runCommand(call(0, 1, plan), [], 1)])
      assert.deepEqual([env.K6_VUS, env.K6_ITERATIONS, env.K6_DURATION], ['3', '9', '1500ms']);
  });

  test('system tags are those that are needed, and those that a threshold asks for', () => {
    const tags = (submetrics: string[]): string =>
      runCommand(call(0, 1), submetrics, 1).args.find((arg) => arg.startsWith('--system-tags='))!;
    assert.ok(!tags([]).includes('url'));
    assert.match(tags(['http_req_duration{method:GET,mine:1}']), /,method$/);
  });
});

describe('the class of a failure', () => {
  const cases: [tags: Record<string, string>, expected: string | undefined][] = [
    [{ status: '200', expected_response: 'true' }, undefined],
    [{ status: '404', expected_response: 'false', error_code: '1404' }, 'status'],
    [{ status: '404', expected_response: 'true', error_code: '1404' }, undefined],
    [{ status: '500' }, undefined],
    [{ status: '0', error_code: '1212', expected_response: 'false' }, 'connect-refused'],
    [{ status: '0', error_code: '1211' }, 'connect-timeout'],
    [{ status: '0', error_code: '1050' }, 'timeout'],
    [{ status: '0', error_code: '1101' }, 'dns'],
    [{ status: '0', error_code: '1111' }, 'not-allowed'],
    [{ status: '0', error_code: '1220' }, 'reset'],
    [{ status: '0', error_code: '1310' }, 'tls'],
    [{ status: '0', error_code: '1000', error: 'Get "http://x": EOF' }, 'closed-early'],
    [{ status: '0', error_code: '1633' }, 'protocol'],
    [{ status: '0', error_code: '1210', error: 'dial tcp: cannot assign requested address' }, 'local-ports'],
    [{ status: '0', error_code: '1210', error: 'socket: too many open files' }, 'local-fds'],
  ];
  for (const [tags, expected] of cases)
    test(JSON.stringify(tags), () =>
      assert.equal(errorClassOf(new SampleTags(new Map(Object.entries(tags)))), expected),
    );
});

describe('k6’s own account', () => {
  const metrics = [
    { name: 'http_reqs', type: 'counter', contains: 'default', values: { count: 12, rate: 1 } },
    { name: 'http_req_failed', type: 'rate', contains: 'default', values: { rate: 3 / 11 } },
    { name: 'paid', type: 'counter', contains: 'default', values: { count: 0.30000000000000004 } },
  ] as const;
  const streamed = (requests: number) => ({
    requests,
    judged: 11,
    unjudgedFailures: 1,
    counters: new Map([
      ['http_reqs', requests],
      ['paid', 0.3],
    ]),
  });

  test('requests and failures, from the share that it tells', () => {
    assert.deepEqual(totalsOf(metrics, streamed(12)), {
      started: 12,
      completed: 8,
      failed: 4,
      dropped: 0,
      inFlight: 0,
    });
  });
  test('what was streamed is the same', () => assert.deepEqual(differences(metrics, streamed(12)), []));
  test('what was not streamed is said', () =>
    assert.deepEqual(differences(metrics, streamed(10)), ['k6 counted 12 http_reqs, its output sums to 10']));
});

describe('script files in what k6 says are named by their place in the package', () => {
  const cases: [said: string, shown: string][] = [
    ['at file:///tmp/here/load.js:3:5(2)', 'at load.js:3:5(2)'],
    ['open /tmp/here/data/a.csv: no', 'open data/a.csv: no'],
    [
      'at x (file:///home/me/s/lib/a.js:2:1(2)) at file:///home/me/s/t.js:3:2(3)',
      'at x (lib/a.js:2:1(2)) at t.js:3:2(3)',
    ],
    ['at f (file:///t.js:1:1(1))', 'at f (t.js:1:1(1))'],
    ['GET https://example.org/a/b failed', 'GET https://example.org/a/b failed'],
  ];
  const shorten = forPeople({ folder: '/tmp/here', plan: { env: {} } });
  for (const [said, shown] of cases) test(said, () => assert.equal(shorten(said), shown));
});

describe('what k6 logs', () => {
  const lines = (...all: object[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join('');

  test('is kept as text, errors are remembered, iterations that threw are counted', () => {
    let thrown = 0;
    const log = new ScriptLog(
      (text) => text.replaceAll('/tmp/x/', ''),
      () => thrown++,
    );
    const text = lines(
      { level: 'info', msg: 'hello', source: 'console' },
      { level: 'error', msg: 'oh', source: 'console' },
      { level: 'warning', msg: 'Request Failed', error: 'refused' },
      { level: 'error', msg: 'Error: no\n\tat /tmp/x/load.js:3:5(2)\n', source: 'stacktrace' },
    );
    for (const character of `${text}no JSON`) log.push(character);
    log.end();
    assert.deepEqual(log.kept(), {
      text: 'hello\nconsole.error: oh\nwarning: Request Failed: refused\nerror: Error: no\n\tat load.js:3:5(2)\nno JSON',
      linesLeftOut: 0,
    });
    assert.equal(thrown, 1);
    assert.match(log.lastError!, /^Error: no/);
  });

  test('is bounded: the beginning and the end stay', () => {
    const log = new ScriptLog(
      (text) => text,
      () => {},
    );
    for (let i = 0; i < 10_000; i++) log.push(lines({ level: 'info', msg: `line ${i}`, source: 'console' }));
    const { text, linesLeftOut } = log.kept()!;
    assert.ok(text.length < 40_000 && text.startsWith('line 0\n') && text.endsWith('\nline 9999'));
    assert.equal(text.split('\n').length + linesLeftOut, 10_000);
  });

  test('nothing is nothing', () =>
    assert.equal(
      new ScriptLog(
        (text) => text,
        () => {},
      ).kept(),
      undefined,
    ));
});

test('a sparse histogram is the dense one', () => {
  const [sparse, dense] = [new SparseHistogram(), new Histogram()];
  for (const value of [0, 1, 2.4, 2_047, 2_048, 123_456.7, 5e9, -3, 77, 77]) {
    sparse.record(value);
    dense.record(value);
  }
  assert.deepEqual(sparse.snapshot(), dense.snapshot());
  assert.deepEqual(new SparseHistogram().snapshot(), new Histogram().snapshot());
});
