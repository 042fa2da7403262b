import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planText } from '../../coordinator/cli/dry-run.ts';
import type { JournalRecord } from '../../coordinator/journal-records.ts';
import { finishedTrials } from '../../coordinator/resume.ts';
import { planTrials } from '../../shared/domain/plan-trials.ts';
import { parseScenario } from '../../shared/domain/scenario-source.ts';
import { runRecord } from './report/journal-fixture.ts';

const SCENARIO = parseScenario(
  `name: plan
targets: { a: "http://127.0.0.1:1" }
sweep: { n: [1, 2, 3] }
rounds: 3
load: { executor: constant-connections, connections: "\${n}", duration: 10s }
`,
  'plan.yaml',
);
const cellsIn = (text: string) =>
  [...text.matchAll(/^ *(\d+) +(\d) +n=(\d)/gm)].map(([, ...numbers]) => numbers.join(' '));

test('the plan has every second round from its end, and says so', () => {
  const text = planText(SCENARIO);
  assert.match(
    text,
    /^9 trials, about 10\.0 s each, about 90\.0 s in all; order interleaved, every second round from its end$/m,
  );
  assert.deepEqual(cellsIn(text), [
    '1 1 1',
    '2 1 2',
    '3 1 3',
    '4 2 3',
    '5 2 2',
    '6 2 1',
    '7 3 1',
    '8 3 2',
    '9 3 3',
  ]);
});

test('of a run that was interrupted it has what is left, in the same order', async () => {
  const trials = planTrials(SCENARIO);
  async function* records(): AsyncGenerator<JournalRecord> {
    const { fingerprint: _, ...begun } = runRecord(trials);
    yield begun;
    for (const trial of [0, 1, 2, 3, 5]) yield { type: 'trial-ended', trial, state: 'completed' };
    yield { type: 'trial-ended', trial: 4, state: 'aborted' };
  }
  const finished = await finishedTrials(records(), 'r1', SCENARIO);
  const text = planText(SCENARIO, { run: 'r1', finished });
  assert.match(
    text,
    /^5 trials of 9 taken over from run r1; left:\n4 trials, about 10\.0 s each, about 40\.0 s in all;/m,
  );
  assert.deepEqual(cellsIn(text), ['5 2 2', '7 3 1', '8 3 2', '9 3 3']);
});
