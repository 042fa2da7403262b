import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cellKey, cellsOf, median, spreadOf } from '../../../coordinator/report/cells.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { sweepRun } from './journal-fixture.ts';

describe('a spread', () => {
  const rows: [why: string, values: number[], expected: object][] = [
    ['of one is that one', [7], { median: 7, min: 7, max: 7 }],
    ['of an even number lies between the middle two', [1, 2, 4, 10], { median: 3, min: 1, max: 10 }],
    ['has no interval below five rounds', [4, 2, 3], { median: 3, min: 2, max: 4 }],
    ['has none with a 0, of which there is no logarithm', [0, 1, 1, 1, 1], { median: 1, min: 0, max: 1 }],
  ];
  for (const [why, values, expected] of rows) test(why, () => assert.deepEqual(spreadOf(values), expected));

  test('of five equal rounds has an interval of no width', () => {
    const [low, high] = spreadOf([5, 5, 5, 5, 5]).ci95!;
    assert.ok(Math.abs(low - 5) < 1e-9 && Math.abs(high - 5) < 1e-9);
  });

  test('its interval is Student’s t on the logarithms, worked by hand', () => {
    // ln: 0, ln 2, ln 4, ln 8, ln 16; mean ln 4; s = ln 2 × √2.5; half = 2.776 × s / √5.
    const [low, high] = spreadOf([1, 2, 4, 8, 16]).ci95!;
    const half = 2.776 * Math.LN2 * Math.sqrt(2.5 / 5);
    assert.ok(Math.abs(low - 4 * Math.exp(-half)) < 1e-9 && Math.abs(high - 4 * Math.exp(half)) < 1e-9);
  });

  test('its median does not depend on the order', () => {
    const values = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 9 });
    fc.assert(fc.property(values, (list) => median(list) === median([...list].reverse())));
  });
});

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
    assert.ok(cells[0]?.requestRate?.ci95 !== undefined && cells[2]?.requestRate?.ci95 === undefined);
  });

  test('is compared with its baseline: each cell with the one that differs in that axis only', async () => {
    const { cells } = await buildReport(sweepRun());
    const rate = (i: number) => cells[i]!.transferRate!.median;
    assert.deepEqual(
      cells.map(({ relativeToBaseline }) => relativeToBaseline),
      [1, 1, rate(2) / rate(0), rate(3) / rate(1)],
    );
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
