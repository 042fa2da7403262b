import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalMetricName, readScriptMetricName } from '../../../shared/domain/script-metric.ts';
import { holds, readScriptExpression, SCRIPT_COMPARISONS } from '../../../shared/domain/script-threshold.ts';

describe("k6's threshold language", () => {
  const rows: [text: string, expected: [string, string, number] | RegExp][] = [
    ['p(95)<500', ['p(95)', '<', 500]],
    ['p(99.9) <= 1000.5', ['p(99.9)', '<=', 1000.5]],
    ['  rate>0.99 ', ['rate', '>', 0.99]],
    ['count>=1e3', ['count', '>=', 1000]],
    ['value===3', ['value', '===', 3]],
    ['avg == .5', ['avg', '==', 0.5]],
    ['med!=0', ['med', '!=', 0]],
    ['min!==-1', ['min', '!==', -1]],
    ['max < +2', ['max', '<', 2]],
    ['p(101)<5', /"p\(101\)" is none of avg, min, med, max, count, rate, value or p\(95\)/],
    ['mean<5', /"mean" is none of/],
    ['p(95)', /expected an aggregation, a comparison and a number/],
    ['p(95)<500ms', /"500ms" is no number/],
    ['p(95) => 5', /expected an aggregation/],
    ['', /expected an aggregation/],
  ];
  for (const [text, expected] of rows) {
    test(JSON.stringify(text), () => {
      const read = readScriptExpression(text);
      if (expected instanceof RegExp) return assert.match('problem' in read ? read.problem : '', expected);
      assert.ok(!('problem' in read));
      const { aggregation, comparison, limit } = read;
      const method = aggregation.method === 'p' ? `p(${aggregation.percent})` : aggregation.method;
      assert.deepEqual([method, comparison, limit], expected);
    });
  }

  test('each comparison holds for what it says, below, at and above the limit', () => {
    const held = SCRIPT_COMPARISONS.map((comparison) => [
      comparison,
      [1, 2, 3].map((value) => holds(value, comparison, 2)),
    ]);
    assert.deepEqual(Object.fromEntries(held), {
      '<': [true, false, false],
      '<=': [true, true, false],
      '>': [false, false, true],
      '>=': [false, true, true],
      '==': [false, true, false],
      '===': [false, true, false],
      '!=': [true, false, true],
      '!==': [true, false, true],
    });
  });
});

describe('names of metrics', () => {
  const rows: [name: string, expected: string | undefined][] = [
    ['http_req_duration', 'http_req_duration'],
    ['http_req_duration{name:login}', 'http_req_duration{name:login}'],
    ['m{ b:2 , a:"1" }', 'm{a:1,b:2}'],
    ['group_duration{group:::login}', 'group_duration{group:::login}'],
    ['m{url:http://a/b}', 'm{url:http://a/b}'],
    ['m{', undefined],
    ['m{a}', undefined],
    ['{a:1}', undefined],
  ];
  for (const [name, expected] of rows) {
    test(`${name} is ${expected ?? 'none'}`, () => {
      assert.equal(
        readScriptMetricName(name) === undefined ? undefined : canonicalMetricName(name),
        expected,
      );
    });
  }
});
