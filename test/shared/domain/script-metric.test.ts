import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readMetric } from '../../../shared/domain/metric-name.ts';
import { type Aggregation, aggregationText, scriptUnit } from '../../../shared/domain/script-metric.ts';
import { readThreshold } from '../../../shared/domain/threshold-expression.ts';

describe("a scenario's thresholds on metrics of scripts", () => {
  const rows: [expression: string, expected: [metric: string, comparison: string, value: number]][] = [
    ['checks > 99%', ['checks rate', '>', 0.99]],
    ['checks >= 0.5', ['checks rate', '>=', 0.5]],
    ['iterations > 1000', ['iterations count', '>', 1000]],
    ['iterationRate >= 300', ['iterations rate', '>=', 300]],
    ['http_req_duration p(95) < 500', ['http_req_duration p(95)', '<', 500]],
    ['http_req_duration p(95) < 0.5s', ['http_req_duration p(95)', '<', 500]],
    ['http_req_duration{name:login} p(99.9)<500ms', ['http_req_duration{name:login} p(99.9)', '<', 500]],
    ['http_req_failed rate < 1%', ['http_req_failed rate', '<', 0.01]],
    ['errors rate == 0', ['errors rate', '==', 0]],
    ['my_level value != -3', ['my_level value', '!=', -3]],
    ['data_received count > 1000', ['data_received count', '>', 1000]],
    ['vus max <= 50', ['vus max', '<=', 50]],
  ];
  for (const [expression, expected] of rows) {
    test(expression, () => {
      const read = readThreshold(expression);
      assert.ok(!('problem' in read), JSON.stringify(read));
      const { metric, comparison, value } = read;
      assert.ok(metric.name === 'script');
      assert.deepEqual(
        [`${metric.metric} ${aggregationText(metric.aggregation)}`, comparison, value],
        expected,
      );
    });
  }

  const refused: [expression: string, column: number, problem: RegExp][] = [
    [
      'http_req_duration{name:login} < 5',
      1,
      /say which of the values of http_req_duration\{name:login\}; expected avg, min,/,
    ],
    ['http_req_duration p(101) < 5', 1, /"p\(101\)" is no value of a metric; expected avg, min,/],
    ['http_req_duration mean < 5', 1, /"mean" is no value of a metric/],
    ['m{name} count > 5', 1, /"m\{name\}" is not a metric with tags/],
    ['checks > 101%', 10, /"101%" is not a value of checks; expected a number such as 1000, a share/],
    ['iterationRate > 5%', 17, /"5%" is not a value of iterationRate/],
    ['http_req_failed rate < 5ms', 24, /"5ms" is not a value of http_req_failed rate/],
    ['data_sent count > 5s', 19, /"5s" is not a value of data_sent count/],
    ['http_reqs > 5', 1, /did you mean "requests"\?/],
  ];
  for (const [expression, column, problem] of refused) {
    test(`${expression} is refused at character ${column}`, () => {
      const read = readThreshold(expression);
      assert.ok('problem' in read, expression);
      assert.equal(read.column, column);
      assert.match(read.problem, problem);
    });
  }
});

test('tables and comparisons name script metrics in the same words', () => {
  for (const name of ['iterationRate', 'checks', 'my_trend p(95)', 'http_req_duration{name:a} avg'])
    assert.equal((readMetric(name) as { name: string }).name, 'script', name);
  for (const name of ['my_trend', 'p(99', 'a b c', 'requestRate rate count'])
    assert.ok('problem' in readMetric(name), name);
});

describe('what a value is when it is shown', () => {
  const avg: Aggregation = { method: 'avg' };
  const rows: [
    metric: string,
    aggregation: Aggregation,
    unit: string,
    kind?: Parameters<typeof scriptUnit>[2],
  ][] = [
    ['http_req_duration', { method: 'p', percent: 95 }, 'time'],
    ['http_req_duration{name:a}', avg, 'time'],
    ['iteration_duration', avg, 'time'],
    ['http_req_failed', { method: 'rate' }, 'share'],
    ['checks', { method: 'rate' }, 'share'],
    ['http_reqs', { method: 'rate' }, 'perSecond'],
    ['data_sent', { method: 'count' }, 'data'],
    ['iterations', { method: 'count' }, 'plain'],
    ['my_trend', avg, 'plain'],
    ['my_trend', avg, 'time', { type: 'trend', contains: 'time' }],
    ['my_trend', { method: 'count' }, 'plain', { type: 'trend', contains: 'time' }],
    ['mine', { method: 'rate' }, 'plain'],
    ['mine', { method: 'rate' }, 'share', { type: 'rate', contains: 'default' }],
    ['mine', { method: 'rate' }, 'perSecond', { type: 'counter', contains: 'default' }],
  ];
  for (const [metric, aggregation, unit, kind] of rows) {
    test(`${metric} ${aggregationText(aggregation)}${kind === undefined ? '' : ` of a ${kind.type}`}: ${unit}`, () =>
      assert.equal(scriptUnit(metric, aggregation, kind), unit));
  }
});
