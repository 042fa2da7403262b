import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { compareVersions, lacks } from '../../shared/domain/k6-requirements.ts';
import { findK6, readVersionAnswer } from '../../shared/k6-binary.ts';
import { k6Environment, k6Variables, noSummaryFlags } from '../../shared/k6-version.ts';
import { suiteFolder, writeFiles } from '../support/folders.ts';
import { K6_BINARY, WITHOUT_K6 } from '../support/k6.ts';

const JSON_1 =
  '{"commit":"73b044f9f9","go_arch":"amd64","go_os":"linux","go_version":"go1.25.12","version":"v1.8.1"}\n';
const JSON_X =
  '{"extensions":[{"module":"example.com/xk6-hello","version":"v0.1.0","imports":["k6/x/hello"],"outputs":["hello"]}],"go_version":"go1.25.12","version":"v1.8.1"}\n';
const TEXT_X = `k6-x v1.8.1 (go1.25.12, linux/amd64)
Extensions:
  example.com/xk6-hello v0.1.0, hello [output]
  example.com/xk6-hello v0.1.0, k6/x/hello [js]
`;
const HELLO = ['example.com/xk6-hello', 'hello', 'k6/x/hello'];

describe('what `k6 version` says', () => {
  const ROWS: [sentence: string, answer: string, facts: ReturnType<typeof readVersionAnswer>][] = [
    ['JSON of a stock k6', JSON_1, { version: '1.8.1', extensions: [] }],
    ['JSON of one with extensions', JSON_X, { version: '1.8.1', extensions: HELLO }],
    ['text of one with extensions', TEXT_X, { version: '1.8.1', extensions: HELLO }],
    [
      'text of 2.x',
      'k6 v2.2.0 (commit/00a9a1b7f5, go1.25.12, linux/amd64)\n',
      { version: '2.2.0', extensions: [] },
    ],
    [
      'text of a release candidate',
      'k6 v2.0.0-rc1 (commit/00a9a1b7f5, go1.25.12, linux/amd64)\n',
      { version: '2.0.0-rc1', extensions: [] },
    ],
    ['nothing', '', undefined],
    ['what node says', 'v20.20.0\n', undefined],
    ['what echo says', 'version --json\n', undefined],
    ['JSON of something else', '{"version":"v1.8.1"}', undefined],
    ['JSON that is no mapping', 'null', undefined],
  ];
  for (const [sentence, answer, facts] of ROWS)
    test(sentence, () => assert.deepEqual(readVersionAnswer(answer), facts));
});

describe('what a scenario asks of a binary', () => {
  const hello = { version: '1.8.1', extensions: HELLO };
  const ROWS: [sentence: string, missing: string[], of: Parameters<typeof lacks>][] = [
    ['no binary', ['k6'], [undefined, {}]],
    ['nothing is asked for', [], [hello, {}]],
    ['a version that it has', [], [hello, { version: '1.8.1' }]],
    ['an older one', [], [hello, { version: '1.2' }]],
    ['a newer one', ['k6 2.0.0 (it has 1.8.1)'], [hello, { version: '2.0.0' }]],
    [
      'a release candidate counts as its release',
      [],
      [{ ...hello, version: '2.0.0-rc1' }, { version: '2.0.0' }],
    ],
    ['an extension that it has', [], [hello, { extensions: ['k6/x/hello'] }]],
    ['anything of one that fetches it', [], [{ ...hello, extensions: ['*'] }, { extensions: ['k6/x/sql'] }]],
    ['one that it lacks', ['k6/x/sql'], [hello, { extensions: ['k6/x/hello', 'k6/x/sql'] }]],
  ];
  for (const [sentence, missing, of] of ROWS) test(sentence, () => assert.deepEqual(lacks(...of), missing));

  test('versions go by number, not by letter', () => {
    assert.ok(compareVersions('1.10.0', '1.9.0') > 0);
    assert.ok(compareVersions('1.2', 'v1.2.0') === 0);
  });
});

describe('what is always said to k6', () => {
  test('no usage reports, no fetching of extensions, no options of the test from the shell', () => {
    const env = k6Environment({ HOME: '/h', K6_VUS: '5', K6_OUT: 'cloud', K6_BROWSER_HEADLESS: 'true' });
    assert.deepEqual(env, {
      HOME: '/h',
      K6_BROWSER_HEADLESS: 'true',
      K6_NO_USAGE_REPORT: 'true',
      K6_AUTO_EXTENSION_RESOLUTION: 'false',
      K6_BINARY_PROVISIONING: 'false',
      NO_COLOR: '1',
    });
  });
  test('nothing of the worker that a script has no use for', () => {
    const env = k6Environment({ BROADSIDE_TOKEN: 'a', AWS_SECRET_ACCESS_KEY: 'b', https_proxy: 'c' });
    assert.deepEqual(
      [env.BROADSIDE_TOKEN, env.AWS_SECRET_ACCESS_KEY, env.https_proxy],
      [undefined, undefined, 'c'],
    );
  });
  test('variables of a script are no arguments, unless k6 would take them for its own', () => {
    const { env, flags } = k6Variables({ PATH: '/bin' }, { API_KEY: 'a', K6_VUS: '5', PATH: '/x' });
    assert.deepEqual([env.API_KEY, env.K6_VUS, env.PATH], ['a', undefined, '/bin']);
    assert.deepEqual(flags, ['--include-system-env-vars', '-e', 'K6_VUS=5', '-e', 'PATH=/x']);
  });
  test('an operator may ask for the fetching of extensions', () => {
    const env = k6Environment({ K6_AUTO_EXTENSION_RESOLUTION: 'true' });
    assert.equal(env.K6_AUTO_EXTENSION_RESOLUTION, 'true');
  });
  test('no summary, in the words of the version', () => {
    assert.deepEqual(noSummaryFlags('1.2.3'), ['--no-summary']);
    assert.deepEqual(noSummaryFlags('2.0.0'), ['--summary-mode=disabled']);
  });
});

describe('looking for a binary', () => {
  const folder = suiteFolder();
  const program = (name: string, lines: string): string => {
    writeFiles(folder, { [name]: `#!/bin/sh\n${lines}\n` });
    return path.join(folder, name);
  };
  const quiet = { warn: () => {} };

  test('none is none', async () => {
    assert.equal(await findK6({ env: { PATH: folder }, ...quiet }), undefined);
  });

  const UNUSABLE: [sentence: string, lines: string, message: RegExp][] = [
    ['one that is not k6', 'echo hello', /^--k6: .* is not k6: `version` did not answer as k6 does/],
    ['one that says nothing', 'exit 0', /is not k6/],
    ['one that fails', 'exit 3', /is not k6/],
    [
      'one that hangs, with what it has started',
      'sleep 60 & sleep 60',
      /did not answer `version --json` within 0.3 s/,
    ],
    [
      'one that is too old',
      'echo "k6 v0.45.0 (2023-06-14T11:42:39+0000, go1.20.4, linux/amd64)"',
      /k6 0\.45\.0, and 1\.0\.0 is the oldest/,
    ],
  ];
  for (const [sentence, lines, message] of UNUSABLE) {
    test(`refused: ${sentence}`, async () => {
      const given = program('other', lines);
      await assert.rejects(findK6({ given, env: {}, withinMs: 300, ...quiet }), {
        code: 'K6_UNUSABLE',
        message,
      });
    });
  }
  test('refused: one that is not there', async () => {
    await assert.rejects(
      findK6({ given: '/nowhere/k6', env: {}, ...quiet }),
      /\/nowhere\/k6 is not there, or is no program/,
    );
  });

  test('one in the PATH that nobody named is left alone when it is no k6, and said so', async () => {
    program('k6', 'echo hello');
    const said: string[] = [];
    const found = await findK6({ env: { PATH: folder }, warn: (message) => said.push(message) });
    assert.equal(found, undefined);
    assert.match(said[0]!, /^PATH: .*\/k6 is not k6/);
  });

  test('the flag goes before $K6_BIN, and that before the PATH', async () => {
    const as = (version: string): string => `echo "k6 v${version} (go1.25.12, linux/amd64)"`;
    const env = { PATH: folder, K6_BIN: program('named', as('1.1.0')) };
    program('k6', as('1.0.0'));
    const given = program('given', as('1.2.0'));
    assert.equal((await findK6({ given, env, ...quiet }))?.version, '1.2.0');
    assert.equal((await findK6({ env, ...quiet }))?.version, '1.1.0');
    assert.equal((await findK6({ env: { PATH: folder }, ...quiet }))?.version, '1.0.0');
  });

  test('a real one', { skip: WITHOUT_K6 }, async () => {
    const found = await findK6({ given: K6_BINARY!, env: {}, ...quiet });
    assert.match(found!.version, /^\d+\.\d+\.\d+/);
  });
});
