/** Runs against runs, from real journals: the same target twice, and one that answers later. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RunComparison } from '../../coordinator/report/compare/schema.ts';
import type { Report } from '../../coordinator/report/schema.ts';
import { startTarget } from '../../coordinator/target.ts';
import { type CliResult, runCli } from '../support/cli.ts';
import { type Lab, reportOf, startLab, temporaryDirectory } from '../support/lab.ts';
import { Scope } from '../support/scope.ts';

/** `delay` is of the target, so that it need not be an axis. */
function scenario(origin: string, delay: string, sizes = '[1KiB]'): string {
  return `name: pages
targets: { it: "${origin}" }
sweep: { size: ${sizes} }
request: { path: "/bytes/\${size}?delay=${delay}" }
load: { executor: constant-connections, connections: 8, requests: 32, keepAlive: true }
rounds: 5
`;
}

const ONE_ROUND = ['--set', 'rounds=1'];
const METRICS = ['--metrics', 'requestRate,p(50)'];

function comparisonOf(result: CliResult): RunComparison {
  assert.notEqual(result.stdout, '', `exit ${result.code}: ${result.stderr}`);
  return JSON.parse(result.stdout) as RunComparison;
}

const words = ({ cells }: RunComparison) =>
  cells.flatMap(({ metrics }) => metrics.map(({ comparison }) => comparison?.word));

describe('two runs', () => {
  const scope = new Scope();
  let lab: Lab;
  let directory: string;
  let fast: string;
  let slow: Report & { comparison: RunComparison };
  let slowResult: CliResult;
  const file = (name: string) => path.join(directory, name);
  const compare = (...args: string[]) => runCli('coordinator', ['compare', ...args]);

  before(async () => {
    lab = await startLab(scope, ['w1']);
    directory = await temporaryDirectory(scope);
    const target = await startTarget({ host: '127.0.0.1', port: 0 });
    scope.after(() => target.close());
    await writeFile(file('fast.yaml'), scenario(target.url, '10ms'));
    await writeFile(file('slow.yaml'), scenario(target.url, '150ms'));
    await writeFile(file('other.yaml'), scenario(target.url, '10ms', '[2KiB]'));
    await writeFile(file('more.yaml'), scenario(target.url, '10ms', '[1KiB, 2KiB]'));
    fast = reportOf(await lab.run([file('fast.yaml'), '--format', 'json'])).run.id;
    slowResult = await lab.run([
      file('slow.yaml'),
      ...['--baseline', fast, '--fail-on', 'slower', '--format', 'json', ...METRICS],
    ]);
    slow = reportOf(slowResult) as typeof slow;
  });
  after(() => scope.close());

  test('run --baseline --fail-on slower: 99, and the JSON holds the report and the comparison', () => {
    assert.equal(slowResult.code, 99);
    assert.match(slowResult.stderr, /2 of 2 comparisons: slower/);
    assert.equal(slow.schema, 'broadside.report/1');
    assert.deepEqual([slow.comparison.a.id, slow.comparison.b.id], [fast, slow.run.id]);
    assert.deepEqual(words(slow.comparison), ['slower', 'slower']);
  });

  test('the one with the delay is slower, by a ratio whose interval is below 1', async () => {
    const args = [fast, slow.run.id, '--data', lab.data, '--format', 'json', ...METRICS];
    const result = await compare(...args);
    assert.equal(result.code, 0, result.stderr);
    const comparison = comparisonOf(result);
    assert.deepEqual(comparison, slow.comparison);
    for (const { metrics } of comparison.cells) {
      const { ratio, ci95 } = metrics[0]!.comparison!;
      assert.ok(ratio < 0.5 && ci95![1] < 1, `${ratio} ${ci95}`);
    }
    assert.match(
      comparison.warnings.join('\n'),
      /^request: GET \/bytes\/1KiB\?delay=10ms in A, GET .*=150ms in B/,
    );
    assert.equal((await compare(...args, '--fail-on', 'slower')).code, 99);
  });

  test('the other way round it is faster, which is no failure', async () => {
    const result = await compare(slow.run.id, fast, '--data', lab.data, '--fail-on', 'slower', ...METRICS);
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /^Result +2 faster$/m);
  });

  test('a running coordinator is asked by id, beside a directory of a journal here', async () => {
    const elsewhere = path.join(lab.data, 'runs', slow.run.id);
    const result = await compare(fast, elsewhere, '--coordinator', lab.url, ...METRICS, '--format', 'md');
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /^- \*\*Result\*\*: 2 slower$/m);
  });

  test('run --baseline in text: the comparison after the report; the same target twice is not told apart so', async () => {
    const result = await lab.run([file('fast.yaml'), '--baseline', slow.run.id, '-q', ...METRICS]);
    assert.equal(result.code, 0, result.stderr);
    const [, id, tally] =
      /^Run +([\d-]+-[0-9a-f]{4}),[\s\S]*^pages: B against A$[\s\S]*^Result +(.*)$/m.exec(result.stdout) ??
      [];
    assert.equal(tally, '2 faster', result.stdout);
    const same = comparisonOf(await compare(fast, id!, '--data', lab.data, '--format', 'json', ...METRICS));
    assert.deepEqual(same.warnings, []);
    // Whatever noise there was, nothing of the delay's size.
    const slowed = comparisonOf(
      await compare(fast, slow.run.id, '--data', lab.data, '--format', 'json', ...METRICS),
    );
    same.cells.forEach(({ metrics }, i) => {
      const { ratio } = metrics[0]!.comparison!;
      const delayed = slowed.cells[i]!.metrics[0]!.comparison!.ratio;
      assert.ok(Math.abs(Math.log(ratio)) < Math.abs(Math.log(delayed)) / 2, `${ratio}, ${delayed}`);
    });
  });

  test('run --baseline in csv: the comparison goes to stderr, with the cell that only one has', async () => {
    const csv = await lab.run([file('more.yaml'), '--baseline', fast, '--format', 'csv', '-q', ...ONE_ROUND]);
    assert.equal(csv.code, 0, csv.stderr);
    assert.doesNotMatch(csv.stdout, /against/);
    assert.match(csv.stderr, /^Not compared +size=2KiB: not in A$/m);
  });

  const runs = () => readdirSync(path.join(lab.data, 'runs')).length;
  const rows: [why: string, args: () => string[], says: RegExp][] = [
    [
      'an unknown run: the runs that are there are named',
      () => ['compare', fast, '20200101-000000-0000', '--data', lab.data],
      /there is no run 20200101-000000-0000 .*\n.*\d{8}-\d{6}-[0-9a-f]{4}/,
    ],
    [
      'an unknown run of a coordinator',
      () => ['compare', fast, '20200101-000000-0000', '--coordinator', lab.url],
      /20200101-000000-0000/,
    ],
    [
      'a directory without a journal',
      () => ['compare', directory, fast, '--data', lab.data],
      /there is no journal in/,
    ],
    ['a run against itself', () => ['compare', fast, fast, '--data', lab.data], /compared with itself/],
    [
      'a metric that does not exist',
      () => ['compare', fast, slow.run.id, '--data', lab.data, '--metrics', 'rps'],
      /--metrics: "rps" is not a metric; did you mean "requestRate"\?/,
    ],
    [
      'a format that it does not have',
      () => ['compare', fast, slow.run.id, '--data', lab.data, '--format', 'hlog'],
      /--format.*hlog.*text, json, md, csv/,
    ],
    ['nothing to fail on', () => ['compare', fast, slow.run.id, '--fail-on', 'faster'], /--fail-on.*slower/],
    [
      'a baseline with no cell in common, before anything is started',
      () => ['run', file('other.yaml'), '--baseline', fast, '--coordinator', lab.url],
      /no cell in common\n.* has size=1KiB\n.*the scenario has size=2KiB/,
    ],
    [
      'a baseline that is not there, before anything is started',
      () => ['run', file('fast.yaml'), '--baseline', '20200101-000000-0000', '--coordinator', lab.url],
      /20200101-000000-0000/,
    ],
    [
      'how to compare, but not with what',
      () => ['run', file('fast.yaml'), '--fail-on', 'slower', '--coordinator', lab.url],
      /--fail-on: .*\n.*--baseline RUN/,
    ],
  ];
  for (const [why, args, says] of rows) {
    test(`exit 2: ${why}`, async () => {
      const before = runs();
      const result = await runCli('coordinator', args());
      assert.equal(result.code, 2, result.stderr);
      assert.match(result.stderr, says);
      assert.equal(result.stdout, '');
      assert.equal(runs(), before);
    });
  }

  test('two runs with nothing in common: exit 2, with what each has', async () => {
    const other = reportOf(await lab.run([file('other.yaml'), '--format', 'json', ...ONE_ROUND])).run.id;
    const moved = path.join(directory, 'journal');
    await rename(path.join(lab.data, 'runs', other), moved);
    const result = await compare(fast, moved, '--data', lab.data);
    assert.equal(result.code, 2, result.stderr);
    assert.match(result.stderr, /A \(\S+\) and B \(\S+\) have no cell in common/);
    assert.match(result.stderr, /A \(\S+\) has size=1KiB\n.*B \(\S+\) has size=2KiB/);
  });
});
