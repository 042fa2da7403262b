import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { planTrials } from '../shared/domain/plan-trials.ts';
import { readScenario } from '../shared/domain/scenario-source.ts';
import { ROOT } from './scripts/load-script.ts';

for (const folder of ['scenarios', 'scenarios/classic'])
  describe(`every scenario in ${folder}`, () => {
    const DIRECTORY = join(ROOT, folder);
    const FILES = readdirSync(DIRECTORY).filter((name) => name.endsWith('.yaml'));
    const readme = readFileSync(join(DIRECTORY, 'README.md'), 'utf8');
    for (const file of FILES) {
      test(`${file} is valid, stays on this machine, and is in the README`, () => {
        const trials = planTrials(readScenario(join(DIRECTORY, file)));
        assert.ok(trials.length > 0);
        for (const { url } of trials.flatMap(({ requests }) => requests)) {
          assert.equal(new URL(url).hostname, '127.0.0.1');
        }
        assert.ok(readme.includes(`](${file})`), `not in ${folder}/README.md`);
      });
    }

    test('the README names no scenario that is gone', () => {
      const named = [...readme.matchAll(/\]\(([\w-]+\.yaml)\)/g)].map((match) => match[1]!);
      assert.deepEqual(named.sort(), [...FILES].sort());
    });
  });

test('the demo keeps two workers busy for seconds, not minutes', () => {
  const scenario = readScenario(join(ROOT, 'scenarios', 'demo.yaml'));
  assert.equal(scenario.workers.count, 2);
  const seconds = planTrials(scenario).reduce((sum, trial) => {
    return sum + (trial.warmupUs + (trial.load.durationUs ?? 0)) / 1e6;
  }, 0);
  assert.ok(seconds > 2 && seconds < 15, `${seconds} s`);
});
