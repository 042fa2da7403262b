/** Formats from one real run: over the API and from the data directory they are the same. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HistogramLogReader } from 'hdr-histogram-js';
import type { Report } from '../../coordinator/report/schema.ts';
import { startTarget } from '../../coordinator/target.ts';
import { runCli, startCli } from '../support/cli.ts';
import { type Lab, reportOf, startLab } from '../support/lab.ts';
import { Scope } from '../support/scope.ts';

describe('one run again in other formats', () => {
  const scope = new Scope();
  let lab: Lab;
  let report: Report;
  const printed = new Map<string, string>();

  before(async () => {
    lab = await startLab(scope, ['w1', 'w2']);
    const target = await startTarget({ host: '127.0.0.1', port: 0 });
    scope.after(() => target.close());
    const url = `${target.url}/bytes/4096`;
    report = reportOf(await lab.run([url, '-c', '2', '-t', '2', '-k', '--workers', '2', '--format', 'json']));
  });
  after(() => scope.close());

  for (const format of ['html', 'hlog']) {
    test(`${format} is the same from the coordinator and from its journal`, async () => {
      const { id } = report.run;
      const asked = await runCli('coordinator', ['report', id, '--format', format, '--coordinator', lab.url]);
      assert.equal(asked.code, 0, asked.stderr);
      printed.set(format, asked.stdout);
      const read = await runCli('coordinator', ['report', id, '--format', format, '--data', lab.data]);
      assert.equal(read.stdout, asked.stdout);
    });
  }

  test('a reader that has had enough is no error', async () => {
    const { id } = report.run;
    const cli = startCli('coordinator', ['report', id, '--format', 'json', '--data', lab.data]);
    // As `head -c 0` does.
    cli.child.stdout!.destroy();
    const { code, stderr } = await cli.ended;
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  });

  test('hlog has each second, which add up to the requests', () => {
    const reader = new HistogramLogReader(printed.get('hlog')!, 'packed');
    const counts: number[] = [];
    for (let one = reader.nextIntervalHistogram(); one !== null; one = reader.nextIntervalHistogram()) {
      counts.push(one.totalCount);
    }
    const [trial] = report.trials;
    assert.deepEqual(
      counts,
      trial!.timeline.map(({ requests }) => requests),
    );
    assert.ok(counts.length >= 2);
  });
});
