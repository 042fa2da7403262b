/** Thresholds over the whole fleet: live with `abort`, and at the end. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab, temporaryDirectory } from '../support/lab.ts';

test('a threshold with abort stops all workers within moments of the second it concerns; exit 99', async (t) => {
  const lab = await startLab(t, ['w1', 'w2']);
  const target = await startCountingTarget(t);
  const file = path.join(await temporaryDirectory(t), 'scenario.yaml');
  await writeFile(
    file,
    `targets: { it: "${new URL(target.url).origin}" }
request: { path: / }
load: { executor: constant-arrival-rate, rate: 100/s, duration: 60s, maxWait: 10s }
workers: { count: 2 }
thresholds: [{ that: "max < 500ms", abort: true, after: 2s }, "errors == 0"]
`,
  );
  const running = lab.run([file, '--format', 'json']);
  await target.reached(50);
  // Seen in the second that it is in, but not judged before two are over.
  target.hold();
  await new Promise((resolve) => setTimeout(resolve, 700));
  target.release();
  const releasedMs = performance.now();
  const result = await running;
  const tookMs = performance.now() - releasedMs;
  assert.equal(result.code, 99, result.stderr);
  assert.ok(tookMs < 6_000, `it took ${tookMs} ms`);
  const report = reportOf(result);
  const [trial] = report.trials;
  assert.equal(trial!.state, 'aborted');
  assert.equal(trial!.crossed, 'max < 500ms');
  assert.match(trial!.reason!, /threshold crossed: max < 500ms/);
  assert.equal(trial!.ledger.balanced, true, trial!.ledger.problems.join());
  assert.deepEqual(
    report.thresholds.map(({ passed }) => passed),
    [false, true],
  );
  await target.quiet(500, 3_000);
});

test('a threshold that is crossed at the end is exit 99, one that has no data does not pass', async (t) => {
  const lab = await startLab(t, ['w1']);
  const target = await startCountingTarget(t);
  const file = path.join(await temporaryDirectory(t), 'scenario.yaml');
  await writeFile(
    file,
    `targets: { it: "${new URL(target.url).origin}" }
request: { path: / }
load: { executor: constant-connections, connections: 2, requests: 50 }
thresholds: ["requests == 50", "requests > 50"]
`,
  );
  const result = await lab.run([file, '--format', 'json']);
  assert.equal(result.code, 99, result.stderr);
  assert.deepEqual(
    reportOf(result).thresholds.map(({ expression, value, passed }) => [expression, value, passed]),
    [
      ['requests == 50', 50, true],
      ['requests > 50', 50, false],
    ],
  );
});
