/** The executors that ramp, over two workers: what the target sees is the whole's schedule. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { ReportTrial } from '../../coordinator/report/schema.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { type Lab, reportOf, startLab } from '../support/lab.ts';

async function runLoad(lab: Lab, url: string, load: string, more = ''): Promise<ReportTrial> {
  const file = path.join(lab.data, 'scenario.yaml');
  const { origin } = new URL(url);
  await writeFile(
    file,
    `targets: { target: "${origin}" }\nrequest: { path: / }\nload: ${load}\nworkers: { count: 2 }\n${more}`,
  );
  const result = await lab.run([file, '--format', 'json']);
  const [trial] = reportOf(result).trials;
  assert.equal(trial!.ledger.balanced, true, result.stderr);
  assert.equal(trial!.workers.length, 2);
  return trial!;
}

test('ramps over two workers', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);

  await t.test(
    'a rate that rises for a second, rests, and rises again: so many, and none in the rest',
    async (t) => {
      for (const arrivals of ['even', 'poisson']) {
        const target = await startCountingTarget(t);
        const stages =
          '[{ duration: 1s, target: 400 }, { duration: 0s, target: 0 }, { duration: 1s, target: 0 }, { duration: 1s, target: 400 }]';
        const load = `{ executor: ramping-arrival-rate, stages: ${stages}, maxConnections: 50, arrivals: ${arrivals} }`;
        const { ledger, timeline, summary } = await runLoad(lab, target.url, load);
        assert.deepEqual([ledger.planned, ledger.started, ledger.dropped], [400, 400, 0]);
        assert.equal(target.arrivalsUs.length, 400);
        assert.ok(summary.durationUs >= 3e6);
        const bySecond = [0, 1, 2].map(
          (second) => timeline.find((row) => row.second === second)?.requests ?? 0,
        );
        // Replies of the last arrivals before the rest may come in it.
        assert.ok(bySecond[1]! < 40 && bySecond[0]! > 150 && bySecond[2]! > 150, `${bySecond}`);
      }
    },
  );

  await t.test(
    'connections that ramp up and down, thinking: as many requests as their connection seconds make',
    async (t) => {
      const target = await startCountingTarget(t);
      // 0 to 20 and back in 3 s are 30 connection seconds; a request each 20 ms and what the reply takes.
      const stages = '[{ duration: 1500ms, target: 20 }, { duration: 1500ms, target: 0 }]';
      const load = `{ executor: ramping-connections, stages: ${stages}, thinkTime: 20ms }`;
      const { summary, workers, ledger } = await runLoad(lab, target.url, load);
      assert.ok(summary.requests > 600 && summary.requests <= 1_520, `${summary.requests}`);
      assert.deepEqual(
        workers.map(({ connections }) => connections),
        [10, 10],
      );
      assert.equal(summary.connections.opened, 20);
      assert.equal(ledger.started, target.arrivalsUs.length);
      assert.ok(summary.durationUs >= 3e6 && summary.durationUs < 3.5e6);
    },
  );

  await t.test('a ramp that ends by number is exact, with a warm-up that does not count', async (t) => {
    const target = await startCountingTarget(t);
    const load =
      '{ executor: ramping-connections, stages: [{ duration: 20s, target: 40 }], requests: 777, thinkTime: { exponential: 5ms } }';
    const { summary, ledger } = await runLoad(lab, target.url, load, 'warmup: { duration: 300ms }\n');
    assert.deepEqual([ledger.planned, ledger.started, ledger.dropped], [777, 777, 0]);
    assert.equal(summary.requests, 777);
    assert.ok(summary.durationUs < 10e6);
  });
});
