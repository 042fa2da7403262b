import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cellKey } from '../../../coordinator/report/cell-key.ts';
import { cellsAndTables } from '../../../coordinator/report/cells.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { remarksOn } from '../../../coordinator/report/remarks.ts';
import type { ReportTrial } from '../../../coordinator/report/schema.ts';
import type { TableSpec } from '../../../shared/domain/report-spec.ts';
import {
  CLOSED,
  failures,
  runEnded,
  runRecord,
  sweepRun,
  trialPlan,
  trialRecords,
} from './journal-fixture.ts';

const cellsOf = (trials: readonly ReportTrial[], spec: TableSpec) => cellsAndTables(trials, [spec]).cells;

test('cells with the same values are one, whatever the order of the axes', () => {
  assert.equal(cellKey({ a: 1, b: 'x' }), cellKey({ b: 'x', a: 1 }));
  assert.notEqual(cellKey({ a: 1 }), cellKey({ a: '1' }));
});

describe('a sweep', () => {
  test('has a cell for each combination, over its rounds', async () => {
    const { cells } = await buildReport(sweepRun());
    assert.deepEqual(
      cells.map(({ cell, rounds, completed }) => [cell.target, cell.size, rounds, completed]),
      [
        ['httpd', '4KiB', 5, 5],
        ['httpd', '64KiB', 5, 5],
        ['nio', '4KiB', 5, 4],
        ['nio', '64KiB', 5, 5],
      ],
    );
    assert.deepEqual(cells[2]?.dnf, ['round 2: no request completed, 40 failed']);
    assert.ok(cells.every(({ requestRate }) => requestRate?.ci95 !== undefined));
  });

  test('is compared with its baseline: each cell with the one that differs in that axis only', async () => {
    const { cells } = await buildReport(sweepRun());
    const rate = (i: number) => cells[i]!.transferRate!.median;
    assert.deepEqual(
      cells.map(({ relativeToBaseline }) => relativeToBaseline),
      [1, 1, rate(2) / rate(0), rate(3) / rate(1)],
    );
  });

  test('is compared with its baseline in the rounds that both completed', async () => {
    const { cells, trials } = await buildReport(sweepRun());
    assert.deepEqual(
      cells.map(({ comparison, noiseFloor }) => [comparison?.pairs, comparison?.word, noiseFloor?.rounds]),
      [
        [undefined, undefined, 5],
        [undefined, undefined, 5],
        [4, 'too few rounds', undefined],
        [5, 'faster', undefined],
      ],
    );
    // Trials run cell by cell within a round: 1 and 3 are 64KiB of httpd and nio in round 1, 5 and 7 in round 2.
    const logs = [0, 4, 8, 12, 16].map((from) => {
      const [base, cell] = [trials[from + 1]!, trials[from + 3]!];
      return Math.log(cell.summary.transferRate.received / base.summary.transferRate.received);
    });
    const mean = logs.reduce((sum, log) => sum + log, 0) / 5;
    assert.ok(Math.abs(cells[3]!.comparison!.ratio / Math.exp(mean) - 1) < 1e-9);
  });

  test('turned round, the other is slower by as much; without a metric, by the request rate', async () => {
    const { trials } = await buildReport(sweepRun());
    const nio = cellsOf(trials, { baseline: 'httpd' })[3]!.comparison!;
    const httpd = cellsOf(trials, { baseline: 'nio' })[1]!.comparison!;
    assert.deepEqual([nio.word, httpd.word], ['faster', 'slower']);
    assert.ok(Math.abs(nio.ratio * httpd.ratio - 1) < 1e-9);
  });

  test('of times, the shorter is faster', async () => {
    const { trials } = await buildReport(sweepRun());
    const twice = trials.map((trial) => {
      const { latency } = trial.summary;
      const mean = trial.target.name === 'nio' ? latency.mean / 2 : latency.mean;
      return { ...trial, summary: { ...trial.summary, latency: { ...latency, mean } } };
    });
    const { word, ratio } = cellsOf(twice, { metric: 'mean' })[3]!.comparison!;
    assert.ok(word === 'faster' && ratio < 0.6, `${ratio}`);
  });

  test('counts are more or less, not faster or slower', async () => {
    const { trials } = await buildReport(sweepRun());
    assert.equal(cellsOf(trials, { metric: 'requests' })[3]?.comparison?.word, 'more');
  });

  test('without a baseline in the scenario, the first target is it', async () => {
    const { trials } = await buildReport(sweepRun());
    const cells = cellsOf(trials, {});
    const { requestRate } = cells[2]!;
    assert.equal(cells[2]?.relativeToBaseline, requestRate!.median / cells[0]!.requestRate!.median);
  });

  test('with one target only, nothing is compared', async () => {
    const { trials } = await buildReport(sweepRun());
    const one = trials.filter(({ cell }) => cell.target === 'httpd');
    assert.ok(cellsOf(one, {}).every(({ relativeToBaseline }) => relativeToBaseline === undefined));
  });

  test('a metric of the scenario’s own has its spread', async () => {
    const { trials } = await buildReport(sweepRun());
    const [cell] = cellsOf(trials, { metric: 'p(99)' });
    assert.ok(cell?.metric !== undefined && cell.metric.min <= cell.metric.median);
    assert.equal(cellsOf(trials, { metric: 'no such' })[0]?.metric, undefined);
  });

  test('a cell that never completed has no numbers', async () => {
    const { trials } = await buildReport(sweepRun());
    const [cell] = cellsOf([trials[6]!], {});
    assert.deepEqual(Object.keys(cell!).sort(), ['cell', 'completed', 'dnf', 'rounds']);
  });
});

test('what befell several rounds of a cell is said once, and no more than fifty things', async () => {
  const broken = (cells: number) =>
    Array.from({ length: cells * 3 }, (_, index) => {
      const plan = trialPlan(index, CLOSED, { n: index % cells }, Math.floor(index / cells) + 1);
      return {
        plan,
        records: trialRecords(plan, [{ worker: 'w1', connections: 1, seconds: [failures(index + 2, 5)] }]),
      };
    });
  const remarksOf = async (cells: number) => {
    const trials = broken(cells);
    const records = trials.flatMap(({ records }) => records);
    const report = await buildReport([runRecord(trials.map(({ plan }) => plan)), ...records, runEnded()]);
    return remarksOn(report.trials).filter(([label]) => label === 'DID NOT FINISH' || label === '');
  };
  const two = await remarksOf(2);
  assert.equal(two.length, 2);
  assert.match(two[1]![1], /^n=1, rounds 1, 2, 3, in the first: no request completed, 3 failed; reset 3/);
  const many = await remarksOf(60);
  assert.match(many.at(-1)![1], /^and \d+ more remarks; the JSON report has every trial$/);
});
