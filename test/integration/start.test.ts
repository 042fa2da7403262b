/** The start barrier: all workers begin at one instant, and the report shows how well that went. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab } from '../support/lab.ts';

test('the first requests of three workers on one machine lie within 20 ms, in the report as at the target', async (t) => {
  const lab = await startLab(t, ['w1', 'w2', 'w3']);
  // Three processes on two cores: now and then one has to wait for a core. Workers that do not start together never do.
  const seen: string[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const target = await startCountingTarget(t);
    const result = await lab.run([
      target.url,
      '-n',
      '300',
      '-c',
      '3',
      '-k',
      '--workers',
      '3',
      '--format',
      'json',
    ]);
    const [trial] = reportOf(result).trials;
    const { start, workers } = trial!;
    assert.equal(workers.length, 3);
    for (const { name, firstRequestUs, clockUncertaintyUs } of workers) {
      assert.ok(
        firstRequestUs !== undefined && firstRequestUs >= 0,
        `${name} began before the start instant`,
      );
      assert.ok(clockUncertaintyUs > 0, 'no clock is known exactly');
    }
    const firsts = workers.map(({ firstRequestUs }) => firstRequestUs!);
    assert.equal(start.firstRequestSpreadUs, Math.max(...firsts) - Math.min(...firsts));
    seen.push(`${start.firstRequestSpreadUs} µs ± ${start.clockUncertaintyUs} µs`);
    if (start.firstRequestSpreadUs! < 20_000) return;
  }
  assert.fail(`the first requests lay apart by ${seen.join(', ')}`);
});
