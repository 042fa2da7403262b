/** A worker with a rate cap, which no coordinator talks it out of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab } from '../support/lab.ts';

test('--max-rate 200: a closed loop is slowed down to it, and the report blames the cap', async (t) => {
  const lab = await startLab(t, []);
  await lab.addWorker('capped', ['--max-rate', '200/s', '--threads', '2']);
  const target = await startCountingTarget(t);
  const result = await lab.run([target.url, '-t', '3', '-c', '8', '-k', '--format', 'json']);
  assert.equal(result.code, 0, result.stderr);
  const [trial] = reportOf(result).trials;
  const { ledger, verdict, timeline, workers } = trial!;
  for (const { second, requests } of timeline)
    assert.ok(requests <= 210, `${requests} requests in second ${second}`);
  // By the target's own clock, in whatever second it looks, and never more than there were permits for in all.
  const { arrivalsUs } = target;
  arrivalsUs.forEach((fromUs, i) => {
    let within = 0;
    while (i + within < arrivalsUs.length && arrivalsUs[i + within]! < fromUs + 1e6) within++;
    assert.ok(within <= 210, `${within} in a second from arrival ${i}`);
  });
  assert.ok(ledger.started <= 601, `${ledger.started} started`);
  // A machine that is short of cores may miss some of its permits.
  assert.ok(ledger.started > 100, `${ledger.started} started`);
  assert.ok(ledger.balanced, ledger.problems.join());
  assert.equal(verdict.limit, 'generator');
  assert.match(verdict.evidence[0]!, /^rate cap of worker capped reached: it may send 200\/s/);
  assert.equal(workers[0]!.maxRate, 200);

  const strict = await lab.run([target.url, '-t', '1', '-c', '8', '-k', '--strict']);
  assert.equal(strict.code, 4, strict.stdout);
  assert.match(strict.stdout, /rate cap of worker capped reached/);
});

test('what is held when the time is up is dropped, of a load of so many requests', async (t) => {
  const lab = await startLab(t, []);
  await lab.addWorker('capped', ['--max-rate', '100']);
  const target = await startCountingTarget(t);
  const result = await lab.run([target.url, '-n', '1000', '-t', '1', '-c', '8', '-k', '--format', 'json']);
  const { ledger } = reportOf(result).trials[0]!;
  assert.ok(ledger.balanced, ledger.problems.join());
  assert.equal(ledger.planned, 1000);
  assert.equal(ledger.started + ledger.dropped, 1000);
  assert.ok(ledger.started <= 102, `${ledger.started} started`);
});

test('a rate above the cap is refused before anything is sent, and everybody is shown the cap', async (t) => {
  const lab = await startLab(t, []);
  await lab.addWorker('a', ['--max-rate', '200']);
  await lab.addWorker('b', ['--max-rate', '200', '--weight', '3']);
  const target = await startCountingTarget(t);
  const load = [target.url, '-t', '1', '-c', '8', '-k', '--workers', '2'];
  const refused = await lab.run([...load, '--rate', '300']);
  assert.equal(refused.code, 3, refused.stdout);
  assert.match(
    refused.stderr,
    /worker b: takes at most 200\/s \(its --max-rate\), and this run would ask 225\/s of it \(add workers/,
  );
  assert.equal(target.arrivalsUs.length, 0);

  const taken = await lab.run([...load, '--rate', '200', '--format', 'json']);
  assert.equal(taken.code, 0, taken.stderr);
  assert.equal(reportOf(taken).trials[0]!.ledger.started, 200);

  const at = ['--coordinator', lab.url];
  const [workers, doctor] = await Promise.all([
    runCli('coordinator', ['workers', ...at]),
    runCli('coordinator', ['doctor', ...at, ...load, '--rate', '200']),
  ]);
  assert.match(workers.stdout, /max rate[\s\S]*\b200\/s/);
  assert.match(
    doctor.stdout,
    /good\s+b\s+rate-cap\s+takes at most 200\/s \(its --max-rate\); this run asks 150\/s/,
  );
});

test('a cap that is none', async () => {
  const begin = ['start', '--coordinator', 'http://127.0.0.1:1'];
  const { code, stderr } = await runCli('worker', [...begin, '--max-rate', 'fast']);
  assert.equal(code, 2);
  assert.match(stderr, /--max-rate.*expected requests a second, such as 5000 or 5000\/s/);
});
