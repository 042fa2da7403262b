import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LiveThresholds } from '../../coordinator/live-thresholds.ts';
import type { ScriptThreshold } from '../../shared/domain/k6-plan.ts';
import type { Interval } from '../../shared/metrics/interval.ts';
import type { ScriptInterval } from '../../shared/metrics/script-interval.ts';
import { intervalOf } from '../support/intervals.ts';
import { scriptOf, times } from '../support/scripts.ts';

const threshold = (
  metric: string,
  expression: string,
  more: Partial<ScriptThreshold> = {},
): ScriptThreshold => ({
  metric,
  expression,
  abortOnFail: true,
  delayAbortEvalUs: 0,
  ...more,
});

/** A second of a script in which each of so many requests took so long, ms. */
function second(second: number, ms: number, count = 10, more: Partial<ScriptInterval> = {}): Interval {
  const durations = Array.from({ length: count }, () => ms);
  const script = scriptOf(times('http_req_duration', durations), { iterations: count, ...more });
  return { ...intervalOf(second, []), script };
}

/** @param rounds what each shard sends, one round a second; @returns what was crossed, and in which second */
function play(live: LiveThresholds, rounds: Interval[][]): string | undefined {
  for (const [seq, intervals] of rounds.entries()) {
    for (const [shard, interval] of intervals.entries()) {
      const crossed = live.add({ shard: `s${shard}`, seq, interval }, intervals.length);
      if (crossed !== undefined) return `${crossed} in second ${interval.second}`;
    }
  }
  return undefined;
}

function scripted(...thresholds: ScriptThreshold[]): LiveThresholds {
  const live = new LiveThresholds([], []);
  assert.equal(live.takeScript(thresholds), undefined);
  return live;
}

describe("a script's thresholds with abortOnFail", () => {
  test('what each process alone would keep is crossed by all together', () => {
    // The median of either is below 150; that of both, where one has three of four requests, is not.
    const rounds = [[second(0, 100, 10), second(0, 200, 30)]];
    const live = scripted(threshold('http_req_duration', 'med<150'));
    assert.equal(play(live, rounds), 'http_req_duration: med<150 in second 0');
    const count = scripted(threshold('http_reqs', 'count<1'), threshold('iterations', 'count<35'));
    const counted = rounds.map((row) =>
      row.map((interval) => {
        const { iterations } = interval.script!;
        const metrics = { iterations: { type: 'counter', contains: 'default', sum: iterations } } as const;
        return { ...interval, script: { ...interval.script!, metrics } };
      }),
    );
    assert.equal(play(count, counted), 'iterations: count<35 in second 0');
  });

  test('a second counts when it is in from everybody', () => {
    const live = scripted(threshold('http_req_duration', 'max<100'));
    assert.equal(live.add({ shard: 'a', seq: 0, interval: second(0, 500) }, 2), undefined);
    assert.equal(live.add({ shard: 'b', seq: 0, interval: second(0, 1) }, 2), 'http_req_duration: max<100');
  });

  test('not before delayAbortEval has passed', () => {
    const live = scripted(threshold('http_req_duration', 'max<100', { delayAbortEvalUs: 2e6 }));
    const rounds = [0, 1, 2, 3].map((at) => [second(at, 500)]);
    assert.equal(play(live, rounds), 'http_req_duration: max<100 in second 2');
  });

  const kept: [sentence: string, thresholds: ScriptThreshold[], rounds: Interval[][]][] = [
    [
      'one without abortOnFail ends nothing',
      [threshold('http_req_duration', 'max<1', { abortOnFail: false })],
      [[second(0, 5)]],
    ],
    [
      'what has no value yet is not judged',
      [threshold('never', 'avg<1'), threshold('checks', 'rate>0.9')],
      [[second(0, 5)]],
    ],
    [
      'a script that has only thrown so far has no value',
      [threshold('http_req_duration', 'max<1')],
      [[second(0, 5, 10, { thrownIterations: 10 })]],
    ],
    [
      'one that holds goes on',
      [threshold('http_req_duration', 'p(95)<500')],
      [[second(0, 5)], [second(1, 5)]],
    ],
  ];
  for (const [sentence, thresholds, rounds] of kept)
    test(sentence, () => assert.equal(play(scripted(...thresholds), rounds), undefined));

  test('one that is none is said, for k6 is not asked', () => {
    const live = new LiveThresholds([], []);
    const problem = live.takeScript([threshold('checks', 'rate >')]);
    assert.match(
      problem ?? '',
      /the script's threshold "rate >" on checks does not parse: expected an aggregation/,
    );
  });
});

test("the scenario's thresholds on script metrics abort too", () => {
  const spec = { that: 'http_req_duration p(90) < 50ms', abort: true, afterUs: 0 };
  const live = new LiveThresholds([spec], []);
  assert.equal(play(live, [[second(0, 10)], [second(1, 90, 40)]]), `${spec.that} in second 1`);
});
