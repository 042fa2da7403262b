/** Runs as they queue, wait, end and are told of: order, pools, cancelling, restarts, and what is left behind. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import { CoordinatorClient } from '../../coordinator/client.ts';
import type { RunStatus } from '../../coordinator/run-status.ts';
import type { ScenarioSource } from '../../shared/domain/scenario.ts';
import { type CliProcess, runCli, startCli } from '../support/cli.ts';
import { type CountingTarget, startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab, temporaryDirectory } from '../support/lab.ts';
import { markProcesses } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';

function scenario(target: CountingTarget, load: Record<string, unknown>, pool = 'default'): ScenarioSource {
  return {
    targets: { it: new URL(target.url).origin },
    load: { executor: 'constant-connections', ...load },
    workers: { pool },
  };
}

const LONG = { duration: '60s' };

/** From now until the run has ended, in ms. */
async function endOf(
  client: CoordinatorClient,
  { id }: RunStatus,
): Promise<{ run: RunStatus; tookMs: number }> {
  const beganMs = performance.now();
  await client.watch(id, () => {});
  const tookMs = performance.now() - beganMs;
  return { run: await client.run(id), tookMs };
}

/** One that the test ends, or the end of the test. */
function startCoordinator(
  t: TestContext,
  data: string,
  env: Record<string, string> = {},
  args: string[] = [],
): CliProcess {
  const coordinator = startCli('coordinator', ['start', '--port', '0', '--data', data, ...args], env);
  t.after(async () => {
    coordinator.child.kill('SIGTERM');
    await coordinator.ended;
  });
  return coordinator;
}

async function urlOf(coordinator: CliProcess): Promise<string> {
  const [, url] = await coordinator.says(/^Broadside coordinator on (http:\S+)$/m);
  return url!;
}

test('one run at a time on a pool, in order; pools side by side; cancelled within a second', async (t) => {
  const lab = await startLab(t, ['w1']);
  await lab.addWorker('w2', ['--pool', 'other']);
  const client = new CoordinatorClient(lab.url, undefined);
  const target = await startCountingTarget(t);
  const elsewhere = await startCountingTarget(t);

  const first = await client.submit(scenario(target, LONG));
  await target.reached(10);
  const second = await client.submit(scenario(target, { requests: 5 }));
  const third = await client.submit(scenario(target, { requests: 7 }));
  const beside = await client.submit(scenario(elsewhere, { requests: 3 }, 'other'));

  assert.equal((await endOf(client, beside)).run.state, 'completed');
  assert.equal(elsewhere.arrivalsUs.length, 3);
  const list = await runCli('coordinator', ['list', '--coordinator', lab.url]);
  const rows = list.stdout.trim().split('\n').slice(1);
  assert.deepEqual(
    rows.map((row) => [row.trim().split(/\s+/)[0], /running|queued|completed/.exec(row)?.[0]]),
    [
      [first.id, 'running'],
      [second.id, 'queued'],
      [third.id, 'queued'],
      [beside.id, 'completed'],
    ],
  );

  let ending = endOf(client, second);
  await client.cancel(second.id);
  const queued = await ending;
  assert.equal(queued.run.state, 'cancelled');
  assert.ok(queued.tookMs < 1_000, `cancelling a queued run took ${queued.tookMs} ms`);

  ending = endOf(client, first);
  await client.cancel(first.id);
  const running = await ending;
  const requests = target.arrivalsUs.length;
  assert.equal(running.run.state, 'cancelled');
  assert.match(running.run.reason!, /cancelled by the user/);
  assert.ok(running.tookMs < 1_000, `cancelling a running run took ${running.tookMs} ms`);

  const last = await endOf(client, third);
  assert.equal(last.run.state, 'completed');
  assert.equal(
    target.arrivalsUs.length,
    requests + 7,
    'no request after the cancel but those of the next run',
  );
  assert.ok(last.run.startedUs! >= running.run.endedUs!, 'the next run waited for the one before it');

  const again = await client.cancel(third.id);
  assert.equal(again.state, 'completed', 'what has ended stays as it is');
});

for (const where of ['in a lab of its own', 'on a coordinator'] as const) {
  test(`SIGINT on a run ${where}: the load stops, the report comes, exit 130`, async (t) => {
    const marked = markProcesses();
    const target = await startCountingTarget(t);
    const data = await temporaryDirectory(t);
    const at =
      where === 'on a coordinator' ? ['--coordinator', (await startLab(t, ['w1'])).url] : ['--data', data];
    const run = startCli(
      'coordinator',
      ['run', target.url, '-t', '60', '-c', '4', '-k', '--format', 'json', ...at],
      marked.env,
    );
    await target.reached(500);
    run.child.kill('SIGINT');
    const result = await run.ended;
    const requests = target.arrivalsUs.length;
    assert.equal(result.code, 130, result.stderr);
    assert.match(result.stderr, /interrupted: stopping the load/);
    const report = reportOf(result);
    const { state, summary, ledger } = report.trials[0]!;
    assert.deepEqual([report.run.state, state], ['cancelled', 'aborted']);
    assert.equal(summary.requests, ledger.completed);
    assert.equal(ledger.completed + ledger.inFlight, requests);
    assert.equal(ledger.balanced, true, ledger.problems.join());
    await marked.gone(1_000);
    assert.equal(target.arrivalsUs.length, requests);
  });
}

for (const [signal, fate] of [
  ['SIGTERM', 'cancelled'],
  ['SIGKILL', 'running'],
] as const) {
  test(`queued runs survive ${signal} of their coordinator, in their order; the first one is ${fate} then`, async (t) => {
    const data = await temporaryDirectory(t);
    const elsewhere = await startCountingTarget(t);
    const target = await startCountingTarget(t);
    const before = startCoordinator(t, data);
    const old = new CoordinatorClient(await urlOf(before), undefined);
    const [first, ...others] = [
      // Without a worker it waits, and those behind it too.
      await old.submit(scenario(target, LONG)),
      await old.submit(scenario(target, { requests: 5 })),
      await old.submit(scenario(target, { requests: 7 })),
    ];
    await before.says(/worker|coordinator/);
    before.child.kill(signal);
    await before.ended;

    if (fate === 'running') {
      const other = await runCli('coordinator', ['run', elsewhere.url, '-n', '3', '--data', data]);
      assert.equal(other.code, 0, 'a lab of its own on the same directory leaves them alone');
    }
    const after = startCoordinator(t, data);
    const url = await urlOf(after);
    const client = new CoordinatorClient(url, undefined);
    const ids = [first, ...others].map((run) => run!.id);
    assert.deepEqual(
      (await client.runs()).filter(({ id }) => ids.includes(id)).map(({ id, state }) => [id, state]),
      [[first!.id, fate], ...others.map(({ id }) => [id, 'queued'])],
    );
    // It waits for its worker as before.
    if (fate === 'running') await client.cancel(first!.id);
    const worker = startCli('worker', ['start', '--coordinator', url, '--name', 'w1']);
    const ended = [];
    for (const run of others) ended.push((await endOf(client, run)).run);
    worker.child.kill('SIGTERM');
    await worker.ended;
    assert.deepEqual(
      ended.map(({ state }) => state),
      ['completed', 'completed'],
    );
    assert.ok(ended[0]!.endedUs! <= ended[1]!.startedUs!);
    assert.equal(target.arrivalsUs.length, 12);
  });
}

test('the report from the journal alone is what the run printed, in every format, and goes to --out', async (t) => {
  const lab = await startLab(t, ['w1']);
  const target = await startCountingTarget(t);
  const out = path.join(await temporaryDirectory(t), 'report');
  for (const format of ['text', 'ab', 'json']) {
    const printed = await lab.run([target.url, '-n', '20', '-c', '2', '--format', format]);
    assert.equal(printed.code, 0, printed.stderr);
    const [, id] = /^run (\S+) running$/m.exec(printed.stderr)!;
    // Asking a coordinator is the same work behind another door: one format will do.
    const from = format === 'json' ? ['--coordinator', lab.url] : ['--data', lab.data];
    const again = await runCli('coordinator', ['report', id!, '--format', format, ...from]);
    assert.equal(again.stdout, printed.stdout, `${format} from ${from[0]}`);
    const written = await runCli('coordinator', [
      'report',
      id!,
      '--format',
      format,
      '--data',
      lab.data,
      '--out',
      out,
    ]);
    assert.deepEqual([written.code, written.stdout, written.stderr], [0, '', '']);
    assert.equal(await readFile(out, 'utf8'), printed.stdout);
  }
});

test('the own Redis asks for a password, and dies with a coordinator that is killed', async (t) => {
  const marked = markProcesses();
  const data = await temporaryDirectory(t);
  const coordinator = startCoordinator(t, data, marked.env);
  await urlOf(coordinator);
  const { url } = JSON.parse(await readFile(path.join(data, 'redis/server.json'), 'utf8')) as { url: string };
  assert.match(await sayTo(Number(new URL(url).port), 'KEYS *\r\n'), /^-NOAUTH/);
  assert.ok(marked.alive().some((command) => command.includes('redis-server')));
  assert.ok(
    !marked.alive().some((command) => command.includes(new URL(url).password)),
    'not on a command line',
  );
  coordinator.child.kill('SIGKILL');
  await coordinator.ended;
  await marked.gone(3_000);
});

function sayTo(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    socket.once('data', (data) => {
      resolve(String(data));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('passwords, tokens and credentials are in no log, journal or report', async (t) => {
  const data = await temporaryDirectory(t);
  const target = await startCountingTarget(t);
  const env = { BROADSIDE_LOG: 'trace', BROADSIDE_TOKEN: 'sesame-token' };
  const coordinator = startCoordinator(t, data, env);
  const url = await urlOf(coordinator);
  const redis = await readFile(path.join(data, 'redis/server.json'), 'utf8');
  const { password } = new URL((JSON.parse(redis) as { url: string }).url);
  const worker = startCli('worker', ['start', '--coordinator', url, '--name', 'w1'], env);
  await worker.says(/joined/);
  const body = path.join(await temporaryDirectory(t), 'body');
  await writeFile(body, 'body-secret');
  const flags = [
    '-n',
    '3',
    '-H',
    'Authorization: Bearer header-secret',
    '-H',
    'X-Api-Key: key-secret',
    '-p',
    body,
  ];
  const outputs = [];
  for (const format of ['text', 'ab', 'json']) {
    const at = ['--coordinator', url, '--format', format];
    outputs.push(
      await runCli('coordinator', ['run', `${target.url}?token=query-secret`, ...flags, ...at], env),
    );
    outputs.push(
      await runCli('coordinator', ['run', target.url, '-n', '1', '-A', 'user:basic-secret', ...at], env),
    );
  }
  const basicAuth = ['-n', '1', '-A', 'user:basic-secret', '--coordinator', url];
  outputs.push(await runCli('coordinator', ['run', target.url, ...basicAuth], env));
  outputs.push(await runCli('coordinator', ['list', '--coordinator', url, '--format', 'json'], env));
  worker.child.kill('SIGTERM');
  coordinator.child.kill('SIGTERM');
  outputs.push(await worker.ended, await coordinator.ended);
  for (const { code, stderr } of outputs) assert.equal(code, 0, stderr);

  const basic = Buffer.from('user:basic-secret').toString('base64');
  const encoded = Buffer.from('body-secret').toString('base64');
  const secrets = [
    password,
    'sesame-token',
    'header-secret',
    'key-secret',
    'query-secret',
    'basic-secret',
    basic,
    'body-secret',
    encoded,
  ];
  // The queue itself has to keep what it will send; nobody else may look into it.
  assert.equal(statSync(path.join(data, 'redis')).mode & 0o077, 0);
  const texts = [
    ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ...filesBelow(path.join(data, 'runs')),
  ];
  for (const secret of secrets) {
    assert.ok(!texts.some((text) => text.includes(secret)), `${secret} shows`);
  }
});

/** Contents of all files. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
}

test('a run in a lab of its own leaves no process behind, also when it is killed', async (t) => {
  const target = await startCountingTarget(t);
  const data = await temporaryDirectory(t);
  const marked = markProcesses();
  const good = await runCli(
    'coordinator',
    ['run', target.url, '-n', '10', '--workers', '2', '--data', data],
    marked.env,
  );
  assert.equal(good.code, 0, good.stderr);
  await marked.gone(1_000);

  const killed = startCli('coordinator', ['run', target.url, '-t', '60', '--data', data], marked.env);
  await target.reached(100);
  killed.child.kill('SIGKILL');
  await killed.ended;
  await marked.gone(15_000);
});

test('labs that share a Redis do not take each other’s runs and shards', async (t) => {
  const redis = await startRedis(t);
  const data = await temporaryDirectory(t);
  const counts = [40, 50];
  const target = await startCountingTarget(t);
  const results = await Promise.all(
    counts.map((n) =>
      runCli('coordinator', [
        'run',
        target.url,
        '-n',
        `${n}`,
        '--redis',
        redis,
        '--data',
        data,
        '--format',
        'json',
      ]),
    ),
  );
  assert.deepEqual(
    results.map((result) => reportOf(result).trials[0]!.summary.requests),
    counts,
  );
  assert.equal(target.arrivalsUs.length, 90);
  const client = new Redis(redis);
  assert.deepEqual(await client.keys('*'), [], 'nothing stays in a Redis that is not theirs');
  client.disconnect();
});
