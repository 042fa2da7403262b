/** Experiments 2 to 5, small, against real httpd and Tomcat: the files as they are shipped, with other values for their variables. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Report } from '../../coordinator/report/schema.ts';
import { CLASSIC, type ClassicServers, SERVERS_MISSING, startServers } from '../support/classic-servers.ts';
import { runCli } from '../support/cli.ts';
import { reportOf } from '../support/lab.ts';
import { Scope } from '../support/scope.ts';

describe('the classic experiments', { skip: SERVERS_MISSING }, () => {
  const scope = new Scope();
  let servers: ClassicServers;
  before(async () => {
    servers = await startServers(scope, ['0B', '1KiB', '8KiB']);
  });
  after(() => scope.close());

  /** The report of a run that has to end well, with an account that balances. */
  async function repeat(file: string, settings: string[], flags: string[] = []): Promise<Report> {
    const set = settings.flatMap((setting) => ['--set', setting]);
    const args = ['run', path.join(CLASSIC, file), '--format', 'json', '--data', servers.directory];
    const result = await runCli('coordinator', [...args, ...flags, ...set]);
    assert.equal(result.code, 0, result.stderr);
    const report = reportOf(result);
    for (const { state, ledger, summary } of report.trials) {
      assert.equal(state, 'completed');
      assert.equal(ledger.balanced, true, ledger.problems.join());
      assert.equal(summary.errors.total, 0);
    }
    return report;
  }

  test('httpd, Tomcat, and two ways to join them: so many requests each, the page of each in every reply', async () => {
    const httpd = servers.url('httpd');
    const report = await repeat('httpd-tomcat-joined.yaml', [
      'requests=400',
      'connections=4',
      'rounds=1',
      'warmup.duration=200ms',
      `targets={ httpd: "${httpd}", tomcat: "${servers.url('nio')}", mod_jk: "${httpd}/jk", mod_proxy: "${httpd}/proxy" }`,
    ]);
    const seen = report.trials.map(({ cell, summary }) => [
      cell.target,
      summary.requests,
      summary.bytes.body,
    ]);
    assert.deepEqual(seen, [
      ['httpd', 400, 400 * 459],
      ['tomcat', 400, 400 * 400],
      ['mod_jk', 400, 400 * 400],
      ['mod_proxy', 400, 400 * 400],
    ]);
  });

  test('response sizes by server: a connection for each request, rates beside those of the first', async () => {
    const report = await repeat('response-sizes.yaml', [
      'sizes=0B,8KiB',
      'versions=first,second',
      'duration=500ms',
      'warmup=100ms',
      'rounds=1',
      `targets.first=${servers.url('nio')}`,
      `targets.second=${servers.url('nio2')}`,
    ]);
    assert.equal(report.cells.length, 4);
    for (const { cell, relativeToBaseline } of report.cells) {
      assert.ok(relativeToBaseline! > 0, JSON.stringify(cell));
    }
    for (const { summary, cell } of report.trials) {
      assert.equal(summary.connections.reused, 0);
      assert.ok(summary.connections.opened >= summary.requests);
      if (cell.size === '0B') assert.equal(summary.bytes.body, 0);
    }
  });

  test('connector settings: rounds of each, and how far they lie apart', async () => {
    const report = await repeat('connector-settings.yaml', [
      'connections=50',
      'duration=400ms',
      'warmup.duration=100ms',
      'rounds=2',
      ...(['nio', 'nio2', 'nio-pool', 'nio2-pool'] as const).map(
        (name) => `targets.${name}=${servers.url(name)}`,
      ),
    ]);
    assert.deepEqual(
      report.cells.map(({ cell, completed }) => [cell.target, completed]),
      [
        ['nio', 2],
        ['nio2', 2],
        ['nio-pool', 2],
        ['nio2-pool', 2],
      ],
    );
    for (const { requestRate } of report.cells) assert.ok(requestRate!.max >= requestRate!.min);
  });

  const quick = (page: string) => [`page=${page}`, 'duration=500ms', 'warmup=100ms', 'rounds=1'];

  test('one dynamic page: what waits cannot be faster than its clients', async () => {
    const report = await repeat('dynamic-page.yaml', [
      ...quick(`${servers.url('httpd')}/jk`),
      'sizes=25,4096',
      'sleeps=50',
      'clients=2,8',
    ]);
    assert.equal(report.trials.length, 4);
    for (const { cell, summary } of report.trials) {
      assert.ok(summary.requestRate <= (1_000 * Number(cell.clients)) / 50, `${summary.requestRate}`);
      assert.ok((summary.bytes.body ?? 0) >= summary.requests * Number(cell.size));
    }
  });

  test('one dynamic page by CPUs: a hook pins the servers before each trial', async () => {
    const pin = path.join(CLASSIC, 'setup', 'cpus.sh');
    const report = await repeat(
      'dynamic-page-cpus.yaml',
      [...quick(`${servers.url('httpd')}/jk`), 'clients=4', 'cpus=1', `pin=sh ${pin} ${servers.directory}`],
      ['--allow-hooks'],
    );
    assert.deepEqual(
      report.trials.map(({ hooks }) => hooks!.map(({ hook, exitCode }) => [hook, exitCode])),
      [[['beforeTrial', 0]]],
    );
    const pid = (await readFile(path.join(servers.directory, 'tomcat.pid'), 'utf8')).trim();
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    assert.match(status, /^Cpus_allowed_list:\s+0$/m);
  });
});
