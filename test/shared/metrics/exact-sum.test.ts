import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ExactSum } from '../../../shared/metrics/exact-sum.ts';

function sumOf(values: readonly number[]): number {
  const sum = new ExactSum();
  for (const value of values) sum.add(value);
  return sum.value();
}

const rows: [sentence: string, values: number[], expected: number][] = [
  ['nothing is 0', [], 0],
  ['ten tenths are one', Array.from({ length: 10 }, () => 0.1), 1],
  ['what cancels out leaves what is small', [1e100, 1, -1e100], 1],
  ['half an ulp and a little more is rounded up', [1, 2 ** -53, 2 ** -110], 1 + 2 ** -52],
  ['exactly half an ulp goes to the even one', [1, 2 ** -53], 1],
];
for (const [sentence, values, expected] of rows) {
  test(sentence, () => assert.equal(sumOf(values), expected));
}

test('the order does not matter, to the last bit', () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e-9, max: 1e-9 }),
  );
  fc.assert(
    fc.property(fc.array(value), fc.nat(), (values, cut) => {
      const at = values.length === 0 ? 0 : cut % values.length;
      const whole = sumOf(values);
      assert.equal(sumOf([...values].reverse()), whole);
      assert.equal(sumOf([...values.slice(at), ...values.slice(0, at)]), whole);
    }),
    { numRuns: 500 },
  );
});
