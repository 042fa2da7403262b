import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { estimateScenario } from '../../shared/domain/estimate.ts';
import { planTrials } from '../../shared/domain/plan-trials.ts';
import { readScenario } from '../../shared/domain/scenario-source.ts';
import { CLASSIC } from '../support/classic-servers.ts';
import { CLASSIC_RUNS, WARMING } from './classic-runs.ts';

const estimateOf = (scenario: string, set: string[]) => {
  const read = readScenario(path.join(CLASSIC, scenario), { set });
  return { ...estimateScenario(read, planTrials(read)), rounds: read.rounds };
};

describe('the classic experiments in the lab', () => {
  for (const { name, scenario, settings, brief } of [
    ...CLASSIC_RUNS,
    ...WARMING.map((run) => ({ ...run, name: 'warming' })),
  ]) {
    test(`${name}, ${scenario}: its settings are the scenario's, five rounds in full and one in brief`, () => {
      assert.equal(estimateOf(scenario, settings).rounds, name === 'warming' ? 1 : 5);
      assert.equal(estimateOf(scenario, brief).rounds, 1);
    });
  }

  test('all of them take less than 45 minutes, with a second between trials and ten for 24000 requests', () => {
    const minutes = CLASSIC_RUNS.reduce((sum, { scenario, settings }) => {
      const { us, trials, open } = estimateOf(scenario, settings);
      return sum + us / 60e6 + (trials + open * 10) / 60;
    }, 0);
    assert.ok(minutes > 20 && minutes < 45, `${minutes}`);
  });
});
