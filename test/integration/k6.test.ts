/** Scripts over a fleet of real k6 processes; skipped, with the reason, where there is no k6 binary. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Report, ReportTrial } from '../../coordinator/report/schema.ts';
import type { MetricSummary } from '../../shared/metrics/script-summary.ts';
import type { CliResult } from '../support/cli.ts';
import { WITHOUT_K6 } from '../support/k6.ts';
import { type K6Lab, startK6Lab } from '../support/k6-lab.ts';
import { reportOf } from '../support/lab.ts';
import { isRunning } from '../support/processes.ts';
import { Scope } from '../support/scope.ts';

/** Of trends and of the latency: see value-histogram.ts and histogram.ts. */
const TREND_ERROR = 0.0005;

let scope: Scope;
let lab: K6Lab;
let target: { url: string; paths: Record<string, number> };

/** Counts requests by path. */
async function startTarget(): Promise<typeof target> {
  const paths: Record<string, number> = {};
  const server = http.createServer((request, response) => {
    paths[request.url!] = (paths[request.url!] ?? 0) + 1;
    response.end('x'.repeat(25));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

const SCRIPT = (scenario: object, thresholds: object = {}): string => `
import http from 'k6/http';
import { check } from 'k6';
import { Trend } from 'k6/metrics';
const mine = new Trend('mine', true);
export const options = {
  scenarios: { main: ${JSON.stringify(scenario)} },
  thresholds: ${JSON.stringify(thresholds)},
};
export function setup() {
  return { token: http.get(__ENV.TARGET_URL + '/setup').body.length, at: Date.now() };
}
export default function (data) {
  const reply = http.get(__ENV.TARGET_URL + '/page', { tags: { name: 'page, of ' + data.token, kind: 'load' } });
  check(reply, { 'status is 200': (r) => r.status === 200 });
  mine.add(reply.timings.duration * 2);
}
export function teardown(data) {
  http.get(__ENV.TARGET_URL + '/teardown/' + data.token);
}
`;

/** Each iteration asks for its own number in the whole test. */
const ARRIVALS = (scenario: object): string => `
import http from 'k6/http';
import exec from 'k6/execution';
export const options = { scenarios: { main: ${JSON.stringify(scenario)} } };
export default function () {
  http.get(__ENV.TARGET_URL + '/' + exec.scenario.iterationInTest, { tags: { name: 'page' } });
}
`;

async function run(
  name: string,
  script: string,
  workers: number,
  more: readonly string[] = [],
): Promise<CliResult> {
  const keys = `targets: { web: "${target.url}" }\n`;
  const file = await lab.scenario(name, script, keys);
  for (const path of Object.keys(target.paths)) delete target.paths[path];
  await lab.forget();
  return lab.run([file, '--workers', String(workers), '--format', 'json', ...more]);
}

function trialOf(result: CliResult): ReportTrial {
  const report: Report = reportOf(result);
  return report.trials[0]!;
}

/** By linear interpolation, as k6 does. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)]!;
  return low + (sorted[Math.ceil(place)]! - low) * (place - Math.floor(place));
}

async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 15_000,
): Promise<void> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(20)) if (await holds()) return;
  assert.fail(`${what}: not within ${withinMs / 1_000} s`);
}

describe('k6', { skip: WITHOUT_K6 }, () => {
  before(async () => {
    scope = new Scope();
    target = await startTarget();
    lab = await startK6Lab(scope, ['w1', 'w2', 'w3']);
  });
  after(() => scope?.close());

  for (const workers of [1, 2, 3]) {
    test(`shared-iterations over ${workers} workers: exactly 1000, one setup, one teardown, one start, one set of quantiles`, async () => {
      const script = SCRIPT(
        { executor: 'shared-iterations', vus: 10, iterations: 1_000 },
        { http_req_duration: ['p(95)<60000'], 'http_req_duration{kind:load}': ['max<60000'] },
      );
      const result = await run('shared', script, workers);
      const trial = trialOf(result);
      assert.equal(result.code, 0, result.stderr);
      const { script: counted, bytes, requests } = trial.summary;
      assert.equal(counted?.iterations, 1_000);
      assert.equal(counted?.vus.allocated, 10);
      assert.deepEqual(
        counted?.checks.map(({ name, passes, fails }) => [name, passes, fails]),
        [['status is 200', 1_000, 0]],
      );
      assert.deepEqual(target.paths, { '/setup': 1, '/page': 1_000, '/teardown/25': 1 });
      assert.equal(requests, 1_002);
      assert.deepEqual(trial.ledger.problems, []);
      assert.equal(trial.ledger.started, 1_002);
      // On a busy machine samples may be read late, which is said; what k6 counted must not differ.
      const warnings = trial.workers.flatMap(({ warnings: told = [] }) => told);
      assert.deepEqual(
        warnings.filter((warning) => !warning.startsWith('samples of k6 waited')),
        [],
      );
      if (workers > 1)
        assert.ok(
          trial.start.firstRequestSpreadUs! < 50_000,
          `first requests within ${trial.start.firstRequestSpreadUs} µs`,
        );

      const raw = await lab.rawSamples();
      const of = (metric: string): number[] =>
        raw.filter((sample) => sample.metric === metric).map(({ value }) => value);
      const sum = (metric: string): number => of(metric).reduce((total, value) => total + value, 0);
      assert.equal(requests, sum('http_reqs'));
      assert.equal(bytes.received, sum('data_received'));
      assert.equal(bytes.sent, sum('data_sent'));
      for (const metric of ['http_req_duration', 'http_req_waiting', 'iteration_duration', 'mine']) {
        const trend: MetricSummary | undefined = counted!.metrics[metric];
        assert.ok(trend?.type === 'trend', metric);
        const values = of(metric);
        assert.equal(trend.count, values.length, metric);
        assert.equal(trend.error, TREND_ERROR);
        for (const [share, merged] of [
          [0.95, trend.p95],
          [0.99, trend.p99],
        ] as const) {
          const truth = quantile(values, share);
          assert.ok(
            Math.abs(merged - truth) <= truth * TREND_ERROR * 1.000_001,
            `${metric} p${share}: ${merged} for ${truth}`,
          );
        }
      }
      assert.equal(reportOf(result).thresholds.length, 2);
      assert.ok(reportOf(result).thresholds.every(({ passed }) => passed));
    });
  }

  test('per-vu-iterations over 3 workers: each VU its own, in total as many as alone', async () => {
    const result = await run('per-vu', SCRIPT({ executor: 'per-vu-iterations', vus: 10, iterations: 7 }), 3);
    const { workers, summary } = trialOf(result);
    assert.equal(result.code, 0, result.stderr);
    assert.equal(summary.script?.iterations, 70);
    assert.deepEqual(workers.map(({ iterations }) => iterations).sort(), [21, 21, 28]);
  });

  for (const workers of [1, 2, 3]) {
    test(`constant-arrival-rate of 300/s for 3 s over ${workers} workers: its iterations, none twice and none left out`, async () => {
      const scenario = {
        executor: 'constant-arrival-rate',
        rate: 300,
        timeUnit: '1s',
        duration: '3s',
        preAllocatedVUs: 150,
      };
      const result = await run('arrivals', ARRIVALS(scenario), workers);
      assert.equal(result.code, 0, result.stderr);
      const { summary, ledger } = trialOf(result);
      const { iterations = 0, droppedIterations = 0 } = summary.script!;
      assert.deepEqual(ledger.problems, []);
      // The 901st is due when the time is over: whether it is begun is left to chance by one k6 process alone too.
      const due = iterations + droppedIterations;
      assert.ok(due === 900 || due === 901, `${iterations} iterations, and ${droppedIterations} dropped`);
      const numbers = Object.keys(target.paths).map((name) => Number(name.slice(1)));
      assert.equal(numbers.length, summary.requests);
      assert.equal(iterations, numbers.length, `of ${due} that were due, ${droppedIterations} dropped`);
      assert.ok(Object.values(target.paths).every((times) => times === 1));
      // A machine that is too busy drops some, also of one process; else no number is left out.
      if (droppedIterations === 0) assert.equal(Math.max(...numbers), numbers.length - 1);
    });
  }

  test('ramping-vus over 1, 2 and 3 workers: the VUs at the end of every second are those of one k6 process', async () => {
    // A VU every 0.7 s, and none within 140 ms of the end of a second.
    const stages = [{ duration: '5s', target: 7 }];
    const script = SCRIPT({ executor: 'ramping-vus', startVUs: 0, stages, gracefulStop: '1s' })
      .replace("import { check } from 'k6';", "import { check, sleep } from 'k6';")
      .replace('check(reply', 'sleep(0.05); check(reply');
    const seconds: number[][] = [];
    for (const workers of [1, 2, 3]) {
      const result = await run('ramp', script, workers);
      assert.equal(result.code, 0, result.stderr);
      const { summary, timeline } = trialOf(result);
      assert.equal(summary.script?.vus.allocated, 7);
      seconds.push(timeline.slice(0, 4).map(({ script: row }) => row!.vus));
    }
    // On a busy machine k6 may be late by one.
    const [alone] = seconds;
    for (const fleet of seconds.slice(1))
      fleet.forEach((vus, second) => {
        assert.ok(
          Math.abs(vus - alone![second]!) <= 1,
          `second ${second}: ${vus}, one process ${alone![second]}`,
        );
      });
  });

  test('a threshold of the script that every process alone would pass, and all together fail, is crossed: 99', async () => {
    const script = SCRIPT(
      { executor: 'shared-iterations', vus: 6, iterations: 300 },
      { iterations: ['count<250'] },
    );
    const result = await run('together', script, 3);
    assert.equal(result.code, 99, result.stderr);
    const [threshold] = reportOf(result).thresholds;
    assert.equal(threshold!.value, 300);
    assert.equal(threshold!.passed, false);
  });

  test('abortOnFail stops all workers within 3 s', async () => {
    const script = SCRIPT(
      { executor: 'constant-vus', vus: 6, duration: '60s' },
      { iterations: [{ threshold: 'count<100', abortOnFail: true }] },
    );
    const result = await run('abort', script, 3);
    assert.equal(result.code, 99, result.stderr);
    const trial = trialOf(result);
    assert.equal(trial.state, 'aborted');
    const raw = await lab.rawSamples();
    const ends = raw
      .filter(({ metric }) => metric === 'iterations')
      .map(({ timeUs }) => timeUs)
      .sort((a, b) => a - b);
    const crossedUs = ends[99]!;
    assert.ok(
      ends.at(-1)! - crossedUs < 3_000_000,
      `${(ends.at(-1)! - crossedUs) / 1e6} s after the hundredth iteration`,
    );
    assert.equal(target.paths['/teardown/25'], 1);
  });

  test('a script that throws everywhere is no data, and the first exception is shown once', async () => {
    const script = `export default function () { nowhere(); }\nexport const options = { vus: 2, iterations: 10, thresholds: { checks: ['rate>0.5'] } };`;
    const result = await run('throws', script, 2);
    assert.notEqual(result.code, 0);
    const trial = trialOf(result);
    assert.equal(trial.state, 'dnf');
    assert.match(trial.script!.firstError!.message, /nowhere is not defined.*throws\.js:1:/);
  });

  test('a k6 that is killed ends the run, which names it and what happened', async () => {
    const script = SCRIPT({ executor: 'constant-vus', vus: 4, duration: '60s' });
    const running = run('killed', script, 2);
    await until('load', () => (target.paths['/page'] ?? 0) > 20);
    const [first] = await lab.pids();
    process.kill(first!, 'SIGKILL');
    const result = await running;
    assert.equal(result.code, 3, result.stderr);
    assert.match(trialOf(result).dnf!.reason, /k6 was killed .* \(SIGKILL\)/);
    await until('no k6 is left', async () => !(await lab.pids()).some(isRunning), 5_000);
  });

  test('a script with an error never starts, and the error is told once, with file and line', async () => {
    const cases: [script: string, message: RegExp][] = [
      ['export default function () {\n  const = 1;\n}', /broken\.js.*\b2:\d+/],
      ["import './missing.js';\nexport default function () {}", /missing\.js/],
      ["throw new Error('no');\nexport default function () {}", /no\b[\s\S]*broken\.js:1:/],
    ];
    for (const [script, message] of cases) {
      const result = await run('broken', script, 3);
      assert.ok([2, 3].includes(result.code!), `exit ${result.code}\n${result.stderr}`);
      assert.match(result.stderr, message);
      assert.equal(result.tookMs < 15_000, true);
      assert.deepEqual(target.paths, {});
    }
  });

  test('setup() that fails ends the run with its words, and nothing is sent', async () => {
    const script = `export function setup() { throw new Error('no token'); }\nexport default function () {}`;
    const result = await run('setup-fails', script, 2);
    assert.equal(result.code, 3, result.stderr);
    assert.match(result.stderr, /setup\(\) failed: .*no token/);
  });

  test('a worker that is killed takes its k6 with it', async () => {
    const script = SCRIPT({ executor: 'constant-vus', vus: 4, duration: '60s' });
    const running = run('orphan', script, 3);
    await until('load', () => (target.paths['/page'] ?? 0) > 20);
    const pids = await lab.pids();
    lab.workers.get('w1')!.child.kill('SIGKILL');
    await until('one of the k6 processes has gone', () => pids.filter(isRunning).length === 2, 3_000);
    const result = await running;
    assert.equal(result.code, 3, result.stderr);
    assert.match(trialOf(result).dnf!.reason, /w1/);
    await until('no k6 is left', () => !pids.some(isRunning), 5_000);
  });
});
