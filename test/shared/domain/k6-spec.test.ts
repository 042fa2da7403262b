import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { estimateRun, estimateText } from '../../../shared/domain/estimate.ts';
import { planTrials, redactForJournal } from '../../../shared/domain/plan-trials.ts';
import { parseScenario, readScenario } from '../../../shared/domain/scenario-source.ts';
import { validateScenario } from '../../../shared/domain/validate-scenario.ts';
import { suiteFolder } from '../../support/folders.ts';

const plan = (text: string) => planTrials(parseScenario(text, 'demo.yaml'));
const SCRIPT = 'engine: k6\nk6: { script: login.js }\n';

describe('a scenario with a k6 script', () => {
  test('needs nothing but the script', () => {
    assert.deepEqual(plan(SCRIPT), [
      {
        index: 0,
        round: 1,
        cell: {},
        target: { name: 'login.js', url: '' },
        engine: 'k6',
        requests: [],
        k6: {
          script: 'login.js',
          env: {},
          tags: {},
          submetrics: [],
          requires: { extensions: [] },
          output: 'exact',
        },
        load: { executor: 'script' },
        warmupUs: 0,
      },
    ]);
  });

  test('axes reach env, tags, vus, iterations and duration, in text or as a whole', () => {
    const trials = plan(`engine: k6
sweep: { vus: [1, 20], time: [5s] }
k6:
  script: login.js
  env: { USERS: "\${vus}", URL: "http://h/?n=\${vus}" }
  tags: { load: "v\${vus}" }
  vus: "\${vus}"
  iterations: "\${vus}"
  duration: "\${time}"
`);
    const { k6, load } = trials[1]!;
    assert.deepEqual(k6?.env, { USERS: '20', URL: 'http://h/?n=20' });
    assert.deepEqual(
      [k6?.tags, k6?.vus, k6?.iterations, k6?.durationUs, load.durationUs],
      [{ load: 'v20' }, 20, 20, 5e6, 5e6],
    );
  });

  test('a target is a variable of the script, as it was written; what is shown has no userinfo', () => {
    const [trial] = plan(`${SCRIPT}targets: { web: "http://me:secret@h:8080/base/" }\n`);
    assert.equal(trial?.k6?.env.TARGET_URL, 'http://me:secret@h:8080/base');
    assert.deepEqual(trial?.target, { name: 'web', url: 'http://h:8080/base' });
    assert.doesNotMatch(JSON.stringify(redactForJournal(trial!)), /secret/);
  });

  test('secrets among the variables do not reach the journal', () => {
    const [trial] = plan('engine: k6\nk6: { script: a.js, env: { API_TOKEN: abc, USERS: 5 } }\n');
    assert.deepEqual(redactForJournal(trial!).k6?.env, { API_TOKEN: '[redacted]', USERS: '5' });
  });

  test('an axis of engines mixes cells; each reads its own parts', () => {
    const trials = plan(`targets: { web: "http://h" }
sweep: { engine: [http, k6] }
k6: { script: login.js }
load: { executor: constant-connections, requests: 10 }
warmup: { duration: 1s }
`);
    assert.deepEqual(
      trials.map(({ engine, load, warmupUs, requests }) => [
        engine,
        load.executor,
        warmupUs,
        requests.length,
      ]),
      [
        ['http', 'constant-connections', 1e6, 1],
        ['k6', 'script', 0, 0],
      ],
    );
    assert.equal(estimateText(estimateRun(trials, 0)), '2 trials, as long as their requests or scripts take');
  });

  test('how long a script takes is not known, unless the scenario says so', () => {
    assert.equal(estimateText(estimateRun(plan(SCRIPT), 0)), '1 trial, as long as its script says');
    const limited = plan('engine: k6\nk6: { script: a.js, duration: 30s }\n');
    assert.equal(estimateText(estimateRun(limited, 0)), '1 trial, about 30.0 s');
  });

  test('a packed script travels with the scenario', () => {
    const pack = { sha256: 'a'.repeat(64), bytes: 100, kind: 'bundle', entry: 'login.js' };
    const source = { engine: 'k6', k6: { script: 'login.js', package: pack } };
    assert.deepEqual(planTrials(validateScenario(source, 'test'))[0]?.k6?.package, pack);
  });

  const PROBLEMS: [sentence: string, text: string, message: RegExp][] = [
    ['no k6 at all', 'engine: k6\n', /^demo\.yaml:1:1: k6 is missing; expected a mapping such as/],
    [
      'no script',
      'engine: k6\nk6: { vus: 1 }\n',
      /2:1: k6\.script is missing; expected the name of a script/,
    ],
    ['a script on the web', 'engine: k6\nk6: { script: "https://h/a.js" }\n', /2:15: .* is an address; save/],
    [
      'a misspelt key',
      'engine: k6\nk6: { script: a.js, vu: 1 }\n',
      /2:21: k6: unknown key "vu"; did you mean "vus"/,
    ],
    [
      'a number as text',
      'engine: k6\nk6: { script: a.js, vus: "3" }\n',
      /2:26: k6\.vus: "3" is text; write 3/,
    ],
    ['a duration without a unit', 'engine: k6\nk6: { script: a.js, duration: 30 }\n', /write 30s/],
    [
      'a variable that is a list',
      'engine: k6\nk6: { script: a.js, env: { A: [1] } }\n',
      /k6\.env: A: a list is not a text/,
    ],
    [
      'a variable with a space',
      'engine: k6\nk6: { script: a.js, env: { "A B": 1 } }\n',
      /"A B" is not a name of letters/,
    ],
    ['a tag with =', 'engine: k6\nk6: { script: a.js, tags: { "a=b": 1 } }\n', /"a=b" is not a name without/],
    [
      'a version as a number',
      'engine: k6\nk6: { script: a.js, requires: { version: 1.2 } }\n',
      /in quotes: "1\.2"/,
    ],
    ['an output that there is not', 'engine: k6\nk6: { script: a.js, output: fast }\n', /expected exact/],
    [
      'a load beside the script',
      `${SCRIPT}load: { executor: constant-connections }\n`,
      /3:1: load: with engine: k6 a script has its own load/,
    ],
    [
      'a request beside the script',
      `${SCRIPT}request: { path: / }\n`,
      /3:1: request: with engine: k6 a script makes its own requests/,
    ],
    ['a warm-up', `${SCRIPT}warmup: { duration: 5s }\n`, /3:1: warmup: with engine: k6/],
    [
      'k6 that nobody runs',
      'targets: { web: "http://h" }\nload: { executor: constant-connections, requests: 1 }\nk6: { script: a.js }\n',
      /3:1: k6: no cell runs a script; add engine: k6/,
    ],
    [
      'http cells without targets',
      'sweep: { engine: [http, k6] }\nk6: { script: a.js }\nload: { executor: constant-connections, requests: 1 }\n',
      /targets is missing/,
    ],
    [
      'an axis in the name of the script',
      'engine: k6\nsweep: { s: [a, b] }\nk6: { script: "${s}.js" }\n',
      /3:15: k6\.script: one package is sent for all cells/,
    ],
    [
      'an axis that there is not',
      'engine: k6\nk6: { script: a.js, env: { A: "${b}" } }\n',
      /\$\{b\} is not an axis of the sweep/,
    ],
    [
      'rows of data',
      'engine: k6\nk6: { script: a.js, env: { A: "${data.b}" } }\n',
      /\$\{data\.b\} is not an axis/,
    ],
    [
      'an engine that there is not, in a cell',
      'sweep: { engine: [k6, wrk] }\nk6: { script: a.js }\n',
      /1:10: sweep\.engine: "wrk" is not known; expected http or k6/,
    ],
    [
      'an axis in a value, in one cell',
      'engine: k6\nsweep: { n: [1, x] }\nk6: { script: a.js, vus: "${n}" }\n',
      /k6\.vus: "x" is not a whole number.*\(in the cell n=x\)/,
    ],
  ];
  for (const [sentence, text, message] of PROBLEMS) {
    test(`is refused: ${sentence}`, () => {
      assert.throws(
        () => parseScenario(text, 'demo.yaml'),
        (error: Error) => {
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  describe('in a file', () => {
    const folder = suiteFolder({ 'demo.yaml': SCRIPT });

    test('its script has to be there', () => {
      const file = path.join(folder, 'demo.yaml');
      assert.throws(
        () => readScenario(file),
        /demo\.yaml:2:15: k6\.script: cannot read .*login\.js: there is no such file/,
      );
      writeFileSync(path.join(folder, 'login.js'), 'export default function () {}\n');
      assert.equal(planTrials(readScenario(file)).length, 1);
    });
  });
});
