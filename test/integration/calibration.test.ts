/** What a worker can reach is measured once, kept, and in the report beside what it did. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../coordinator/preflight.ts';
import { runCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, temporaryDirectory } from '../support/lab.ts';

test('doctor --calibrate measures; the next lab on this machine knows', async (t) => {
  const target = await startCountingTarget(t);
  const env = { XDG_CACHE_HOME: await temporaryDirectory(t) };
  const data = ['--data', await temporaryDirectory(t)];
  const doctor = ['doctor', target.url, '--format', 'json', ...data];
  const capacityIn = (text: string): Finding | undefined =>
    (JSON.parse(text) as Finding[]).find(({ check }) => check === 'capacity');

  const before = await runCli('coordinator', doctor, env);
  assert.equal(before.code, 0, before.stderr);
  assert.equal(capacityIn(before.stdout), undefined, 'nobody has measured');

  const measured = await runCli('coordinator', [...doctor, '--calibrate'], env);
  const [, rate] = /^one load thread reaches (\d+)\/s/.exec(capacityIn(measured.stdout)!.message)!;
  // Far below what any machine reaches, and above what would be no measurement.
  assert.ok(Number(rate) > 1_000, rate);
  assert.equal(target.arrivalsUs.length, 0, 'not against the target');

  const run = await runCli('coordinator', ['run', target.url, '-n', '20', '--format', 'json', ...data], env);
  const [worker] = reportOf(run).trials[0]!.workers;
  assert.equal(worker!.capacity, Number(rate) * worker!.threads);
});
