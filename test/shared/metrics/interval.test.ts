import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ERROR_CLASSES, type FirstError } from '../../../shared/metrics/error-class.ts';
import { addCounts, emptyCounts, mergeFirstErrors } from '../../../shared/metrics/interval.ts';

const firstError: fc.Arbitrary<FirstError> = fc.record(
  {
    class: fc.constantFrom(...ERROR_CLASSES.slice(0, 4)),
    message: fc.constantFrom('a', 'b'),
    atUs: fc.integer({ min: 0, max: 3 }),
    worker: fc.constantFrom('w1', 'w2'),
  },
  { noNullPrototype: true },
);
const firstErrors = fc.array(firstError, { maxLength: 6 });

describe('first errors', () => {
  const at = (atUs: number, worker: string, message = 'm'): FirstError => ({
    class: 'reset',
    message,
    atUs,
    worker,
  });
  const rows: [why: string, a: FirstError[], b: FirstError[], expected: FirstError[]][] = [
    ['the earlier of a class stays', [at(5, 'w1')], [at(3, 'w2')], [at(3, 'w2')]],
    ['at the same time the worker decides', [at(5, 'w2')], [at(5, 'w1')], [at(5, 'w1')]],
    ['then the message', [at(5, 'w1', 'b')], [at(5, 'w1', 'a')], [at(5, 'w1', 'a')]],
    [
      'different classes stay side by side, in order of time',
      [at(5, 'w1')],
      [{ ...at(2, 'w1'), class: 'timeout' }],
      [{ ...at(2, 'w1'), class: 'timeout' }, at(5, 'w1')],
    ],
    ['nothing with nothing is nothing', [], [], []],
  ];
  for (const [why, a, b, expected] of rows)
    test(why, () => assert.deepEqual(mergeFirstErrors(a, b), expected));

  test('the order of merging does not show', () => {
    fc.assert(
      fc.property(firstErrors, firstErrors, firstErrors, (a, b, c) => {
        const one = mergeFirstErrors(mergeFirstErrors(a, b), c);
        assert.deepEqual(mergeFirstErrors(c, mergeFirstErrors(b, a)), one);
        assert.deepEqual(mergeFirstErrors(one, one), one);
      }),
    );
  });
});

test('counts add field by field, maps key by key', () => {
  const into = {
    ...emptyCounts(),
    started: 1,
    status: { 200: 1 },
    byAddress: { '::1': 1 },
    errors: { reset: 1 },
  };
  addCounts(into, {
    started: 2,
    completed: 3,
    failed: 4,
    dropped: 5,
    bytesReceived: 6,
    bytesDecrypted: 11,
    bytesBody: 7,
    bytesSent: 8,
    connectionsOpened: 9,
    connectionsReused: 10,
    byAddress: { '::1': 4, '127.0.0.1': 5 },
    threadCpuUs: 13,
    tlsSessionsReused: 12,
    status: { 200: 2, 404: 1 },
    errors: { reset: 1, timeout: 3 },
  });
  assert.deepEqual(into, {
    started: 3,
    completed: 3,
    failed: 4,
    dropped: 5,
    bytesReceived: 6,
    bytesDecrypted: 11,
    bytesBody: 7,
    bytesSent: 8,
    connectionsOpened: 9,
    connectionsReused: 10,
    byAddress: { '::1': 5, '127.0.0.1': 5 },
    threadCpuUs: 13,
    tlsSessionsReused: 12,
    status: { 200: 3, 404: 1 },
    errors: { reset: 2, timeout: 3 },
  });
});
