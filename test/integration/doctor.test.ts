/** Preflight on real workers: `coordinator doctor`, and before a run. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { Finding } from '../../coordinator/preflight.ts';
import { runCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab } from '../support/lab.ts';
import { freePort } from '../support/nginx.ts';

test('doctor looks at every worker and at the target, and sends no request', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const doctor = ['doctor', '--coordinator', lab.url, '--workers', '2', '--format', 'json'];

  const good = await runCli('coordinator', [...doctor, target.url, '-n', '100', '-c', '10', '-k']);
  assert.equal(good.code, 0, good.stderr);
  const findings = JSON.parse(good.stdout) as Finding[];
  assert.deepEqual([...new Set(findings.map(({ worker }) => worker))], ['w1', 'w2']);
  assert.equal(findings.filter(({ check, level }) => check === 'target' && level === 'good').length, 2);
  assert.equal(target.arrivalsUs.length, 0);

  const nowhere = `http://127.0.0.1:${await freePort()}/`;
  const unreached = await runCli('coordinator', [...doctor, nowhere]);
  assert.equal(unreached.code, 3, unreached.stderr);
  const errors = (JSON.parse(unreached.stdout) as Finding[]).filter(({ level }) => level === 'error');
  assert.deepEqual(
    errors.map(({ check }) => check),
    ['target', 'target'],
  );
  assert.match(errors[0]!.message, /ECONNREFUSED/);

  const foreign = await runCli('coordinator', [...doctor.slice(0, -2), 'http://192.0.2.7/']);
  assert.equal(foreign.code, 3, foreign.stderr);
  assert.match(foreign.stdout, /ERROR .*w1 .*not allowed/);
});

test('a run that needs more file descriptors than a worker may open does not begin, and says what mends it', async (t) => {
  const lab = await startLab(t, ['w1']);
  const target = await startCountingTarget(t);
  execFileSync('prlimit', ['--pid', String(lab.workers.get('w1')!.child.pid), '--nofile=256:256']);
  const result = await lab.run([target.url, '-n', '1000', '-c', '500', '-k', '--workers', '1']);
  assert.equal(result.code, 3, result.stderr);
  assert.match(result.stderr, /worker w1: needs 564 file descriptors, may open 256 \(.*nofile 564/);
  assert.equal(target.arrivalsUs.length, 0);
});

test('the report has what preflight found', async (t) => {
  const lab = await startLab(t, ['w1']);
  const target = await startCountingTarget(t);
  const result = await lab.run([target.url, '-n', '10', '--format', 'json']);
  const { preflight } = reportOf(result).run;
  assert.deepEqual(
    preflight.filter(({ level }) => level === 'error'),
    [],
  );
  assert.ok(
    preflight.some(({ worker, check, level }) => worker === 'w1' && check === 'target' && level === 'good'),
  );
});
