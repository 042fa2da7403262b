import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Axis, cellLabel, cellsOf } from '../../../shared/domain/sweep.ts';
import { type OrderName, orderTrials, seedOf } from '../../../shared/domain/trial-order.ts';

const SWEEP: Axis[] = [{ name: 'n', values: Array.from({ length: 8 }, (_, i) => i) }];
const CELLS = cellsOf(SWEEP).map((cell) => ({ cell }));
const labelsOf = (name: OrderName, rounds: number, seed?: number, cells = CELLS): string[] =>
  orderTrials(cells, rounds, seed === undefined ? { name } : { name, seed }).map(
    ({ planned, round }) => `${cellLabel(planned.cell)} round ${round}`,
  );

describe('the order of trials', () => {
  const two = CELLS.slice(0, 2);
  test('interleaved: all of round 1, then all of round 2 from its end, then round 3 as round 1', () => {
    assert.deepEqual(labelsOf('interleaved', 3, undefined, two), [
      'n=0 round 1',
      'n=1 round 1',
      'n=1 round 2',
      'n=0 round 2',
      'n=0 round 3',
      'n=1 round 3',
    ]);
  });

  test('interleaved: a steady drift reaches all cells alike over an even number of rounds', () => {
    const places = new Map<unknown, number>();
    orderTrials(CELLS, 4, { name: 'interleaved' }).forEach(({ planned }, place) => {
      places.set(planned.cell.n, (places.get(planned.cell.n) ?? 0) + place);
    });
    assert.equal(new Set(places.values()).size, 1);
  });

  test('sequential: all of one cell, then all of the next', () => {
    assert.deepEqual(labelsOf('sequential', 2, undefined, two), [
      'n=0 round 1',
      'n=0 round 2',
      'n=1 round 1',
      'n=1 round 2',
    ]);
  });

  test('shuffled: the same seed gives the same order, another seed another, each round its own', () => {
    assert.deepEqual(labelsOf('shuffled', 3, 7), labelsOf('shuffled', 3, 7));
    assert.notDeepEqual(labelsOf('shuffled', 3, 7), labelsOf('shuffled', 3, 8));
    const cells = labelsOf('shuffled', 3, 7).map((label) => label.split(' ')[0]!);
    assert.notDeepEqual(cells.slice(0, 8), cells.slice(8, 16));
  });

  test('shuffled: some of the cells come in the order that they have among all', () => {
    const some = CELLS.filter((_, i) => i % 3 !== 0);
    const names = new Set(some.map(({ cell }) => cellLabel(cell)));
    const all = labelsOf('shuffled', 4, 7).filter((label) => names.has(label.split(' ')[0]!));
    assert.deepEqual(labelsOf('shuffled', 4, 7, some), all);
  });

  test('a seed of its own is that of the sweep', () => {
    assert.equal(seedOf(SWEEP), seedOf(structuredClone(SWEEP)));
    assert.notEqual(seedOf(SWEEP), seedOf([]));
    assert.ok(Number.isSafeInteger(seedOf(SWEEP)) && seedOf(SWEEP) >= 0);
  });

  const orders = fc.record({
    name: fc.constantFrom<OrderName>('interleaved', 'shuffled', 'sequential'),
    seed: fc.nat(),
  });
  test('every cell once a round; but for sequential, no cell is ever two rounds ahead of another', () => {
    fc.assert(
      fc.property(
        orders,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 5 }),
        (order, n, rounds) => {
          const cells = CELLS.slice(0, n);
          const trials = orderTrials(cells, rounds, order);
          assert.equal(trials.length, n * rounds);
          assert.equal(
            new Set(trials.map(({ planned, round }) => `${planned.cell.n} ${round}`)).size,
            n * rounds,
          );
          const done = new Map(cells.map(({ cell }) => [cell.n, 0]));
          for (const { planned, round } of trials) {
            const before = done.get(planned.cell.n)!;
            assert.equal(round, before + 1, 'rounds of a cell come in order');
            done.set(planned.cell.n, round);
            if (order.name === 'sequential') continue;
            assert.ok(Math.max(...done.values()) - Math.min(...done.values()) <= 1);
          }
        },
      ),
    );
  });
});
