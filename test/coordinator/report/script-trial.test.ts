import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JournalRecord } from '../../../coordinator/journal-records.ts';
import { compareRuns } from '../../../coordinator/report/compare/model.ts';
import { exitCodeOfReport } from '../../../coordinator/report/exit-code.ts';
import { buildReport } from '../../../coordinator/report/model.ts';
import { judgeScript, type ScriptCounts } from '../../../coordinator/report/script-trial.ts';
import { intervalOf } from '../../support/intervals.ts';
import { scriptOf, times } from '../../support/scripts.ts';
import { runEnded, runRecord, START_US } from './journal-fixture.ts';
import { FACTS, mixedRun, scriptPlan, scriptRun } from './script-fixture.ts';

describe('whether a trial of a script counts', () => {
  const counts = (more: Partial<ScriptCounts>): ScriptCounts => ({
    completed: 0,
    errors: {},
    iterations: 10,
    thrownIterations: 0,
    ...more,
  });
  const rows: [sentence: string, counts: ScriptCounts, dnf?: RegExp][] = [
    ['requests completed', counts({ completed: 10 })],
    ['a script without HTTP: iterations are enough', counts({})],
    ['replies with a status that was not expected are replies', counts({ errors: { status: 10 } })],
    [
      'some requests failed, and their iterations threw',
      counts({ completed: 9, errors: { reset: 1 }, thrownIterations: 1 }),
    ],
    ['all iterations threw, but there were replies', counts({ completed: 10, thrownIterations: 10 })],
    [
      'all iterations threw, and nothing was requested',
      counts({ thrownIterations: 10 }),
      /^all 10 iterations of the script threw an exception$/,
    ],
    ['no iteration', counts({ iterations: 0 }), /^the script completed no iteration$/],
    [
      'no request had a reply',
      counts({ errors: { 'connect-refused': 10 } }),
      /^no request completed, 10 failed$/,
    ],
    [
      'more than half had none',
      counts({ completed: 4, errors: { reset: 6 } }),
      /^60\.0 % of the requests failed \(6 of 10\)$/,
    ],
  ];
  for (const [sentence, one, dnf] of rows) {
    test(sentence, () => {
      const judged = judgeScript(one, [], { errorRatio: 0.5 });
      if (dnf === undefined) return assert.equal(judged.state, 'completed');
      assert.match(judged.state === 'dnf' ? judged.reason : '', dnf);
    });
  }
});

test('a script that throws everywhere passes nothing, whatever its thresholds are', async () => {
  const plan = scriptPlan(0);
  const script = scriptOf(times('iteration_duration', [1, 1]), { iterations: 2, thrownIterations: 2 });
  const thresholds = [
    { metric: 'iterations', expression: 'count>=0', abortOnFail: false, delayAbortEvalUs: 0 },
    { metric: 'iteration_duration', expression: 'avg<100', abortOnFail: false, delayAbortEvalUs: 0 },
  ];
  const totals = { started: 0, completed: 0, failed: 0, dropped: 0, inFlight: 0 };
  const shard = 'r1/0/0';
  const records: JournalRecord[] = [
    runRecord([plan]),
    { type: 'script', trial: 0, facts: { ...FACTS, thresholds } },
    { type: 'trial-started', trial: 0, startUs: START_US, shards: [] },
    { type: 'interval', trial: 0, shard, seq: 0, interval: { ...intervalOf(0, []), script } },
    {
      type: 'shard-done',
      trial: 0,
      shard,
      intervals: 1,
      totals,
      endUs: 1e6,
      cpuSeconds: 0,
      residentBytes: 0,
    },
    { type: 'trial-ended', trial: 0, state: 'completed' },
    runEnded(),
  ];
  const report = await buildReport(records);
  assert.equal(report.trials[0]!.dnf?.reason, 'all 2 iterations of the script threw an exception');
  assert.deepEqual(
    report.thresholds.map(({ passed, value }) => [passed, value]),
    [
      [false, undefined],
      [false, undefined],
    ],
  );
  assert.equal(exitCodeOfReport(report), 3);
});

test('a threshold of the script that is crossed makes the exit code 99', async () => {
  const report = await buildReport(scriptRun());
  assert.equal(exitCodeOfReport(report), 99);
  assert.deepEqual(
    report.thresholds.map(({ expression, passed }) => [expression, passed]),
    [
      ['http_req_duration: p(95)<30', true],
      ['http_req_duration{name:login}: med < 20', true],
      ['checks: rate>0.99', false],
      ['never: count<1', true],
      ['unheard: avg<1', false],
    ],
  );
});

test('k6 does not tell of bodies: what asks for them gets nothing, and not a 0', async () => {
  const [trial] = (await buildReport(scriptRun())).trials;
  assert.deepEqual(Object.keys(trial!.summary.bytes), ['received', 'sent']);
  assert.deepEqual(Object.keys(trial!.summary.transferRate), ['received', 'sent']);
});

test("where a sweep has both engines, thresholds on scripts' metrics are about its scripts", async () => {
  const { thresholds, cells } = await buildReport(mixedRun());
  const of = (that: string) =>
    thresholds.filter(({ expression }) => expression === that).map(({ cell }) => cell?.engine);
  assert.deepEqual(of('checks > 99%'), ['k6', 'k6']);
  assert.deepEqual(of('errors < 5%'), ['http', 'k6', 'http', 'k6']);
  assert.deepEqual(
    cells.map(({ cell, iterationRate, bodyRate }) => [
      cell.engine,
      iterationRate?.median,
      bodyRate !== undefined,
    ]),
    [
      ['http', undefined, true],
      ['k6', 20, false],
    ],
  );
});

test('runs are compared by what scripts measured, and cells without a script are left out of that', async () => {
  const [a, b] = [await buildReport(mixedRun()), await buildReport(mixedRun())];
  b.run.id = 'r2';
  const { cells } = compareRuns(a, b, ['iterationRate', 'http_req_duration p(95)']);
  assert.deepEqual(
    cells.map(({ cell, metrics }) => [
      cell.engine,
      ...metrics.map((one) => one.comparison?.ratio ?? one.reason),
    ]),
    [
      ['http', 'nothing was measured', 'nothing was measured'],
      ['k6', 1, 1],
    ],
  );
});
