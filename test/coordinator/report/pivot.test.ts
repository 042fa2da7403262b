import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withTables } from '../../../coordinator/report/cells.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { pivotsOf } from '../../../coordinator/report/pivot.ts';
import { pivotNotes, pivotTable, pivotTitle } from '../../../coordinator/report/pivot-table.ts';
import type { Report, ReportTrial } from '../../../coordinator/report/schema.ts';
import type { TableSpec } from '../../../shared/domain/report-spec.ts';
import { sweepRun } from './journal-fixture.ts';

const REPORT: Report = await buildReport(sweepRun());
const pivotsWith = (...specs: TableSpec[]) => pivotsOf(withTables(REPORT, specs));
const linesOf = (spec: TableSpec) =>
  pivotsWith(spec).map((pivot) => {
    const { head, rows } = pivotTable(pivot);
    return [pivotTitle(pivot), head.join(' | '), ...rows.map((row) => row.join(' | '))];
  });

describe('a table', () => {
  const rows: [sentence: string, spec: TableSpec, tables: string[][]][] = [
    [
      'of rows and columns has the medians, with the unit in its title',
      { rows: 'size', columns: 'target', metric: 'requestRate' },
      [
        [
          'requestRate [req/s]',
          'size \\ target | httpd | nio',
          '4KiB | 109.00 | 150.50',
          '64KiB | 129.00 | 169.00',
        ],
      ],
    ],
    [
      'of rows alone has one column, and is one for each value of the other axes',
      { rows: 'size' },
      [
        [
          'requestRate [req/s], target=httpd',
          'size | requestRate [req/s]',
          '4KiB | 109.00',
          '64KiB | 129.00',
        ],
        ['requestRate [req/s], target=nio', 'size | requestRate [req/s]', '4KiB | 150.50', '64KiB | 169.00'],
      ],
    ],
    [
      'of columns alone has one row, after a title of its own',
      { columns: 'cell', title: 'all', best: 'none' },
      [
        [
          'all: requestRate [req/s]',
          'cell | target=httpd size=4KiB | target=httpd size=64KiB | target=nio size=4KiB | target=nio size=64KiB',
          'requestRate [req/s] | 109.00 | 129.00 | 150.50 | 169.00',
        ],
      ],
    ],
    [
      'of rounds has each trial, and their median and spread',
      { rows: 'round', columns: 'cell' },
      [
        [
          'requestRate [req/s] by round',
          'round \\ cell | target=httpd size=4KiB | target=httpd size=64KiB | target=nio size=4KiB | target=nio size=64KiB',
          '1 | 103.00 | 123.00 | 143.00 | 163.00',
          '2 | 106.00 | 126.00 | DNF | 166.00',
          '3 | 109.00 | 129.00 | 149.00 | 169.00',
          '4 | 112.00 | 132.00 | 152.00 | 172.00',
          '5 | 115.00 | 135.00 | 155.00 | 175.00',
          'median | 109.00 | 129.00 | 150.50 | 169.00',
          'spread | 11.0 % | 9.3 % | 8.0 % | 7.1 %',
        ],
      ],
    ],
    [
      'has its rounds across, too',
      { rows: 'target', columns: 'round', metric: 'requests' },
      [
        [
          'requests by round, size=4KiB',
          'target \\ round | 1 | 2 | 3 | 4 | 5 | median | spread',
          'httpd | 103 | 106 | 109 | 112 | 115 | 109 | 11.0 %',
          'nio | 143 | DNF | 149 | 152 | 155 | 150.5 | 8.0 %',
        ],
        [
          'requests by round, size=64KiB',
          'target \\ round | 1 | 2 | 3 | 4 | 5 | median | spread',
          'httpd | 123 | 126 | 129 | 132 | 135 | 129 | 9.3 %',
          'nio | 163 | 166 | 169 | 172 | 175 | 169 | 7.1 %',
        ],
      ],
    ],
    [
      'of a quantile that no round is large enough for says so, unit and all',
      { rows: 'size', columns: 'target', metric: 'p(99)', unit: 'ms' },
      [['p(99) [ms]', 'size \\ target | httpd | nio', '4KiB | n<368 | n<368', '64KiB | n<368 | n<368']],
    ],
    [
      'of ratios is the comparison’s own, the baseline being 1',
      { rows: 'size', columns: 'target', metric: 'requestRate', baseline: 'httpd', relative: true },
      [
        [
          'requestRate [httpd = 1]',
          'size \\ target | httpd | nio',
          '4KiB | 1.000 | 1.365',
          '64KiB | 1.000 | 1.310',
        ],
      ],
    ],
    [
      'of ratios may have its baseline in the rows',
      { rows: 'size', columns: 'target', metric: 'requests', baseline: '4KiB', relative: true },
      [
        [
          'requests [4KiB = 1]',
          'size \\ target | httpd | nio',
          '4KiB | 1.000 | 1.000',
          '64KiB | 1.184 | 1.134',
        ],
      ],
    ],
    [
      'of ratios by round has those of the same round, and none where the cell or its baseline did not finish',
      { rows: 'round', columns: 'target', metric: 'requests', baseline: 'nio', relative: true },
      [
        [
          'requests [nio = 1] by round, size=4KiB',
          'round \\ target | httpd | nio',
          '1 | 0.720 | 1.000',
          '2 | - | DNF',
          '3 | 0.732 | 1.000',
          '4 | 0.737 | 1.000',
          '5 | 0.742 | 1.000',
          'median | 0.734 | 1.000',
          'spread | 2.9 % | 0.0 %',
        ],
        [
          'requests [nio = 1] by round, size=64KiB',
          'round \\ target | httpd | nio',
          '1 | 0.755 | 1.000',
          '2 | 0.759 | 1.000',
          '3 | 0.763 | 1.000',
          '4 | 0.767 | 1.000',
          '5 | 0.771 | 1.000',
          'median | 0.763 | 1.000',
          'spread | 2.2 % | 0.0 %',
        ],
      ],
    ],
    [
      'of ratios of a quantile says where no round is large enough',
      { rows: 'size', columns: 'target', metric: 'p(99)', baseline: 'httpd', relative: true },
      [
        [
          'p(99) [httpd = 1]',
          'size \\ target | httpd | nio',
          '4KiB | n<368 | n<368',
          '64KiB | n<368 | n<368',
        ],
      ],
    ],
  ];
  for (const [sentence, spec, tables] of rows) test(sentence, () => assert.deepEqual(linesOf(spec), tables));
});

describe('ratios', () => {
  const RELATIVE: TableSpec = { columns: 'target', metric: 'requestRate', baseline: 'httpd', relative: true };
  const cellsOf = (change: (trial: ReportTrial) => Partial<ReportTrial>, rows: string) => {
    const trials = REPORT.trials.map((trial) => ({ ...trial, ...change(trial) }));
    const [pivot] = pivotsOf(withTables({ ...REPORT, trials }, [{ ...RELATIVE, rows }]));
    return pivot!.rows[0]!.cells;
  };

  for (const rows of ['size', 'round']) {
    test(`of ${rows}: the target's own only where it was the limit of the baseline, too`, () => {
      const cells = cellsOf(({ cell, verdict }) => {
        const limit = cell.target === 'httpd' ? 'generator' : 'target';
        return { verdict: { ...verdict, limit } };
      }, rows);
      assert.deepEqual(
        cells.map((cell) => cell?.limit),
        ['generator', 'generator'],
      );
    });

    test(`of ${rows}: none of a cell that shares no round with its baseline`, () => {
      const cells = cellsOf(({ cell, round }) => {
        const counts = cell.target === 'httpd' ? round === 1 : round > 1;
        return { state: counts ? 'completed' : 'dnf' };
      }, rows);
      assert.deepEqual([cells[0]?.spread?.median, cells[1]?.spread], [1, undefined]);
    });
  }
});

test('tables come in the order of the scenario, each with a metric of its own', () => {
  const titles = pivotsWith(
    { rows: 'size', columns: 'target', metric: 'sentRate', unit: 'Mbit/s' },
    { rows: 'size', columns: 'target', metric: 'bandwidth' },
  ).map(pivotTitle);
  assert.deepEqual(titles, ['sentRate [Mbit/s]', 'bandwidth [Mbit/s]']);
});

describe('the best', () => {
  const marksOf = (spec: TableSpec) =>
    pivotsWith(spec).map((pivot) => pivotTable(pivot).marks?.map((row) => row.slice(1).map(String)));
  test('is marked where the rounds show it, and the note says what the mark is', () => {
    const spec = { rows: 'size', columns: 'target' };
    assert.deepEqual(marksOf(spec), [
      [
        ['undecided', 'partial,undecided'],
        ['undecided', 'best,undecided'],
      ],
    ]);
    const notes = pivotNotes(pivotsWith(spec), '*').join('; ');
    assert.match(notes, /\*: best by target, shown to be better than each other/);
    assert.match(notes, /fewer than 5/);
    assert.match(notes, /†: some of its rounds are not in it/);
  });

  test('is looked for where the scenario says, or not at all', () => {
    assert.deepEqual(marksOf({ rows: 'size', columns: 'target', best: 'size' }), [
      [
        ['undecided', 'partial,undecided'],
        ['best,undecided', 'undecided'],
      ],
    ]);
    for (const none of [
      { rows: 'size', columns: 'target', best: 'none' },
      { rows: 'round', columns: 'target' },
    ])
      assert.doesNotMatch(String(marksOf(none)), /best|tied/);
  });

  test('of a swept load is the best number of connections, in each column', async () => {
    const swept = sweepRun().map((record) => {
      if (record.type !== 'run') return record;
      const trials = record.trials.map((trial) => {
        const connections = trial.cell.size === '4KiB' ? 10 : 20;
        const load = { ...trial.load, connections } as typeof trial.load;
        return { ...trial, load, cell: { target: trial.cell.target!, connections } };
      });
      return { ...record, trials, report: [{ rows: 'connections', columns: 'target' }] };
    });
    const { tables } = await buildReport(swept);
    assert.equal(tables[0]!.bestAlong, 'connections');
    assert.deepEqual(
      tables[0]!.cells.map(({ cell, best }) => [cell.target, cell.connections, best]),
      [
        ['httpd', 10, undefined],
        ['httpd', 20, 'alone'],
        ['nio', 10, undefined],
        ['nio', 20, undefined],
      ],
    );
  });
});
