import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cycleLength, weightedOrder } from '../../../shared/domain/weighted-order.ts';

const weightLists = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });

describe('the order of weighted requests', () => {
  const ORDERS: [weights: number[], order: number[]][] = [
    [[5], [0]],
    [
      [1, 1, 1],
      [0, 1, 2],
    ],
    [
      [7, 7],
      [0, 1],
    ],
    [
      [2, 1],
      [0, 1, 0],
    ],
    [
      [3, 1],
      [0, 0, 1, 0],
    ],
    [
      [1, 3],
      [1, 0, 1, 1],
    ],
    [
      [30, 10],
      [0, 0, 1, 0],
    ],
  ];
  for (const [weights, order] of ORDERS) {
    test(`${weights} → ${order}`, () => assert.deepEqual([...weightedOrder(weights)], order));
  }

  test('a cycle has every request exactly as often as its weight says', () => {
    fc.assert(
      fc.property(weightLists, (weights) => {
        const order = weightedOrder(weights);
        assert.equal(order.length, cycleLength(weights));
        const divisor = weights.reduce((sum, weight) => sum + weight, 0) / order.length;
        weights.forEach((weight, i) => {
          assert.equal(order.filter((index) => index === i).length, weight / divisor);
        });
      }),
    );
  });

  test('at no point of it is a request a whole one ahead of its share or behind it', () => {
    fc.assert(
      fc.property(weightLists, (weights) => {
        const whole = weights.reduce((sum, weight) => sum + weight, 0);
        const served = weights.map(() => 0);
        weightedOrder(weights).forEach((index, turn) => {
          served[index]!++;
          weights.forEach((weight, i) => {
            const away = Math.abs((weight / whole) * (turn + 1) - served[i]!);
            assert.ok(away < 1, `${weights} at ${turn + 1}: request ${i} is off by ${away}`);
          });
        });
      }),
    );
  });

  test('a common factor changes nothing', () => {
    fc.assert(
      fc.property(weightLists, fc.integer({ min: 1, max: 9 }), (weights, factor) => {
        assert.deepEqual(weightedOrder(weights.map((weight) => weight * factor)), weightedOrder(weights));
      }),
    );
  });
});
