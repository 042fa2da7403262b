/** Hooks of a scenario, in a lab of its own and on a running coordinator. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { endCli, runCli, startCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab, temporaryDirectory } from '../support/lab.ts';

async function scenarioWith(t: TestContext, hooks: string) {
  const target = await startCountingTarget(t);
  const directory = await temporaryDirectory(t);
  const log = path.join(directory, 'log');
  const file = path.join(directory, 'scenario.yaml');
  await writeFile(
    file,
    `vars: { log: ${log} }
targets: { it: "${new URL(target.url).origin}" }
sweep: { part: [a, b, c] }
request: { path: "/\${part}" }
load: { executor: constant-connections, requests: 10 }
hooks:
  beforeRun: "echo before > '\${vars.log}'"
${hooks}`,
  );
  return { file, log, target };
}

test('they run around trials; a trial whose hook fails is DNF with what it said, and the others go on', async (t) => {
  const { file, log } = await scenarioWith(
    t,
    `  beforeTrial:
    - echo "trial $BROADSIDE_AXIS_PART" >> "\${vars.log}"
    - test "$BROADSIDE_AXIS_PART" != b || { echo "the server did not start"; exit 1; }
  afterTrial: 'test "$BROADSIDE_AXIS_PART" != c'
  afterRun: echo after >> "\${vars.log}"
`,
  );
  const data = await temporaryDirectory(t);
  const result = await runCli('coordinator', [
    ...['run', file, '--allow-hooks', '--format', 'json', '--data', data],
  ]);
  assert.equal(result.code, 0, result.stderr);
  const report = reportOf(result);
  assert.equal(await readFile(log, 'utf8'), 'before\ntrial a\ntrial b\ntrial c\nafter\n');
  assert.deepEqual(
    report.trials.map(({ state, dnf, summary }) => [state, dnf?.reason, summary.requests]),
    [
      ['completed', undefined, 10],
      ['dnf', 'the hook beforeTrial failed: exit 1: the server did not start', 0],
      ['dnf', 'the hook afterTrial failed: exit 1', 10],
    ],
  );
  assert.deepEqual(
    report.trials[1]!.hooks!.map(({ hook, exitCode, output }) => [hook, exitCode, output]),
    [
      ['beforeTrial', 0, ''],
      ['beforeTrial', 1, 'the server did not start\n'],
      ['afterTrial', 0, ''],
    ],
  );
  assert.deepEqual(
    report.run.hooks!.map(({ hook }) => hook),
    ['beforeRun', 'afterRun'],
  );
  const text = await runCli('coordinator', ['report', report.run.id, '--data', data]);
  assert.match(text.stdout, /DID NOT FINISH +part=b, round 1: the hook beforeTrial failed/);
});

test('one before the run that fails is the end of the run: nothing is loaded, the hook after it still runs', async (t) => {
  const { file, log, target } = await scenarioWith(
    t,
    `  afterRun: echo after >> "\${vars.log}"
  beforeTrial: ": $BROADSIDE_AXIS_PART"
`,
  );
  const data = await temporaryDirectory(t);
  const set = ['--set', 'hooks.beforeRun=echo no; exit 4'];
  // The variable is used by the other.
  const result = await runCli('coordinator', ['run', file, '--allow-hooks', '--data', data, ...set]);
  assert.equal(result.code, 3, result.stderr);
  assert.match(result.stderr, /the hook beforeRun failed: exit 4: no/);
  assert.equal(await readFile(log, 'utf8'), 'after\n');
  assert.equal(target.arrivalsUs.length, 0);
});

test('an interrupted run still cleans up after its trial, its cell and itself', async (t) => {
  const { file, log, target } = await scenarioWith(
    t,
    `  afterTrial: echo "trial $BROADSIDE_AXIS_PART" >> "\${vars.log}"
  afterCell: echo "cell $BROADSIDE_AXIS_PART" >> "\${vars.log}"
  afterRun: echo after >> "\${vars.log}"
`,
  );
  const data = await temporaryDirectory(t);
  const set = ['--set', 'load={ executor: constant-connections, duration: 60s }'];
  const run = startCli('coordinator', ['run', file, '--allow-hooks', '--data', data, ...set]);
  t.after(() => endCli(run));
  await target.reached(10);
  run.child.kill('SIGINT');
  const { code, stderr } = await run.ended;
  assert.equal(code, 130, stderr);
  assert.equal(await readFile(log, 'utf8'), 'before\ntrial a\ncell a\nafter\n');
});

test('without leave nothing is started: in a lab of its own, and on a coordinator', async (t) => {
  const { file, log, target } = await scenarioWith(t, '  timeout: 5s\n');
  const data = await temporaryDirectory(t);
  const alone = await runCli('coordinator', ['run', file, '--data', data]);
  assert.equal(alone.code, 2);
  assert.match(alone.stderr, /hooks: .* --allow-hooks is not given/);
  const lab = await startLab(t, ['w1']);
  const there = await lab.run([file]);
  assert.equal(there.code, 2);
  assert.match(there.stderr, /this coordinator does not run any[\s\S]*--allow-hooks/);
  const flag = await lab.run([file, '--allow-hooks']);
  assert.equal(flag.code, 2);
  assert.match(flag.stderr, /--allow-hooks: is for a lab of its own/);
  await assert.rejects(readFile(log));
  assert.equal(target.arrivalsUs.length, 0);
});

test('a coordinator that allows them runs them', async (t) => {
  const { file, log } = await scenarioWith(t, '  timeout: 5s\n');
  const lab = await startLab(t, ['w1'], ['--allow-hooks']);
  const result = await lab.run([file]);
  assert.equal(result.code, 0, result.stderr);
  assert.equal(await readFile(log, 'utf8'), 'before\n');
});
