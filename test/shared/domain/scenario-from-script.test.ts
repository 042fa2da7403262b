import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import {
  isScript,
  type ScriptFlags,
  scenarioFromScript,
} from '../../../shared/domain/scenario-from-script.ts';
import { suiteFolder } from '../../support/folders.ts';

describe('a scenario from a script and the letters of k6 run', () => {
  const folder = suiteFolder({ 'login.js': 'export default function () {}\n' });
  const script = path.join(folder, 'login.js');

  test('what counts as a script', () => {
    assert.deepEqual(['a.js', 'a.ts', 'a.mjs', 'a.tar', 'a.yaml', 'a', 'a.json'].map(isScript), [
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('every letter has its place', () => {
    const flags = {
      vus: '10',
      iterations: '100',
      duration: '1m30s',
      env: ['A=b=${c}', 'B='],
      tag: ['build=17'],
      workers: 2,
    };
    const scenario = scenarioFromScript(script, flags);
    const { k6 } = planTrials(scenario)[0]!;
    assert.deepEqual(
      [k6?.script, k6?.vus, k6?.iterations, k6?.durationUs, k6?.env, k6?.tags],
      ['login.js', 10, 100, 90e6, { A: 'b=${c}', B: '' }, { build: '17' }],
    );
    assert.deepEqual([scenario.name, scenario.workers.count], ['login.js', 2]);
  });

  test('without letters the script says all', () => {
    assert.deepEqual(planTrials(scenarioFromScript(script, {}))[0]?.load, { executor: 'script' });
  });

  const REFUSED: [flags: ScriptFlags, message: RegExp][] = [
    [{ vus: '0' }, /^-u "0": expected a whole number of VUs/],
    [{ iterations: '1e3' }, /^-i "1e3": expected a whole number/],
    [{ duration: '30' }, /-d: .*"30" is not a duration/],
    [{ env: ['A'] }, /^-e "A": expected NAME=VALUE/],
    [{ env: ['A B=1'] }, /-e: "A B" is not a name/],
    [{ tag: ['=1'] }, /^--tag "=1": expected NAME=VALUE/],
  ];
  for (const [flags, message] of REFUSED) {
    test(`refused: ${JSON.stringify(flags)}`, () => {
      assert.throws(() => scenarioFromScript(script, flags), { code: 'USAGE', message });
    });
  }

  test('refused: a script that is not there', () => {
    assert.throws(() => scenarioFromScript('nope.js', {}), { code: 'FILE_UNREADABLE' });
  });
});
