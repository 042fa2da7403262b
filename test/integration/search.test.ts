/** Searches against a target whose knee is known: so many slots, each busy for a fixed time. Three at once, each in a pool of its own. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { ReportSearch } from '../../coordinator/report/schema.ts';
import { runCli } from '../support/cli.ts';
import { type Lab, reportOf, startLab, temporaryDirectory } from '../support/lab.ts';
import { startSlotServer } from '../support/slot-server.ts';

const POOLS = ['a', 'b', 'c'];
const SLOTS = 8;

async function startLabOfPools(t: TestContext): Promise<Lab> {
  const lab = await startLab(t, []);
  await Promise.all(POOLS.map((pool) => lab.addWorker(pool, ['--pool', pool])));
  return lab;
}

/** In each pool; every search has slots of its own. */
async function searchThrice(
  t: TestContext,
  lab: Lab,
  url: string,
  load: string,
): Promise<{ search: ReportSearch; run: string }[]> {
  const directory = await temporaryDirectory(t);
  return Promise.all(
    POOLS.map(async (pool) => {
      const file = path.join(directory, `${pool}.yaml`);
      await writeFile(
        file,
        `targets: { slots: "${url}" }\nrequest: { path: /${pool} }\nworkers: { pool: ${pool}, threads: 1 }\nload: ${load}\n`,
      );
      const result = await lab.run([file, '--format', 'json']);
      assert.equal(result.code, 0, result.stderr);
      const report = reportOf(result);
      assert.equal(report.search!.length, 1);
      const search = report.search![0]!;
      assert.ok(search.steps.length <= search.mostTrials);
      assert.equal(report.run.plannedTrials, search.steps.length);
      assert.equal(report.trials.length, search.steps.length);
      return { search, run: report.run.id };
    }),
  );
}

const stepsOf = ({ steps }: ReportSearch): string =>
  steps.map(({ value, requestRate, holds }) => `${value}: ${requestRate.toFixed(1)} ${holds}`).join('\n');

/** Long times, and differences of a step that are larger than what a busy machine adds to them. */
describe('a knee that is known is found within one step, three times out of three', {
  concurrency: true,
}, () => {
  test('as many connections as there are slots', async (t) => {
    const lab = await startLabOfPools(t);
    const url = await startSlotServer(t, SLOTS, 200);
    // One less than the slots is 12.5 % less.
    const found = await searchThrice(
      t,
      lab,
      url,
      '{ duration: 4s, search: { over: connections, from: 2, to: 16, tolerance: 0.1, until: "p(50) < 2s and errors < 1%" } }',
    );
    for (const { search } of found) {
      assert.equal(search.answer!.end, 'found', stepsOf(search));
      assert.ok(Math.abs(search.answer!.best!.value - SLOTS) <= 1, stepsOf(search));
      assert.match(search.text, /^best: [789] connections, \d+\.\d\d\/s; 1\d bring no more \(/);
    }
    const { search, run } = found[0]!;
    const again = reportOf(
      await runCli('coordinator', ['report', run, '--coordinator', lab.url, '--format', 'json']),
    );
    assert.deepEqual(again.search, [search], 'made again from the journal alone');
    assert.deepEqual(
      again.cells.map(({ cell }) => cell.connections),
      [...new Set(search.steps.map(({ value }) => value))].sort((a, b) => a - b),
    );
  });

  test('the rate that the slots can serve', async (t) => {
    const lab = await startLabOfPools(t);
    const url = await startSlotServer(t, SLOTS, 200);
    // 8 slots of 200 ms are 40/s. What is more waits: 10 % more for 4 s is 400 ms at the end.
    const found = await searchThrice(
      t,
      lab,
      url,
      '{ duration: 4s, search: { over: rate, from: 20/s, to: 80/s, step: 4, until: "p(95) < 500ms and errors < 1%" } }',
    );
    for (const { search } of found) {
      const { end, best, breaks } = search.answer!;
      assert.equal(end, 'found', stepsOf(search));
      assert.ok(Math.abs(best!.value - 40) <= 4, stepsOf(search));
      assert.equal(breaks!.value - best!.value, 4);
      assert.ok(best!.held >= 2 && breaks!.trials - breaks!.held >= 2);
      assert.match(search.text, /; \d\d breaks p\(95\) < 500ms \(\d+\.\d{3} ms\) in 2 of [23] trials$/);
    }
  });
});
