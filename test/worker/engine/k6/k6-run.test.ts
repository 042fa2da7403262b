/** k6 processes that do not do what they should: each ends within a bound, with what went wrong. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { clock } from '../../../../shared/clock.ts';
import { K6Run } from '../../../../worker/engine/k6/k6-run.ts';
import type { FromK6Thread } from '../../../../worker/engine/k6/messages.ts';

const FACTS = JSON.stringify({
  totalDuration: '10s',
  maxVUs: 1,
  scenarios: { default: { executor: 'constant-vus' } },
});

/** A shell script in the place of k6: what it does when asked to inspect, and to run. */
async function prepared(t: TestContext, inspect: string, run: string, silentMs = 500): Promise<FromK6Thread> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'broadside-k6-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'k6');
  await writeFile(file, `#!/bin/sh\nif [ "$1" = inspect ]; then\n${inspect}\nelse\n${run || ':'}\nfi\n`);
  await chmod(file, 0o755);
  const plan = {
    script: 'load.js',
    package: { sha256: '', bytes: 0, kind: 'bundle' as const },
    env: {},
    tags: {},
    submetrics: [],
    requires: {},
    output: 'exact' as const,
  };
  return new Promise((resolve) => {
    const k6 = new K6Run(
      {
        binary: { path: file, version: '1.8.1' },
        plan,
        script: path.join(folder, 'load.js'),
        folder,
        shard: { index: 0, count: 1 },
        epochBaseUs: clock.epochBaseUs,
        silentMs,
      },
      resolve,
    );
    k6.prepare();
  });
}

const log = (msg: string): string => `echo '${JSON.stringify({ level: 'error', msg })}' >&2`;

describe('before it is ready', () => {
  const good = `echo '${FACTS}'`;
  const cases: [that: string, inspect: string, run: string, reason: RegExp][] = [
    ['a program that is not k6', 'echo hello', 'exit 0', /did not answer as k6 does/],
    [
      'a script that k6 does not take',
      `${log('SyntaxError: file:///x/load.js: Line 3:1 Unexpected token')}; exit 107`,
      '',
      /^SyntaxError: .*load\.js: Line 3:1 Unexpected token$/,
    ],
    [
      'one that ends, with its own words',
      good,
      `${log('an exception in VU 2')}; exit 107`,
      /k6 ended before it was ready \(exit 107\): an exception in VU 2/,
    ],
    ['one that is killed', good, 'kill -KILL $$', /k6 was killed before it was ready \(SIGKILL\)/],
    [
      'one that never answers',
      good,
      'sleep 60',
      /did not become ready: nothing happened for 0\.5 s \(its API did not answer\)/,
    ],
    ['one whose port is always taken', good, `${log('address already in use')}; exit 106`, /exit 106/],
  ];
  for (const [that, inspect, run, reason] of cases) {
    test(that, async (t) => {
      const message = await prepared(t, inspect, run);
      assert.equal(message.type, 'failed');
      assert.match(message.type === 'failed' ? message.reason : '', reason);
    });
  }
});

test('places on this machine are not part of what is said', async (t) => {
  const message = await prepared(
    t,
    `printf '{"level":"error","msg":"ReferenceError at file://%s:1:2"}\\n' "$(cd "$(dirname "$0")" && pwd)/load.js" >&2; exit 107`,
    '',
  );
  assert.match(message.type === 'failed' ? message.reason : '', /^ReferenceError at load\.js:1:2$/);
});
