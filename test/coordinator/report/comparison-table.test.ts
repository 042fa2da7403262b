import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withTables } from '../../../coordinator/report/cells.ts';
import { comparisonTables } from '../../../coordinator/report/comparison-table.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import type { Report } from '../../../coordinator/report/schema.ts';
import type { Comparison } from '../../../coordinator/report/statistics/comparison.ts';
import type { OrderName } from '../../../shared/domain/trial-order.ts';
import { closedRun, sweepRun } from './journal-fixture.ts';
import { limited } from './limited.ts';

/** The sweep's last cell compared as given, and no other; in all trials the target was the limit. */
async function comparing(comparison: Comparison): Promise<Report> {
  const report = limited(await buildReport(sweepRun()), () => 'target');
  const tables = report.tables.map((table) => ({
    ...table,
    cells: table.cells.map(({ comparison: _, noiseFloor: __, ...cell }, i) =>
      i === 3 ? { ...cell, comparison } : cell,
    ),
  }));
  return { ...report, tables };
}

const FIVE: Comparison = { pairs: 5, ratio: 1.1, ci95: [1.05, 1.15], word: 'faster' };

describe('a row', () => {
  const rows: [why: string, comparison: Comparison, texts: string[]][] = [
    [
      'has ratio, interval, p and word',
      { ...FIVE, p: 0.01, adjustedP: 0.02 },
      ['5', '×1.100', '1.050 – 1.150', '0.020', 'faster'],
    ],
    [
      'keeps a p above the level above it',
      { ...FIVE, adjustedP: 0.05004, word: 'no difference shown' },
      ['5', '×1.100', '1.050 – 1.150', '0.051', 'no difference shown'],
    ],
    [
      'does not print zeros',
      { ...FIVE, adjustedP: 2e-7 },
      ['5', '×1.100', '1.050 – 1.150', '< 0.001', 'faster'],
    ],
    [
      'of few rounds has no p',
      { ...FIVE, word: 'too few rounds' },
      ['5', '×1.100', '1.050 – 1.150', 'too few rounds'],
    ],
    [
      'of one round has no interval',
      { pairs: 1, ratio: 2, word: 'too few rounds' },
      ['1', '×2.000', 'too few rounds'],
    ],
  ];
  for (const [why, comparison, texts] of rows) {
    test(why, async () => {
      const table = comparisonTables(await comparing(comparison))[0]!;
      assert.deepEqual(table.rows, [['nio', '64KiB', ...texts]]);
      assert.equal(table.head.length, texts.length + 2);
    });
  }
});

test('the title names metric and baseline; what there is no room for is left out, its note too', async () => {
  const report = await buildReport(sweepRun());
  const table = comparisonTables(report, ['p', 'pairs'])[0]!;
  assert.equal(table.title, 'transferRate against httpd');
  assert.deepEqual(table.head, ['target', 'size', 'ratio', '95 % interval', 'result', 'limit']);
  assert.ok(table.notes.every((note) => !note.includes('Holm')));
});

test('where the scenario names no baseline, the first target is named', async () => {
  const report = await buildReport(sweepRun());
  assert.equal(comparisonTables(withTables(report, []))[0]?.title, 'requestRate against httpd');
});

test('without a comparison there is no table', async () => {
  assert.deepEqual(comparisonTables(await buildReport(closedRun())), []);
});

test('there is one for each metric and baseline of the tables, and no more', async () => {
  const specs = [
    {},
    { metric: 'mean', baseline: 'httpd' },
    { metric: 'mean', baseline: 'nio' },
    { rows: 'size', metric: 'mean', baseline: 'nio' },
    { rows: 'size', metric: 'max' },
  ];
  const tables = comparisonTables(withTables(await buildReport(sweepRun()), specs));
  assert.deepEqual(
    tables.map(({ title }) => title),
    ['requestRate against httpd', 'mean against httpd', 'mean against nio'],
  );
});

test('after a sequential order it says what cannot be told', async () => {
  const noted = async (name: OrderName) => {
    const report = await buildReport(
      sweepRun().map((record) => (record.type === 'run' ? { ...record, order: { name } } : record)),
    );
    return comparisonTables(report)[0]!.notes.some((note) => /sequential.*drift/.test(note));
  };
  assert.deepEqual(await Promise.all([noted('sequential'), noted('interleaved'), noted('shuffled')]), [
    true,
    false,
    false,
  ]);
});
