import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TableFlags, withAskedTable } from '../../coordinator/cli/table-options.ts';
import { withTables } from '../../coordinator/report/cells.ts';
import { buildReport } from '../../coordinator/report/model.ts';
import { BroadsideError } from '../../shared/errors.ts';
import { sweepRun } from './report/journal-fixture.ts';

const report = withTables(await buildReport(sweepRun()), [
  {
    rows: 'size',
    columns: 'target',
    metric: 'transferRate',
    unit: 'KiB/s',
    baseline: 'httpd',
    title: 'files',
  },
  { rows: 'round', columns: 'cell', metric: 'p(50)', unit: 'ms' },
]);

const specOf = async (flags: TableFlags) => {
  const { tables } = await withAskedTable(report, flags);
  assert.equal(tables.length, 1);
  const { cells: _, comparedWith: __, bestAlong: ___, ...spec } = tables[0]!;
  return spec;
};

test('without a flag the report is as it was', async () => {
  assert.equal(await withAskedTable(report, {}), report);
});

describe('another table', () => {
  const base = { rows: 'size', columns: 'target' };
  const rows: [sentence: string, flags: TableFlags, spec: object][] = [
    [
      'another metric leaves the axes and what is compared, and has a unit of its own',
      { metric: 'requestRate' },
      { ...base, metric: 'requestRate', baseline: 'httpd', title: 'files' },
    ],
    [
      'another unit leaves the metric',
      { unit: 'Mbit/s' },
      { ...base, metric: 'transferRate', unit: 'Mbit/s', baseline: 'httpd', title: 'files' },
    ],
    [
      'turned round, it has another baseline or none',
      { rows: 'target', columns: 'size' },
      { rows: 'target', columns: 'size', metric: 'transferRate', unit: 'KiB/s' },
    ],
    [
      'rows that were the columns leave no columns',
      { rows: 'target' },
      { rows: 'target', metric: 'transferRate', unit: 'KiB/s', baseline: 'httpd' },
    ],
    [
      'by round',
      { columns: 'round', rows: 'target' },
      { rows: 'target', columns: 'round', metric: 'transferRate', unit: 'KiB/s', baseline: 'httpd' },
    ],
    [
      'ratios have no unit',
      { relative: true },
      { ...base, metric: 'transferRate', baseline: 'httpd', title: 'files', relative: true },
    ],
    [
      'ratios to another column',
      { relative: true, baseline: 'nio' },
      { ...base, metric: 'transferRate', baseline: 'nio', title: 'files', relative: true },
    ],
    ['the second as it is', { table: 2 }, { rows: 'round', columns: 'cell', metric: 'p(50)', unit: 'ms' }],
  ];
  for (const [sentence, flags, spec] of rows)
    test(sentence, async () => assert.deepEqual(await specOf(flags), spec));

  const refused: [sentence: string, flags: TableFlags, message: RegExp][] = [
    [
      'an axis that there is not',
      { rows: 'sise' },
      /^--rows: "sise" is not an axis of the sweep; did you mean "size"\?/,
    ],
    [
      'a metric that there is not',
      { metric: 'rps' },
      /^--metric: "rps" is not a metric; did you mean "requestRate"\?/,
    ],
    ['a unit of another metric', { unit: 'ms' }, /^--unit: "ms" is not a unit of transferRate/],
    [
      'a baseline that is no column',
      { baseline: '4KiB' },
      /^--baseline: "4KiB" is not a value of the columns/,
    ],
    [
      'ratios to nothing',
      { relative: true, columns: 'size', rows: 'target' },
      /^--relative: a ratio needs what it is to; add "baseline"/,
    ],
    ['ratios with a unit', { relative: true, unit: 'MB/s' }, /^--unit: a ratio has no unit/],
    ['a table that there is not', { table: 3 }, /^--table 3: the run has 2 tables/],
  ];
  for (const [sentence, flags, message] of refused)
    test(`refuses ${sentence}`, () =>
      assert.rejects(withAskedTable(report, flags), (error) => {
        assert.ok(error instanceof BroadsideError);
        assert.match(error.message, message);
        return true;
      }));
});

test('ratios are to what the first table was compared with without a word, where its columns are the same', async () => {
  const plain = withTables(report, [{ rows: 'size', columns: 'target' }]);
  const { tables } = await withAskedTable(plain, { relative: true });
  assert.deepEqual([tables[0]!.baseline, tables[0]!.relative], ['httpd', true]);
  await assert.rejects(
    withAskedTable(plain, { relative: true, rows: 'target', columns: 'size' }),
    /a ratio needs what it is to/,
  );
});
