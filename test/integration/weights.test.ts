/** Workers of different size: each carries what it was given the weight for, and the report holds it to that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab } from '../support/lab.ts';

test('--weight 3 beside 1: three quarters of the arrivals, all of them once', async (t) => {
  const lab = await startLab(t, []);
  await lab.addWorker('large', ['--weight', '3']);
  await lab.addWorker('small');
  const target = await startCountingTarget(t);
  const load = ['--rate', '200', '-t', '2', '-c', '40', '-k'];
  const result = await lab.run([target.url, ...load, '--workers', '2', '--format', 'json']);
  const { workers, ledger } = reportOf(result).trials[0]!;
  assert.deepEqual(
    workers.map(({ name, connections, expectedShare }) => [name, connections, expectedShare]),
    [
      ['large', 30, 0.75],
      ['small', 10, 0.25],
    ],
  );
  assert.equal(ledger.planned, 400);
  assert.ok(ledger.balanced, ledger.problems.join());
  for (const { share, expectedShare } of workers) assert.ok(share > expectedShare * 0.9, `${share}`);
});

test('a weight that is none', async () => {
  const worker = startCli('worker', ['start', '--coordinator', 'http://127.0.0.1:1', '--weight', '0']);
  const { code, stderr } = await worker.ended;
  assert.equal(code, 2);
  assert.match(stderr, /--weight.*expected a whole number from 1 to 100/);
});
