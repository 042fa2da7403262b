import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkHooksAllowed, RunHooks } from '../../coordinator/hooks.ts';
import type { HookRecord } from '../../coordinator/journal-records.ts';
import type { HookName, HookSpec } from '../../shared/domain/hooks.ts';
import { planTrials } from '../../shared/domain/plan-trials.ts';
import { parseScenario } from '../../shared/domain/scenario-source.ts';

const NAMES: HookName[] = ['beforeRun', 'afterRun', 'beforeCell', 'afterCell', 'beforeTrial', 'afterTrial'];

function trialsOf(order: string) {
  return planTrials(
    parseScenario(
      `targets: { a: "http://127.0.0.1:1" }
sweep: { server-cpus: [1, 2] }
rounds: 2
order: ${order}
load: { executor: constant-connections, requests: 1 }
hooks: { beforeCell: "echo $BROADSIDE_AXIS_SERVER_CPUS" }
`,
      'a.yaml',
    ),
  );
}

interface Driven {
  /** `hook trials output`. */
  log: string[];
  failures: (string | undefined)[];
}

/** All trials, as the run controller takes them. */
async function drive(commands: Partial<Record<HookName, string>>, order = 'interleaved'): Promise<Driven> {
  const trials = trialsOf(order);
  const records: HookRecord[] = [];
  const spec: HookSpec = { timeoutUs: 5e6 };
  for (const name of NAMES) {
    const command = commands[name];
    if (command !== undefined) spec[name] = [command];
  }
  const hooks = new RunHooks({
    spec,
    runId: 'r1',
    trials,
    record: async (record) => void records.push(record),
    notice: () => {},
  });
  const { signal } = new AbortController();
  await hooks.beforeRun(signal);
  const failures: (string | undefined)[] = [];
  for (const trial of trials) {
    const before = await hooks.beforeTrial(trial, signal);
    const after = await hooks.afterTrial(trial);
    failures.push(before ?? after);
  }
  await hooks.afterRun();
  const log = records.map(({ hook, trials, output }) => `${hook} ${trials} ${output.trim()}`.trim());
  return { log, failures };
}

describe('order', () => {
  const all = Object.fromEntries(NAMES.map((name) => [name, 'echo $BROADSIDE_AXIS_SERVER_CPUS']));

  test('interleaved: a cell is one trial, or the two where one round ends and the next begins', async () => {
    const { log } = await drive(all);
    assert.deepEqual(log.slice(0, 6), [
      'beforeRun',
      'beforeCell 0 1',
      'beforeTrial 0 1',
      'afterTrial 0 1',
      'afterCell 0 1',
      'beforeCell 1,2 2',
    ]);
    assert.equal(log.at(-1), 'afterRun');
    assert.equal(log.filter((line) => line.startsWith('beforeCell')).length, 3);
  });

  test('sequential: a cell is all its rounds', async () => {
    const { log } = await drive(all, 'sequential');
    assert.deepEqual(log.slice(1, 7), [
      'beforeCell 0,1 1',
      'beforeTrial 0 1',
      'afterTrial 0 1',
      'beforeTrial 1 1',
      'afterTrial 1 1',
      'afterCell 0,1 1',
    ]);
  });
});

test('the environment has the run, the hook, the trial, its round, its target and its cell', async () => {
  const { log } = await drive({
    beforeTrial:
      'echo $BROADSIDE_RUN $BROADSIDE_HOOK $BROADSIDE_TRIAL $BROADSIDE_ROUND $BROADSIDE_TARGET $BROADSIDE_AXIS_SERVER_CPUS',
  });
  assert.equal(log[3], 'beforeTrial 3 r1 beforeTrial 3 2 a 1');
});

test('secrets of the coordinator are not in it', async (t) => {
  process.env.BROADSIDE_TOKEN = 'secret';
  t.after(() => delete process.env.BROADSIDE_TOKEN);
  const { log } = await drive({ beforeRun: 'echo "<$BROADSIDE_TOKEN>"' });
  assert.deepEqual(log, ['beforeRun  <>']);
});

test('one that fails says why in one line, with the end of what it said', async () => {
  const { failures } = await drive({
    beforeTrial: 'test $BROADSIDE_TRIAL != 1 || { printf "no such\\n\\033[1mserver\\n"; exit 3; }',
  });
  assert.deepEqual(failures, [
    undefined,
    'the hook beforeTrial failed: exit 3: no such [1mserver',
    undefined,
    undefined,
  ]);
});

test('one of a cell that fails is for all trials of the cell in a row, and no hook of a trial is run for them', async () => {
  const { failures, log } = await drive(
    { beforeCell: 'test $BROADSIDE_AXIS_SERVER_CPUS = 2', beforeTrial: 'true' },
    'sequential',
  );
  const why = 'the hook beforeCell failed: exit 1';
  assert.deepEqual(failures, [why, why, undefined, undefined]);
  assert.deepEqual(log, ['beforeCell 0,1', 'beforeCell 2,3', 'beforeTrial 2', 'beforeTrial 3']);
});

test('the operator has to allow them', () => {
  const spec: HookSpec = { timeoutUs: 1 };
  checkHooksAllowed(undefined, false);
  checkHooksAllowed(spec, true);
  assert.throws(() => checkHooksAllowed(spec, false), { code: 'HOOKS_NOT_ALLOWED' });
});
