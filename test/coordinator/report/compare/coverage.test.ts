/** What the words promise, from journals of runs whose truth is known. Seeded: the same every time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareRuns } from '../../../../coordinator/report/compare/model.ts';
import type { RunComparison } from '../../../../coordinator/report/compare/schema.ts';
import { verdictOf } from '../../../../coordinator/report/compare/verdict.ts';
import { Draws, NOISES } from '../statistics/simulation.ts';
import { simulatedReport } from './simulated-run.ts';

const REPEATS = 100;
const REPEATS_OF_SLOWER = 20;
const CELLS = [{ size: '1KiB' }, { size: '8KiB' }];

async function comparisons(
  repeats: number,
  ratio: number,
  noise: keyof typeof NOISES,
): Promise<RunComparison[]> {
  const random = new Draws(1);
  const report = (id: string, speed: number) =>
    simulatedReport({ id, random, noise: NOISES[noise], cells: CELLS, speed: () => speed });
  const all: RunComparison[] = [];
  for (let i = 0; i < repeats; i++) all.push(compareRuns(await report('a', 1), await report('b', ratio)));
  return all;
}

const wordsOf = ({ cells }: RunComparison) =>
  cells.flatMap(({ metrics }) => metrics.map(({ comparison }) => comparison?.word));

for (const noise of ['normal', 'heavy', 'stalls'] as const) {
  test(`A/A: runs that do not differ are called different anywhere in at most 5 % of ${REPEATS}: ${noise}`, async (t) => {
    const all = (await comparisons(REPEATS, 1, noise)).map(wordsOf);
    const different = all.filter((words) => words.some((word) => word !== 'no difference shown')).length;
    t.diagnostic(`${(different / REPEATS) * 100} %`);
    assert.ok(all.every((words) => words.length === 8));
    assert.ok(different <= 0.05 * REPEATS, `${different} of ${REPEATS}`);
  });
}

test('a run that is a third slower, at 3 % noise, is called slower every time, and never faster', async () => {
  const all = await comparisons(REPEATS_OF_SLOWER, 0.67, 'normal');
  const slower = all.filter((one) => verdictOf(one, { failOnSlower: true }).exitCode === 99).length;
  assert.equal(slower, REPEATS_OF_SLOWER);
  assert.ok(all.flatMap(wordsOf).every((word) => word !== 'faster'));
});
