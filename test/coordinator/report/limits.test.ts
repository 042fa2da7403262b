import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cellTable } from '../../../coordinator/report/cell-table.ts';
import { withTables } from '../../../coordinator/report/cells.ts';
import { comparisonTables } from '../../../coordinator/report/comparison-table.ts';
import { limitText, usualLimit, verdictFact } from '../../../coordinator/report/limits.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { pivotsOf } from '../../../coordinator/report/pivot.ts';
import { pivotNotes, pivotTable } from '../../../coordinator/report/pivot-table.ts';
import { remarksOn } from '../../../coordinator/report/remarks.ts';
import type { ReportTrial, Verdict } from '../../../coordinator/report/schema.ts';
import { sweepLedgerFact } from '../../../coordinator/report/sweep-ledger.ts';
import { formatText } from '../../../coordinator/report/text.ts';
import { sweepRun } from './journal-fixture.ts';
import { limited } from './limited.ts';

type Limit = Verdict['limit'];

const REPORT = await buildReport(sweepRun());

describe('the limit of a cell', () => {
  const rows: [sentence: string, counts: [Limit, number][], usual: Limit, text: string][] = [
    ['is that of all its rounds', [['target', 5]], 'target', 'target'],
    [
      'is that of most',
      [
        ['network', 3],
        ['target', 2],
      ],
      'network',
      'network 3, target 2',
    ],
    [
      'is undecided where half is not most',
      [
        ['network', 2],
        ['target', 2],
      ],
      'undecided',
      'network 2, target 2',
    ],
    ['is undecided without rounds', [], 'undecided', ''],
  ];
  for (const [sentence, counts, usual, text] of rows) {
    test(sentence, () => {
      assert.equal(usualLimit(new Map(counts)), usual);
      assert.equal(limitText(new Map(counts)), text);
    });
  }
});

/** The large files over the wire; of the small ones nio is the limit, and httpd in most rounds. */
function byWire({ cell, round }: ReportTrial): Limit {
  if (cell.size === '64KiB') return 'network';
  return cell.target === 'httpd' && round > 3 ? 'generator' : 'target';
}

describe('a sweep whose limits differ', () => {
  const report = limited(REPORT, byWire);

  test('marks the numbers that are not those of the target, and says what the marks are', () => {
    const [pivot] = pivotsOf(report);
    assert.deepEqual(
      pivotTable(pivot!).marks?.map((row) => row.slice(1).map(String)),
      [
        ['', 'partial'],
        ['network', 'best,network'],
      ],
    );
    const notes = pivotNotes([pivot!], '*').join('; ');
    assert.match(notes, /N: limited by the network; without N: limited by the target \(in most rounds\)$/);
  });

  test('shows each trial\u2019s own limit in a table of rounds', () => {
    const [pivot] = pivotsOf(withTables(report, [{ rows: 'round', columns: 'cell' }]));
    const signs = pivotTable(pivot!).marks?.map((row) => row.slice(1).map(String));
    assert.deepEqual(signs?.slice(0, 5), [
      ['', 'network', '', 'network'],
      ['', 'network', '', 'network'],
      ['', 'network', '', 'network'],
      ['generator', 'network', '', 'network'],
      ['generator', 'network', '', 'network'],
    ]);
  });

  test('counts them over the trials that finished, and by cell', () => {
    assert.deepEqual(verdictFact(report.trials), [
      ['Verdict', 'network in 10, target in 7, generator in 2 of 19 trials that finished'],
    ]);
    const { head, rows } = cellTable(report);
    assert.deepEqual(
      rows.map((row) => row[head.indexOf('limit')]),
      ['target 3, generator 2', 'network', 'target', 'network'],
    );
  });

  test('says beside a comparison what it compares', () => {
    const { head, rows } = comparisonTables(report)[0]!;
    assert.deepEqual(
      rows.map((row) => row[head.indexOf('limit')]),
      ['target', 'network'],
    );
  });
});

test('where the target was the limit throughout, one line says so and nothing is marked', () => {
  const report = limited(REPORT, () => 'target');
  assert.match(formatText(report), /^Verdict {8}target in all 19 trials that finished$/m);
  const [pivot] = pivotsOf(report);
  assert.doesNotMatch(String(pivotTable(pivot!).marks), /network|generator|none|undecided/);
  assert.match(
    pivotNotes([pivot!], '*').join('; '),
    /all numbers: limited by the target \(in most rounds\)$/,
  );
});

test('what limited several cells alike is one remark', () => {
  const limits = remarksOn(limited(REPORT, byWire).trials).filter(([label]) => label === 'Limit');
  assert.deepEqual(limits, [
    [
      'Limit',
      'target=httpd size=64KiB, rounds 1, 2, 3, 4, 5, and 1 other cell, in the first: network: made up for trial 1',
    ],
    ['Limit', 'target=httpd size=4KiB, rounds 4, 5, in the first: generator: made up for trial 12'],
  ]);
});

test('why nothing was at a limit is said with the first that had none', () => {
  const report = limited(REPORT, () => 'none');
  assert.deepEqual(verdictFact(report.trials), [
    ['Verdict', 'none in all 19 trials that finished\nnone, in the first: made up for trial 0'],
  ]);
});

describe('the account of a sweep', () => {
  test('is the sum of its trials', () => {
    assert.deepEqual(sweepLedgerFact(REPORT.trials), [
      [
        'Ledger',
        'balanced in all 20 trials: started 2674 = completed 2634 + failed 40 + in flight 0 + lost 0',
      ],
    ]);
  });

  test('has what was planned where each trial says it, and counts those that do not balance', () => {
    const trials = REPORT.trials.map((trial) => ({
      ...trial,
      ledger: { ...trial.ledger, planned: trial.ledger.started + 1, dropped: 1, balanced: trial.index > 1 },
    }));
    assert.deepEqual(sweepLedgerFact(trials), [
      [
        'NOT BALANCED',
        'in 2 of 20 trials: planned 2694 = started 2674 + dropped 20\nstarted 2674 = completed 2634 + failed 40 + in flight 0 + lost 0',
      ],
    ]);
  });
});
