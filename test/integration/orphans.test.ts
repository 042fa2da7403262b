/** A coordinator that is started again, and something is in the way: a run is cancelled meanwhile, or left damaged. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { RunStatus } from '../../coordinator/run-status.ts';
import { endCli, runCli, startCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, temporaryDirectory } from '../support/lab.ts';
import { freePort } from '../support/nginx.ts';
import { accounted, startRestartLab } from '../support/restart-lab.ts';
import { Scope } from '../support/scope.ts';

test('Ctrl-C while the coordinator is away: the load stops when it is back, and the run has its end', async (t) => {
  const { lab, kill, restart } = await startRestartLab(t, ['w1']);
  const target = await startCountingTarget(t);
  const load = ['-t', '60', '-c', '2', '-k', '--workers', '1'];
  const running = lab.start([target.url, ...load, '--format', 'json']);
  await running.says(/[1-9]\d* req\/s/);
  await kill();
  await running.says(/no coordinator answers/);
  running.child.kill('SIGINT');
  restart();
  const result = await running.ended;
  assert.equal(result.code, 130, result.stderr);
  const { run, trials } = reportOf(result);
  const [{ state, ledger }] = trials as [(typeof trials)[0]];
  assert.deepEqual([run.state, state], ['cancelled', 'aborted']);
  assert.equal(ledger.balanced, true, ledger.problems.join());
  assert.equal(accounted(ledger), target.arrivalsUs.length);
  // Nor does it go on after the end of its run.
  await target.quiet(500, 2_000);
});

const ID = '20090214-233130-9f3c';

test('a run that is damaged, and a state that is none: the coordinator starts, and says what has become of it', async (t) => {
  const scope = new Scope();
  t.after(() => scope.close());
  const data = await temporaryDirectory(scope);
  const run = path.join(data, 'runs', ID);
  await mkdir(path.join(run, 'journal.jsonl'), { recursive: true });
  const left: RunStatus = {
    id: ID,
    name: 'of yesterday',
    pools: ['default'],
    state: 'running',
    trials: 1,
    estimate: { trials: 1, us: 1, shortestUs: 1, longestUs: 1, open: 0, openScripts: 0 },
    submittedUs: 1,
    owner: 0,
    stays: true,
  };
  await writeFile(path.join(run, 'status.json'), JSON.stringify(left));
  const other = path.join(data, 'runs', ID.replace('9f3c', '9f3d'));
  await mkdir(other);
  await writeFile(path.join(other, 'status.json'), 'null');
  const coordinator = startCli('coordinator', ['start', '--port', '0', '--data', data]);
  scope.after(() => endCli(coordinator));
  const [, url] = await coordinator.says(/^Broadside coordinator on (http:\S+)$/m);
  const { stdout } = await runCli('coordinator', ['list', '--coordinator', url!, '--format', 'json']);
  const [listed, ...more] = JSON.parse(stdout) as RunStatus[];
  assert.deepEqual([listed?.id, listed?.state, more], [ID, 'failed', []]);
  assert.match(listed!.reason!, /its place in the queue is gone/);
});

test('a token that the coordinator made is good after it was started again by the same line', async (t) => {
  const scope = new Scope();
  t.after(() => scope.close());
  const port = String(await freePort());
  const line = ['start', '--host', '0.0.0.0', '--port', port, '--data', await temporaryDirectory(scope)];
  const start = () => {
    const started = startCli('coordinator', line);
    scope.after(() => endCli(started));
    return started;
  };
  const first = start();
  const [, token] = await first.says(/worker start .* --token (\S+)$/m);
  const at = ['--coordinator', `http://127.0.0.1:${port}`, '--token', token!];
  const worker = startCli('worker', ['start', '--name', 'w1', ...at]);
  scope.after(() => endCli(worker));
  await worker.says(/joined/);
  first.child.kill('SIGKILL');
  await first.ended;
  await start().says(/worker w1 is here/);
});
