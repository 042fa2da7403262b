import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import { parseScenario, readScenario } from '../../../shared/domain/scenario-source.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import { suiteFolder } from '../../support/folders.ts';
import { FULL_SCENARIO, LEAST_SCENARIO } from './scenario-text.ts';

function refusalOf(action: () => unknown): BroadsideError {
  try {
    action();
  } catch (error) {
    if (error instanceof BroadsideError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'it was taken' });
}

function assertRefused(text: string, expected: string): void {
  const error = refusalOf(() => parseScenario(text, 'demo.yaml'));
  assert.equal(error.code, 'SCENARIO_INVALID');
  assert.ok(
    error.message.startsWith(`demo.yaml:${expected}`),
    `\n  ${error.message}\n  demo.yaml:${expected}`,
  );
  assert.ok(!error.message.includes('\n'), 'one line');
}

/** What is put in the place of what, and how the message begins after the file's name. */
const MISTAKES: [was: string, is: string, message: string][] = [
  ['rounds: 5', 'ronds: 5', '10:1: unknown key "ronds"; did you mean "rounds"?'],
  ['timeout: 10s', 'timeot: 10s', '7:60: request: unknown key "timeot"; did you mean "timeout"?'],
  ['status: 200', 'staus: 200', '7:84: request.expect: unknown key "staus"; did you mean "status"?'],
  ['rounds: 5', 'steps: {}', '10:1: unknown key "steps"; expected name, engine, k6, targets, sweep'],
  [
    'rounds: 5',
    'hooks: { beforeTrail: x }',
    '10:10: hooks: unknown key "beforeTrail"; did you mean "beforeTrial"?',
  ],
  ['rounds: 5', 'hooks: { beforeRun: 5 }', '10:21: hooks.beforeRun: 5 is not a command line such as'],
  [
    'rounds: 5',
    'hooks: { beforeRun: [] }',
    '10:10: hooks.beforeRun: the list is empty; expected a command line',
  ],
  ['rounds: 5', 'hooks: { beforeRun: "" }', '10:21: hooks.beforeRun: "" is not a command line such as'],
  [
    'rounds: 5',
    'hooks: { beforeRun: "a ${size}" }',
    '10:21: hooks.beforeRun: in a hook, the axis is $BROADSIDE_AXIS_SIZE',
  ],
  ['rounds: 5', 'k6: { script: x.js }', '10:1: k6: no cell runs a script; add engine: k6'],
  ['rounds: 5', 'order: shufled', '10:8: order: "shufled" is not known; did you mean "shuffled"?'],
  ['rounds: 5', 'seed: 4', '10:1: seed: only a shuffled order has a seed; add order: shuffled, or remove it'],
  ['rounds: 5', 'cooldown: 2', '10:11: cooldown: 2 has no unit; write 2s'],
  ['rounds: 5', 'dnf: { errorRatio: 50 }', '10:20: dnf.errorRatio: 50 is not a number from 0 to 1'],
  ['rounds: 5', 'dnf: { stall: 0s }', '10:15: dnf.stall: "0s" is no time at all'],
  ['rounds: 5', 'exclude: { size: 4KiB }', '10:1: exclude: a mapping is not a list such as [{ target'],
  ['rounds: 5', 'exclude: [4KiB]', '10:11: exclude[0]: "4KiB" is not a mapping of axes to values'],
  ['rounds: 5', 'exclude: [{}]', '10:11: exclude[0]: names no axis'],
  [
    'rounds: 5',
    'exclude: [{ siz: 4KiB }]',
    '10:13: exclude[0].siz: "siz" is not an axis of the sweep; did you mean "size"?',
  ],
  ['rounds: 5', 'exclude: [{ size: 4KB }]', '10:11: exclude[0]: no cell has size=4KB; did you mean "4KiB"?'],
  [
    'rounds: 5',
    'exclude: [{ target: httpd }, { target: nio }]',
    '10:1: exclude: leaves out every cell; nothing would be measured',
  ],
  [
    'rounds: 5',
    'include: [{ colour: red }]',
    '10:13: include[0].colour: "colour" is not an axis of the sweep; expected target, size or connections',
  ],
  [
    'rounds: 5',
    'include: [{ target: htpd }]',
    '10:21: include[0].target: "htpd" is not a name in targets; did you mean "httpd"?',
  ],
  ['rounds: 5', 'include: [{ size: 4KiB }]', '10:11: include[0]: the sweep has size=4KiB already; remove it'],
  ['rounds: 5', 'include: [{ size: [4KiB] }]', '10:13: include[0].size: a list is not a text, a number'],
  ['rounds: 5', 'only: { size: 4KiB }', '10:15: only.size: "4KiB" is not a list of values such as'],
  ['rounds: 5', 'only: { size: [5KiB] }', '10:16: only.size[0]: no cell has size=5KiB; did you mean'],
  ['rounds: 5', '__proto__: 5', '10:1: unknown key "__proto__"; expected'],
  ['rounds: 5', 'engine: wrk', '10:9: engine: "wrk" is not known; expected http or k6'],
  [
    'duration: 30s',
    'duration: 10 parsecs',
    '8:82: load.duration: "10 parsecs" is not a duration such as 10s',
  ],
  ['duration: 30s', 'duration: 30', '8:82: load.duration: 30 has no unit; write 30s, or 30ms'],
  ['duration: 30s', 'duration: -30s', '8:82: load.duration: "-30s" is negative; expected a duration such as'],
  ['duration: 30s', 'duration: 0s', '8:82: load.duration: "0s" is no time at all'],
  ['duration: 30s', 'duration: 9999999h', '8:82: load.duration: "9999999h" is longer than a year'],
  ['duration: 30s', 'duration:', '8:72: load.duration: the value is empty; expected a duration such as'],
  ['duration: 30s', 'requests: 0', '8:82: load.requests: 0 is not a whole number, 1 or more'],
  ['duration: 30s', 'requests: -3', '8:82: load.requests: -3 is not a whole number, 1 or more'],
  ['duration: 30s', 'requests: 1.5', '8:82: load.requests: 1.5 is not a whole number, 1 or more'],
  ['duration: 30s', 'requests: "10"', '8:82: load.requests: "10" is text; write 10 without quotes'],
  ['duration: 30s, ', '', '8:1: load: neither "duration" nor "requests" is given'],
  [
    'duration: 30s',
    'duration: 30s, rate: 5',
    '8:87: load: unknown key "rate" here; it belongs to executor constant-arr',
  ],
  [
    'constant-connections',
    'constant-conections',
    '8:19: load.executor: "constant-conections" is not known; did you',
  ],
  [
    'constant-connections',
    'everlasting',
    '8:19: load.executor: "everlasting" is not known; expected constant-connections,',
  ],
  [
    'constant-connections',
    'constant-arrival-rate',
    '8:42: load: unknown key "connections" here; with an arrival rate give "maxConnections"',
  ],
  // A misspelt key comes before what is missing because of it, also where it stands behind it.
  ['rounds: 5', 'loda: {}', '10:1: unknown key "loda"; did you mean "load"?'],
  ['request:', 'requst:', '7:1: unknown key "requst"; did you mean "request"?'],
  ['executor: constant-connections, ', '', '8:1: load.executor is missing; expected constant-connections,'],
  ['keepAlive: true', 'keepAlive: yes', '8:98: load.keepAlive: "yes" is not true or false'],
  ['rounds: 5', 'rounds: 0', '10:9: rounds: 0 is not a whole number from 1 to 10000'],
  ['rounds: 5', 'rounds: .inf', '10:9: rounds: Infinity is not a whole number'],
  ['rounds: 5', 'rounds: 5000', '3:1: sweep: 12 cells × 5000 rounds are 60000 trials; at most 10000'],
  [
    '[httpd, nio]',
    '[httpd, nioo]',
    '4:19: sweep.target[1]: "nioo" is not a name in targets; did you mean "nio"?',
  ],
  [
    '  target: [httpd, nio]\n',
    '',
    '2:43: targets.nio: no trial would use this target; add target: [httpd, nio]',
  ],
  ['{ httpd:', '{ 9:', '2:15: targets.9: a target\'s name cannot be a bare number; write such as "v9"'],
  [
    '"http://10.0.0.5:8080"',
    '"http://"',
    '2:19: targets.httpd: "http://" has no host; expected a URL such as',
  ],
  ['"http://10.0.0.5:8080"', '"http:///a"', '2:19: targets.httpd: "http:///a" has no host'],
  ['"http://10.0.0.5:8080"', '"http://:80"', '2:19: targets.httpd: "http://:80" has no host'],
  [
    '"http://10.0.0.5:8080"',
    '"http://h:99999"',
    '2:19: targets.httpd: "http://h:99999" is not a URL such as',
  ],
  ['"http://10.0.0.5:8080"', '"http://h:0"', '2:19: targets.httpd: "http://h:0" has port 0'],
  [
    '"http://10.0.0.5:8080"',
    '"ftp://h"',
    '2:19: targets.httpd: "ftp://h" has the scheme ftp; only http and https',
  ],
  [
    '"http://10.0.0.5:8080"',
    'h:80',
    '2:19: targets.httpd: "h:80" is not a URL such as http://10.0.0.5:8080; did you',
  ],
  [
    '"http://10.0.0.5:8080"',
    '"http://h/?a"',
    '2:19: targets.httpd: "http://h/?a" is a base URL; move what follows',
  ],
  ['"http://10.0.0.5:8080"', '"http://me:pw@"', '2:19: targets.httpd: "http://[redacted]@" has no host'],
  ['"http://10.0.0.5:8080"', '', '2:12: targets.httpd: the value is empty; expected a URL'],
  ['${size}', '${sise}', '7:31: request.path: ${sise} is not an axis of the sweep; did you mean "size"?'],
  ['${size}', '${size', '7:31: request.path: "${" is never closed; write $${ for a literal ${'],
  [
    '${size}',
    'x',
    '5:3: sweep.size: the axis is not used; put ${size} into request or load, or remove the axis',
  ],
  ['${size}', '$${size}', '5:3: sweep.size: the axis is not used'],
  ['name: static', 'name: ${size}', '1:7: name: ${size} has a value only inside request and load'],
  [
    '[1, 40]',
    '[]',
    '6:3: sweep.connections: the axis has no values; expected a list of values such as [1, 40]',
  ],
  ['[1, 40]', '40', '6:16: sweep.connections: 40 is not a list of values such as [1, 40]'],
  ['[1, 40]', '[1, 1]', '6:20: sweep.connections[1]: 1 is in the axis twice'],
  ['[1, 40]', '[1, .nan]', '6:20: sweep.connections[1]: NaN is not a text, a number, true or false'],
  ['[1, 40]', '[1, [2]]', '6:20: sweep.connections[1]: a list is not a text, a number'],
  [
    '[1, 40]',
    '[1, 0]',
    '8:54: load.connections: 0 is not a whole number from 1 to 1000000 (in the cell target=httpd size=4KiB connections=0)',
  ],
  [
    'rows: size',
    'rows: sizes',
    '14:17: report.rows: "sizes" is not an axis of the sweep; did you mean "size"?',
  ],
  ['columns: target', 'columns: size', '14:32: report.columns: "size" is the rows already'],
  [
    'columns: target',
    'columns: zzzzz',
    '14:32: report.columns: "zzzzz" is not an axis of the sweep; expected target, size, connections, round or cell',
  ],
  [
    'baseline: httpd',
    'baseline: ttpd',
    '14:85: report.baseline: "ttpd" is not a value of the columns (target); did',
  ],
  [
    'metric: transferRate',
    'metric: rps',
    '14:48: report.metric: "rps" is not a metric; did you mean "requestRate"?',
  ],
  [
    'unit: KiB/s',
    'unit: kib/s',
    '14:68: report.unit: "kib/s" is not a unit of transferRate; did you mean "KiB/s"?',
  ],
  ['metric: transferRate, ', '', '14:46: report.unit: a unit needs its metric'],
  [
    'onWorkerLoss: abort',
    'onWorkerLoss: shink',
    '13:15: onWorkerLoss: "shink" is not known; did you mean "shrink"?',
  ],
  [
    'p(99) < 200ms',
    'p99 < 200ms',
    '12:15: thresholds[0].that: threshold "p99 < 200ms" does not parse at character 1',
  ],
  ['abort: true', 'abort: maybe', '12:84: thresholds[2].abort: "maybe" is not true or false'],
  ['status: 200', 'status: [200, 999]', '7:98: request.expect.status[1]: 999 is not a status code'],
  ['status: 200', 'status: []', '7:84: request.expect.status: the list is empty'],
  ['status: 200', 'length: 200', '7:92: request.expect.length: 200 has no unit; write 200B, or 200KiB'],
  ['method: GET', 'method: get', '7:20: request.method: methods are case-sensitive; did you mean "GET"?'],
  ['method: GET', 'method: G ET', '7:20: request.method: "G ET" is not a method such as GET or POST'],
  ['path: "/', 'path: "', '7:31: request.path: "4KiB.bin" does not start with "/"'],
  [
    'path: "/',
    'path: "/a b',
    '7:31: request.path: "/a b4KiB.bin" has a space or control character in it; write %20',
  ],
  ['path: "/', 'path: "/#', '7:31: request.path: "/#4KiB.bin" has a fragment (#…), which is never sent'],
  ['headers: {}', 'headers: { "a b": 1 }', '7:65: request.headers["a b"]: "a b" is not a header name'],
  ['headers: {}', 'headers: { A: "x\\r\\nB: 1" }', '7:61: request.headers.A: "x\\r\\nB: 1" has a line break'],
  [
    'headers: {}',
    'headers: { Content-Length: 3 }',
    '7:74: request.headers.Content-Length: Content-Length is added',
  ],
  ['headers: {}', 'headers: []', '7:47: request.headers: a list is not a mapping such as'],
  ['headers: {}', 'body: { a: 1 }', '7:47: request.body: a mapping is not text'],
  ['headers: {}', 'body: a, bodyBase64: YQ==', '7:68: request.bodyBase64: the body is given twice'],
  ['headers: {}', 'bodyBase64: "***"', '7:59: request.bodyBase64: "***" is not base64 text'],
  [
    'headers: {}',
    'bodyFile: /etc/passwd',
    '7:57: request.bodyFile: a file can be named only in a scenario file',
  ],
  ['warmup: { duration: 5s }', 'warmup: 5s', '9:9: warmup: "5s" is not a mapping such as { duration: 5s }'],
  ['warmup: { duration: 5s }', 'warmup:', '9:1: warmup: the value is empty; expected a mapping such as'],
  [
    'warmup: { duration: 5s }',
    'warmup: {}',
    '9:1: warmup: says nothing; expected { duration: 5s } or { requests: 1000 }',
  ],
  ['count: 2', 'coutn: 2', '11:12: workers: unknown key "coutn"; did you mean "count"?'],
  [
    'count: 2, pool: default',
    'pools: { a: 0 }',
    '11:24: workers.pools.a: 0 is not a whole number from 1 to 10000',
  ],
  [
    'count: 2, pool: default',
    'pools: [a, b]',
    '11:12: workers.pools: a list is not a mapping of pools to numbers',
  ],
  [
    'count: 2, pool: default',
    'count: 2, pools: { a: 2 }',
    '11:19: workers.count: is there together with pools',
  ],
  ['name: static', 'name: "\\e[2J"\n#', '1:7: name: "\\u001b[2J" has a control character in it'],
  ['  size:', '\tsize:', '5:1: there is a tab in the indentation; YAML takes only spaces there'],
  ['rounds: 5', 'rounds: 5\nrounds: 6', '11:1: the key "rounds" is given twice; keep one'],
  ['rounds: 5', 'rounds: !!foo 5', '10:9: this is not YAML: Unresolved tag'],
  ['rounds: 5', 'rounds: *five', '10:9: the alias *five has no anchor &five before it'],
  [
    'rounds: 5',
    'rounds: 0\nronds: 5',
    '10:9: rounds: 0 is not a whole number from 1 to 10000 (and 1 more problem)',
  ],
  [
    'warmup: { duration: 5s }\nrounds: 5',
    'warmup: 5\nrounds: 0\nlod: 1',
    '9:9: warmup: 5 is not a mapping such as { duration: 5s } (and 2 more problems)',
  ],
];

describe('a scenario text', () => {
  for (const [was, is, message] of MISTAKES) {
    test(`${JSON.stringify(was)} → ${JSON.stringify(is)}`, () => {
      assert.ok(FULL_SCENARIO.includes(was));
      assertRefused(
        FULL_SCENARIO.replace(was, () => is),
        message,
      );
    });
  }

  const WHOLES: [sentence: string, text: string, message: string][] = [
    ['an empty file', '', '1:1: the scenario is empty; the least it needs is "targets" and "load"'],
    ['only a comment', '# nothing\n', '1:1: the scenario is empty'],
    ['a list', '- a\n- b\n', '1:1: a list is not a mapping such as { targets:'],
    ['prose', 'hello', '1:1: "hello" is not a mapping such as'],
    [
      'no targets',
      'load: { executor: constant-connections, requests: 1 }',
      '1:1: targets is missing; expected a mapping of',
    ],
    [
      'no target',
      LEAST_SCENARIO.replace(/\{ web.*\}/, '{}'),
      '1:1: targets: no target is given; expected a mapping',
    ],
    [
      'no load',
      'targets: { web: "http://h" }',
      '1:1: load is missing; expected a mapping such as { executor',
    ],
    ['two documents', `${LEAST_SCENARIO}---\nname: x\n`, '3:1: a second YAML document begins here'],
    ['brackets without end', 'a: [1\nb: 2', '2:1: this is not YAML: Flow sequence'],
    [
      'a rate too low for its duration',
      LEAST_SCENARIO.replace(/load.*/, 'load: { executor: constant-arrival-rate, rate: 0.1, duration: 5s }'),
      '2:48: load.rate: at this rate not one request falls in the duration',
    ],
    ['an alias of itself', 'name: &a [*a]', '1:11: aliases make this scenario too large'],
    [
      'report.rows without a sweep',
      `${LEAST_SCENARIO}report: { rows: size }`,
      '3:17: report.rows: "size" is not an axis of the sweep; there is no sweep',
    ],
    [
      'a reference without a sweep',
      `${LEAST_SCENARIO}request: { path: "/\${a}" }`,
      '3:18: request.path: ${a} is not an axis of the sweep; there is no sweep',
    ],
    [
      'a baseline that is no target',
      `${LEAST_SCENARIO}report: { baseline: wep }`,
      '3:21: report.baseline: "wep" is not a target; did you mean "web"?',
    ],
  ];
  for (const [sentence, text, message] of WHOLES) test(sentence, () => assertRefused(text, message));

  test('aliases that multiply are refused before they fill the memory', () => {
    const levels = Array.from({ length: 12 }, (_, i) => {
      const held = i === 0 ? 'x' : `*a${i - 1}`;
      return `a${i}: &a${i} [${Array.from({ length: 9 }, () => held).join(', ')}]`;
    });
    assertRefused(levels.join('\n'), '2:10: aliases make this scenario too large; write it out');
  });

  test('aliases that repeat a value are YAML as any other', () => {
    const text = `targets: { a: &url "http://h", b: *url }\nsweep: { target: [a, b] }\n${LEAST_SCENARIO.split('\n')[1]}`;
    assert.deepEqual(
      parseScenario(text, 'x').targets.map(({ url }) => url),
      ['http://h', 'http://h'],
    );
  });

  for (const unit of ['[', '{', '- ', '? ', 'a: [', '- {x: ']) {
    test(`nesting without end by ${JSON.stringify(unit)} is refused at once`, () => {
      const before = performance.now();
      const refused = refusalOf(() => parseScenario(unit.repeat(1_000_000 / unit.length), 'demo.yaml'));
      assert.match(
        refused.message,
        /^demo\.yaml:1:\d+: (the scenario is nested too deeply|this is not YAML)/,
      );
      assert.ok(performance.now() - before < 1000);
    });
  }

  test('brackets in a text are no nesting', () => {
    const body = '['.repeat(100_000);
    const scenario = parseScenario(`${LEAST_SCENARIO}request:\n  body: |\n    ${body}\n`, 'demo.yaml');
    assert.equal(
      Buffer.from(planTrials(scenario)[0]!.requests[0]!.bodyBase64!, 'base64').toString(),
      `${body}\n`,
    );
  });

  test('five thousand mistakes are counted, and the first is named, in no more time than it takes to read them', () => {
    const text = `${LEAST_SCENARIO}${Array.from({ length: 5_000 }, (_, i) => `k${i}: 1\n`).join('')}`;
    const before = performance.now();
    const refused = refusalOf(() => parseScenario(text, 'demo.yaml'));
    assert.match(refused.message, /^demo\.yaml:3:1: unknown key "k0"; .* \(and 4999 more problems\)$/);
    assert.ok(performance.now() - before < 5000);
  });

  test('fifty thousand aliases are refused at once', () => {
    assertRefused(`k: &a 1\nz: [${'*a, '.repeat(50_000)}]\n`, '2:5: aliases make this scenario too large');
  });

  test('over 1 MiB is refused by size, before it is parsed', () => {
    const before = performance.now();
    const error = refusalOf(() => parseScenario('['.repeat(10 * 1024 ** 2), 'big.yaml'));
    assert.match(error.message, /^big\.yaml: is larger than 1\.00 MiB/);
    assert.ok(performance.now() - before < 1000);
  });

  test('the whole of DESIGN, in base units', () => {
    const { source, ...settings } = parseScenario(FULL_SCENARIO, 'demo.yaml');
    assert.deepEqual(settings, {
      name: 'static files by connector',
      dns: 'once',
      targets: [
        { name: 'httpd', url: 'http://10.0.0.5:8080' },
        { name: 'nio', url: 'http://10.0.0.5:8081' },
      ],
      sweep: [
        { name: 'target', values: ['httpd', 'nio'] },
        { name: 'size', values: ['4KiB', '64KiB', '1MiB'] },
        { name: 'connections', values: [1, 40] },
      ],
      exclude: [],
      include: [],
      only: {},
      order: { name: 'interleaved' },
      warmupUs: 5_000_000,
      cooldownUs: 0,
      dnf: { errorRatio: 0.5 },
      rounds: 5,
      workers: { count: 2, pools: [{ pool: 'default', count: 2 }], threads: 0, weights: 'worker' },
      thresholds: [
        { that: 'p(99) < 200ms', abort: false, afterUs: 0 },
        { that: 'errors < 1%', abort: false, afterUs: 0 },
        { that: 'requestRate > 1000', abort: true, afterUs: 10_000_000 },
      ],
      onWorkerLoss: 'abort',
      report: [{ rows: 'size', columns: 'target', metric: 'transferRate', unit: 'KiB/s', baseline: 'httpd' }],
    });
    assert.equal(source.name, 'static files by connector');
  });

  test('the least: defaults for all the rest, and the file gives the name', () => {
    const { source: _, ...settings } = parseScenario(LEAST_SCENARIO, 'lab/least.yaml');
    assert.deepEqual(settings, {
      name: 'least',
      dns: 'once',
      targets: [{ name: 'web', url: 'http://127.0.0.1:8080' }],
      sweep: [],
      exclude: [],
      include: [],
      only: {},
      order: { name: 'interleaved' },
      warmupUs: 0,
      cooldownUs: 0,
      dnf: { errorRatio: 0.5 },
      rounds: 1,
      workers: { pools: [{ pool: 'default' }], threads: 0, weights: 'worker' },
      thresholds: [],
      onWorkerLoss: 'abort',
      report: [],
    });
  });
});

describe('a scenario file', () => {
  const folder = suiteFolder();
  const write = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  test('one that is not there, and a folder', () => {
    const missing = refusalOf(() => readScenario('/nowhere/demo.yaml'));
    assert.deepEqual(
      [missing.code, missing.message],
      ['FILE_UNREADABLE', 'cannot read /nowhere/demo.yaml: there is no such file'],
    );
    const isFolder = refusalOf(() => readScenario(folder));
    assert.deepEqual(
      [isFolder.code, isFolder.message],
      ['FILE_UNREADABLE', `cannot read ${folder}: it is a folder`],
    );
  });

  test('one of 10 MB, and one without end', () => {
    const large = write('large.yaml', 'a'.repeat(10_000_000));
    for (const path of [large, '/dev/zero']) {
      const error = refusalOf(() => readScenario(path));
      assert.equal(error.code, 'SCENARIO_INVALID');
      assert.match(error.message, /is larger than 1\.00 MiB/);
    }
  });

  test('one that is not text', () => {
    const error = refusalOf(() => readScenario(write('binary.yaml', Buffer.from([0x6e, 0xff, 0xfe]))));
    assert.match(error.message, /binary\.yaml: is not UTF-8 text/);
  });

  test('a body from a file beside it, byte for byte', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    write('body.bin', bytes);
    const path = write('post.yaml', `${LEAST_SCENARIO}request: { bodyFile: body.bin }\n`);
    const scenario = readScenario(path);
    const request = planTrials(scenario)[0]!.requests[0]!;
    assert.equal(request.method, 'POST');
    assert.deepEqual(Buffer.from(request.bodyBase64!, 'base64'), bytes);
    assert.ok(
      !JSON.stringify(scenario.source).includes('bodyFile'),
      'what travels holds the body, not its name',
    );
  });

  const BODY_FILES: [request: string, message: string][] = [
    ['{ bodyFile: none.bin }', ':3:22: request.bodyFile: cannot read'],
    ['{ bodyFile: "${a}.bin" }', ':3:22: request.bodyFile: one file is read for all cells'],
    ['{ bodyFile: 5 }', ':3:22: request.bodyFile: 5 is not the name of a file'],
    ['{ body: a, bodyFile: none.bin }', ':3:31: request.bodyFile: the body is given twice'],
  ];
  for (const [request, message] of BODY_FILES) {
    test(`request: ${request}`, () => {
      const path = write('bad.yaml', `${LEAST_SCENARIO}request: ${request}\n`);
      const error = refusalOf(() => readScenario(path));
      assert.ok(error.message.startsWith(path + message), error.message);
    });
  }

  const SETTINGS: [set: string, code: string, message: string][] = [
    [
      'load.duration=5 parsecs',
      'SCENARIO_INVALID',
      '--set load.duration=5 parsecs: load.duration: "5 parsecs" is not a',
    ],
    [
      'laod.duration=5s',
      'SCENARIO_INVALID',
      '--set laod.duration=5s: unknown key "laod"; did you mean "load"?',
    ],
    ['workers.count=0', 'SCENARIO_INVALID', '--set workers.count=0: workers.count: 0 is not a whole number'],
    ['sweep.a=[1, 2', 'USAGE', '--set "sweep.a=[1, 2": the value is not YAML'],
    ['rounds', 'USAGE', '--set "rounds": expected KEY=VALUE'],
    ['load..x=1', 'USAGE', '--set "load..x=1": expected KEY=VALUE'],
    [
      'load.executor.x=1',
      'USAGE',
      '--set load.executor.x=1: load.executor is "constant-connections" and has no "x"',
    ],
  ];
  for (const [set, code, message] of SETTINGS) {
    test(`--set ${set}`, () => {
      const error = refusalOf(() => readScenario(write('set.yaml', LEAST_SCENARIO), { set: [set] }));
      assert.equal(error.code, code);
      assert.ok(error.message.startsWith(message), error.message);
    });
  }

  test('--set changes values, makes mappings, and reaches into lists', () => {
    const path = write('set.yaml', `${LEAST_SCENARIO}thresholds: ["errors == 0"]\n`);
    const scenario = readScenario(path, {
      set: [
        'load.requests=7',
        'workers.count=3',
        'thresholds.0=errors < 1%',
        'name=a=b',
        'load.connections=${c}',
        'sweep.c=[1, 2]',
      ],
    });
    assert.equal(scenario.name, 'a=b');
    assert.equal(scenario.workers.count, 3);
    assert.equal(scenario.thresholds[0]!.that, 'errors < 1%');
    assert.deepEqual(
      planTrials(scenario).map(({ load }) => load),
      [1, 2].map((connections) => ({
        executor: 'constant-connections',
        connections,
        requests: 7,
        keepAlive: true,
      })),
    );
  });
});
