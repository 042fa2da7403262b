import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readThreshold } from '../../../shared/domain/threshold-expression.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import { evaluateThreshold, parseThreshold, type SummaryLike } from '../../../shared/metrics/threshold.ts';

const SUMMARY: SummaryLike = {
  requests: 990,
  requestRate: 1000,
  transferRate: { received: 20 * 1024 ** 2, body: 1024 ** 2, sent: 5 * 1024 ** 2 },
  errors: { total: 10 },
  dropped: 3,
  latency: { min: 100, mean: 5_000, stdev: 2_000, max: 90_000 },
  quantile: (fraction) => fraction * 100_000,
};
const NOTHING: SummaryLike = {
  requests: 0,
  requestRate: 0,
  transferRate: { received: 0, body: 0, sent: 0 },
  errors: { total: 0 },
  dropped: 0,
  latency: { min: 0, mean: 0, stdev: 0, max: 0 },
  quantile: () => undefined,
};
const ALL_FAILED: SummaryLike = { ...NOTHING, errors: { total: 7 } };

const JUDGED: [expression: string, summary: SummaryLike, value: number | undefined, passed: boolean][] = [
  ['p(99) < 200ms', SUMMARY, 99_000, true],
  ['p(99.9)<99.9ms', SUMMARY, 99_900, false],
  ['p(99.9) <= 99.9 ms', SUMMARY, 99_900, true],
  ['p(50) > 1s', SUMMARY, 50_000, false],
  ['p( 100 ) >= 100ms', SUMMARY, 100_000, true],
  ['min == 100us', SUMMARY, 100, true],
  ['mean < 5ms', SUMMARY, 5_000, false],
  ['stdev < 10ms', SUMMARY, 2_000, true],
  ['max != 90ms', SUMMARY, 90_000, false],
  ['errors < 1%', SUMMARY, 0.01, false],
  ['errors <= 1%', SUMMARY, 0.01, true],
  ['errors < 1.5 %', SUMMARY, 0.01, true],
  ['errors == 0', SUMMARY, 10, false],
  ['errors < 11', SUMMARY, 10, true],
  ['requests >= 990', SUMMARY, 990, true],
  ['requestRate > 1000', SUMMARY, 1000, false],
  ['requestRate >= 1000/s', SUMMARY, 1000, true],
  ['requestRate > 60/m', SUMMARY, 1000, true],
  ['transferRate > 10MiB/s', SUMMARY, 20_971_520, true],
  ['transferRate > 160 Mbit/s', SUMMARY, 20_971_520, true],
  ['transferRate > 170Mbit/s', SUMMARY, 20_971_520, false],
  ['bodyRate > 1MiB/s', SUMMARY, 1_048_576, false],
  ['sentRate >= 5MiB/s', SUMMARY, 5_242_880, true],
  ['bandwidth == 25MiB/s', SUMMARY, 26_214_400, true],
  ['dropped == 0', SUMMARY, 3, false],
  ['dropped == 0', { ...SUMMARY, dropped: 0 }, 0, true],
  ['dropped == 0', { ...NOTHING, dropped: 5 }, 5, false],
  ['errors < 1%', ALL_FAILED, 1, false],
  ['errors == 0', ALL_FAILED, 7, false],
  ['requestRate > 0', ALL_FAILED, 0, false],
  ['p(99) < 200ms', ALL_FAILED, undefined, false],
  ['max < 200ms', ALL_FAILED, undefined, false],
];

const REFUSED: [expression: string, column: number, problem: string][] = [
  ['', 1, 'expected a metric, a comparison and a value, such as "p(99) < 200ms"'],
  ['< 5', 1, 'expected a metric'],
  ['  p99 < 1s', 3, '"p99" is not a metric; did you mean "p(99)"?'],
  ['p99.9 < 1s', 1, '"p99.9" is not a metric; did you mean "p(99.9)"?'],
  ['p[95] < 1s', 1, '"p[95]" is not a metric; did you mean "p(95)"?'],
  ['p(0) < 1s', 1, '"p(0)" is no quantile; expected more than 0 and at most 100'],
  ['p(101) < 1s', 1, '"p(101)" is no quantile'],
  ['p() < 1s', 1, '"p()" is not a metric'],
  ['avg < 1s', 1, '"avg" is not a metric; did you mean "mean"?'],
  ['reqestRate > 1', 1, '"reqestRate" is not a metric; did you mean "requestRate"?'],
  ['throughput > 1', 1, '"throughput" is not a metric; expected requestRate'],
  ['constructor > 1', 1, '"constructor" is not a metric'],
  ['p(99)', 6, 'expected one of < <= > >= == != here'],
  ['p(99) = 1s', 7, 'expected one of < <= > >= == != here; did you mean "=="?'],
  ['p(99) => 1s', 7, 'expected one of < <= > >= == != here; did you mean ">="?'],
  ['p(99) <', 8, 'the value is missing; expected a duration such as 200ms or 1.5s'],
  ['p(99) < 200', 9, '"200" is not a value of p(99); expected a duration'],
  ['p(99) < 200ms and errors < 1%', 9, '"200ms and errors < 1%" is not a value of p(99)'],
  ['errors < 101%', 10, '"101%" is not a value of errors; expected a share such as 1%'],
  ['errors < 0.01', 10, '"0.01" is not a value of errors'],
  ['requests > -1', 12, '"-1" is not a value of requests; expected a number of requests'],
  ['requestRate > 10ms', 15, '"10ms" is not a value of requestRate; expected a rate such as 1000'],
  ['transferRate > 10', 16, '"10" is not a value of transferRate; expected bytes or bits a second'],
  ['transferRate > 10MiB', 16, '"10MiB" is not a value of transferRate'],
];

describe('thresholds', () => {
  for (const [expression, summary, value, passed] of JUDGED) {
    test(`${expression}: ${value === undefined ? 'no data' : value} ${passed ? 'passes' : 'fails'}`, () => {
      const judgement = evaluateThreshold(parseThreshold(expression), summary);
      assert.deepEqual(judgement, value === undefined ? { passed } : { value, passed });
    });
  }

  test('no data is never a pass, whatever is asked', () => {
    const metrics = ['p(99) <= 1h', 'p(99) >= 0s', 'min >= 0s', 'mean >= 0s', 'stdev >= 0s', 'max >= 0s'];
    const counts = ['errors <= 100%', 'errors == 0', 'errors != 5', 'requests >= 0', 'requestRate >= 0'];
    for (const expression of [...metrics, ...counts, 'transferRate >= 0B/s', 'dropped == 0']) {
      assert.deepEqual(evaluateThreshold(parseThreshold(expression), NOTHING), { passed: false }, expression);
    }
    const { dropped: _, ...unknownDrops } = SUMMARY;
    assert.deepEqual(evaluateThreshold(parseThreshold('dropped == 0'), unknownDrops), { passed: false });
    const emptyHistogram = { ...SUMMARY, quantile: () => undefined };
    assert.deepEqual(evaluateThreshold(parseThreshold('p(99) != 1s'), emptyHistogram), { passed: false });
  });

  for (const [expression, column, problem] of REFUSED) {
    test(`${JSON.stringify(expression)} is refused at character ${column}`, () => {
      const read = readThreshold(expression);
      assert.ok('problem' in read);
      assert.equal(read.column, column);
      assert.ok(read.problem.startsWith(problem), read.problem);
    });
  }

  test('parseThreshold says what and where', () => {
    assert.throws(
      () => parseThreshold('p99 < 1s'),
      (error) => {
        assert.ok(error instanceof BroadsideError);
        assert.equal(error.code, 'SCENARIO_INVALID');
        assert.match(
          error.message,
          /^threshold "p99 < 1s" does not parse at character 1: .* did you mean "p\(99\)"\?$/,
        );
        return true;
      },
    );
  });
});
