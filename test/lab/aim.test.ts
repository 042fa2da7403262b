import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { planTrials } from '../../shared/domain/plan-trials.ts';
import { readScenario } from '../../shared/domain/scenario-source.ts';
import { ROOT } from '../support/cli.ts';
import { aimWords } from './aim.ts';

const TARGET = { url: 'http://10.77.0.3:8080/jk', address: '10.77.0.2' };

describe('a scenario is aimed at the lab', () => {
  for (const folder of ['scenarios', 'scenarios/classic']) {
    const directory = path.join(ROOT, folder);
    for (const name of readdirSync(directory).filter((file) => file.endsWith('.yaml'))) {
      test(`${folder}/${name}: all of it, and it stays valid`, () => {
        const file = path.join(directory, name);
        const set = aimWords(file, TARGET).filter((word) => word !== '--set');
        const trials = planTrials(readScenario(file, { set }));
        assert.ok(trials.length > 0);
        for (const { url } of trials.flatMap(({ requests }) => requests))
          assert.match(url, /^https?:\/\/10\.77\.0\./);
      });
    }
  }

  test('the one target of a small scenario is the lab’s own, with its path', () => {
    assert.deepEqual(aimWords(path.join(ROOT, 'scenarios/lab.yaml'), TARGET), [
      '--set',
      'targets.target=http://10.77.0.3:8080/jk',
    ]);
  });

  test('servers of a classic one stay where their ports are', () => {
    assert.deepEqual(aimWords(path.join(ROOT, 'scenarios/classic/static-files.yaml'), TARGET), [
      '--set',
      'vars.host="10.77.0.2"',
    ]);
  });

  test('a file that cannot be read is left to the run', () => {
    assert.deepEqual(aimWords('/nowhere.yaml', TARGET), []);
  });
});
