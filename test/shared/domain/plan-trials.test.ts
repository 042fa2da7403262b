import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { estimateTrialUs, planTrials } from '../../../shared/domain/plan-trials.ts';
import type { TrialPlan } from '../../../shared/domain/run.ts';
import { parseScenario } from '../../../shared/domain/scenario-source.ts';
import { cellLabel } from '../../../shared/domain/sweep.ts';
import { validateScenario } from '../../../shared/domain/validate-scenario.ts';
import { FULL_SCENARIO, LEAST_SCENARIO } from './scenario-text.ts';

const plan = (text: string) => planTrials(parseScenario(text, 'demo.yaml'));
const LOAD = { executor: 'constant-connections', requests: 10 };
const planOf = (scenario: object): TrialPlan =>
  planTrials(validateScenario({ targets: { web: 'http://h:80' }, load: LOAD, ...scenario }, 'test'))[0]!;

describe('planTrials', () => {
  test('all cells of round 1, then all of round 2 from the last to the first, and so on: interleaved', () => {
    const trials = plan(FULL_SCENARIO);
    assert.equal(trials.length, 60);
    trials.forEach((trial, i) => {
      assert.equal(trial.index, i);
      assert.equal(trial.round, Math.floor(i / 12) + 1);
      const place = trial.round % 2 === 1 ? i % 12 : 11 - (i % 12);
      assert.deepEqual(trial.cell, trials[place]!.cell);
    });
    assert.equal(new Set(trials.slice(0, 12).map(({ cell }) => cellLabel(cell))).size, 12);
  });

  test('a cell chooses the target, the path and the connections', () => {
    assert.deepEqual(plan(FULL_SCENARIO)[9], {
      index: 9,
      round: 1,
      cell: { target: 'nio', size: '64KiB', connections: 40 },
      target: { name: 'nio', url: 'http://10.0.0.5:8081' },
      engine: 'http',
      requests: [
        {
          name: 'request',
          weight: 1,
          method: 'GET',
          url: 'http://10.0.0.5:8081/64KiB.bin',
          headers: [],
          timeoutUs: 10_000_000,
          connectTimeoutUs: 5_000_000,
          expect: { status: [200] },
        },
      ],
      load: { executor: 'constant-connections', connections: 40, durationUs: 30_000_000, keepAlive: true },
      warmupUs: 5_000_000,
    });
  });

  test('an open loop, with its defaults', () => {
    const load = { executor: 'constant-arrival-rate', rate: '1500/s', duration: '10s' };
    assert.deepEqual(planOf({ load }).load, {
      executor: 'constant-arrival-rate',
      rate: 1500,
      durationUs: 10_000_000,
      maxConnections: 1000,
      maxWaitUs: 1_000_000,
      keepAlive: true,
      stripe: { offset: 0, stride: 1 },
    });
  });

  test('axes reach headers, body, timeout, expectation and load', () => {
    const trial = planOf({
      sweep: { n: [3], wait: ['2s'], status: [404], keep: [false], rate: ['90/m'] },
      request: {
        headers: { 'X-N': '${n}', Range: ['a${n}', '$${n}'] },
        body: '{"n": ${n}, "js": "`$${n}`"}',
        timeout: '${wait}',
        expect: { status: '${status}', length: '${n}B' },
      },
      load: { executor: 'constant-arrival-rate', rate: '${rate}', duration: '${wait}', keepAlive: '${keep}' },
    });
    assert.deepEqual(trial.requests[0]!.headers, [
      ['X-N', '3'],
      ['Range', 'a3'],
      ['Range', '${n}'],
    ]);
    assert.equal(
      Buffer.from(trial.requests[0]!.bodyBase64!, 'base64').toString(),
      '{"n": 3, "js": "`${n}`"}',
    );
    assert.equal(trial.requests[0]!.timeoutUs, 2_000_000);
    assert.deepEqual(trial.requests[0]!.expect, { status: [404], length: 3 });
    const { load } = trial;
    assert.ok(load.executor === 'constant-arrival-rate');
    assert.deepEqual([load.keepAlive, load.rate], [false, 1.5]);
  });

  const URLS: [base: string, path: string | undefined, url: string, sentence: string][] = [
    ['http://h', undefined, 'http://h/', 'no path at all'],
    ['http://h/', '/x', 'http://h/x', 'one slash between'],
    ['http://h/app', '/x', 'http://h/app/x', 'a base path stays'],
    ['http://h/app/', '/x', 'http://h/app/x', 'without its slash'],
    ['http://h/app/', undefined, 'http://h/app/', 'but as written when there is no path'],
    ['http://h:80', '/x?a=b&c', 'http://h/x?a=b&c', 'the default port goes, the query stays'],
    ['HTTP://H', '/A', 'http://h/A', 'hosts have no case, paths do'],
    ['https://h:8443', '/', 'https://h:8443/', 'https'],
    ['http://[::1]:8080', '/', 'http://[::1]:8080/', 'IPv6'],
    ['http://h', '/a/../b//c', 'http://h/a/../b//c', 'paths are sent as they are written'],
    ['http://h', '/größe', 'http://h/gr%C3%B6%C3%9Fe', 'but for what cannot be sent'],
  ];
  for (const [base, path, url, sentence] of URLS) {
    test(`${base} + ${path} → ${url}: ${sentence}`, () => {
      const request = path === undefined ? {} : { path };
      assert.equal(planOf({ targets: { web: base }, request }).requests[0]!.url, url);
    });
  }

  test('userinfo becomes a header and leaves the URLs, unless there is such a header', () => {
    const targets = { web: 'http://me:p%40ss@h/app' };
    const { requests, target } = planOf({ targets });
    const request = requests[0]!;
    assert.equal(target.url, 'http://h/app');
    assert.equal(request.url, 'http://h/app');
    assert.deepEqual(request.headers, [
      ['Authorization', `Basic ${Buffer.from('me:p@ss').toString('base64')}`],
    ]);
    const own = planOf({ targets, request: { headers: { authorization: 'Bearer x' } } });
    assert.deepEqual(own.requests[0]!.headers, [['authorization', 'Bearer x']]);
  });

  test('a body makes a POST of what has no method', () => {
    assert.equal(planOf({ request: { body: '' } }).requests[0]!.method, 'POST');
    assert.equal(planOf({ request: { body: '', method: 'PUT' } }).requests[0]!.method, 'PUT');
    assert.equal(planOf({}).requests[0]!.method, 'GET');
  });

  test('ten thousand cells with a large body: soon checked, and the body held once', () => {
    const values = Array.from({ length: 10_000 }, (_, i) => i + 1);
    const body = 'x'.repeat(500_000);
    const before = performance.now();
    const scenario = validateScenario(
      {
        targets: { web: 'http://h' },
        sweep: { connections: values },
        request: { body },
        load: { executor: 'constant-connections', connections: '${connections}', requests: 1 },
      },
      'test',
    );
    const trials = planTrials(scenario);
    assert.equal(trials.length, 10_000);
    assert.ok(performance.now() - before < 5000);
  });

  test('estimates: warm-up and duration, none where only requests end it', () => {
    assert.equal(estimateTrialUs(plan(FULL_SCENARIO)[0]!), 35_000_000);
    assert.equal(estimateTrialUs(plan(LEAST_SCENARIO)[0]!), undefined);
  });
});
