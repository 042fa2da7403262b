/** https, local addresses and names through the whole chain, against what is known from outside. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { certificateFile } from '../support/certificates.ts';
import { runCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, startLab, temporaryDirectory } from '../support/lab.ts';
import { NGINX_MISSING, startNginx } from '../support/nginx.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const CA = ['--cacert', certificateFile('ca')];

/** What a server may say after the client has gone: a close_notify a connection, TLS 1.3. */
const FAREWELL = 24;

const ROWS: { sentence: string; path: string; args: string[]; requests: number; connections: number }[] = [
  {
    sentence: '5000 requests over 8 kept-alive connections',
    path: '25.bin',
    args: ['-n', '5000', '-c', '8', '-k'],
    requests: 5_000,
    connections: 8,
  },
  {
    sentence: 'bodies of 1 MiB',
    path: '1m.bin',
    args: ['-n', '20', '-c', '4', '-k'],
    requests: 20,
    connections: 4,
  },
  {
    sentence: 'a connection for each request',
    path: '25.bin',
    args: ['-n', '300', '-c', '8'],
    requests: 300,
    connections: 300,
  },
];

test('https bytes, against a counting proxy and the access log of nginx', {
  skip: NGINX_MISSING,
}, async (t) => {
  const nginx = await startNginx(t, { '25.bin': 25, '1m.bin': 1 << 20 }, { secure: true });
  const lab = await startLab(t, ['w1', 'w2']);
  for (const { sentence, path: file, args, requests, connections } of ROWS) {
    await t.test(sentence, async (t2) => {
      const proxy = await startTcpProxy(t2, new URL(nginx.url));
      const result = await lab.run([
        `${proxy.url}/${file}`,
        ...args,
        ...CA,
        '--workers',
        '2',
        '--format',
        'json',
      ]);
      const log = await nginx.takeLog(requests);
      const { summary, ledger, server } = reportOf(result).trials[0]!;
      assert.equal(result.code, 0, result.stderr);
      assert.deepEqual(
        [summary.requests, summary.bytes.decrypted, summary.bytes.body],
        [log.requests, log.bytesSent, log.bodyBytesSent],
      );
      assert.equal(summary.bytes.sent, proxy.carried.there);
      const missing = proxy.carried.back - summary.bytes.received;
      const mostMissing = Math.min(connections, 8) * FAREWELL;
      assert.ok(missing >= 0 && missing <= mostMissing, `${missing} bytes of ${proxy.carried.back}`);
      assert.equal(summary.connections.opened, connections);
      assert.deepEqual(summary.connections.byAddress, { '127.0.0.1': connections });
      // Each worker's one thread has to make one session itself; connections that begin together have none yet.
      const resumed = summary.connections.tlsSessionsReused!;
      if (connections === requests) assert.ok(resumed >= connections - 16, `${resumed} sessions taken up`);
      assert.ok(summary.tls!.p50 > 0);
      const { connect, tls, secureConnect } = summary;
      assert.equal(secureConnect!.count, tls!.count);
      // Together, and what passes between them; a histogram's values have three digits.
      assert.ok(secureConnect!.mean >= 0.99 * (connect!.mean + tls!.mean));
      assert.ok(secureConnect!.max >= Math.max(connect!.max, tls!.max));
      assert.match(server!, /^nginx/);
      assert.equal(ledger.balanced, true);
    });
  }
});

test('keys stay out of the data directory', { skip: NGINX_MISSING }, async (t) => {
  const nginx = await startNginx(t, { '25.bin': 25 }, { secure: true });
  const data = await temporaryDirectory(t);
  const scenario = path.join(data, 'secure.yaml');
  await writeFile(
    scenario,
    `targets: { web: "${nginx.url.replace('127.0.0.1', 'localhost')}" }
tls: { ca: ${certificateFile('ca')}, cert: ${certificateFile('client')}, key: ${certificateFile('client', 'key.pem')} }
request: { path: /25.bin }
load: { executor: constant-connections, connections: 2, requests: 10 }
`,
  );
  const result = await runCli('coordinator', ['run', scenario, '--data', data, '--format', 'json']);
  assert.equal(reportOf(result).trials[0]!.summary.requests, 10, result.stderr);
  const secret = (await readFile(certificateFile('client', 'key.pem'), 'utf8')).split('\n')[1]!;
  for (const name of await readdir(data, { recursive: true })) {
    const text = await readFile(path.join(data, name), 'utf8').catch(() => '');
    assert.ok(!text.includes(secret), name);
  }
});

describe('one run in a lab of its own', () => {
  test('a certificate that is not believed is the end of each request, with what to do', {
    skip: NGINX_MISSING,
  }, async (t) => {
    const nginx = await startNginx(t, { '25.bin': 25 }, { secure: true });
    const result = await runCli('coordinator', ['run', `${nginx.url}/25.bin`, '-n', '5', '--format', 'json']);
    const [trial] = reportOf(result).trials;
    assert.equal(result.code, 3);
    assert.deepEqual([trial!.state, trial!.summary.errors.byClass], ['dnf', { tls: 5 }]);
    assert.match(trial!.summary.errors.first[0]!.message, /CA that is not known here; name it .*--cacert/);
    const insecure = await runCli('coordinator', [
      ...['run', `${nginx.url}/25.bin`, '-n', '5', '--insecure', '--format', 'json'],
    ]);
    assert.equal(reportOf(insecure).trials[0]!.summary.requests, 5);
  });

  test('a name that does not resolve: the trial did not finish, class dns', async () => {
    const result = await runCli('coordinator', [
      'run',
      'http://nowhere.invalid/',
      '-n',
      '5',
      '--format',
      'json',
    ]);
    const [trial] = reportOf(result).trials;
    assert.equal(result.code, 3);
    assert.equal(trial!.state, 'dnf');
    assert.match(
      trial!.dnf!.reason,
      /^dns: worker local-1: the target's name nowhere\.invalid does not resolve/,
    );
    assert.deepEqual(
      trial!.dnf!.firstErrors.map((error) => [error.class, error.worker]),
      [['dns', 'local-1']],
    );
  });

  test('connections come from the local addresses that are given, in turn', async (t) => {
    const target = await startCountingTarget(t);
    const result = await runCli('coordinator', [
      ...[
        'run',
        target.url,
        '-n',
        '40',
        '-c',
        '4',
        '--local-address',
        '127.0.0.2,127.0.0.3',
        '--format',
        'json',
      ],
    ]);
    assert.equal(reportOf(result).trials[0]!.summary.requests, 40, result.stderr);
    // One more is preflight's.
    assert.deepEqual(target.connectionsFrom, { '127.0.0.2': 21, '127.0.0.3': 20 });
  });

  test('a scenario may look the name up for each connection', async (t) => {
    const target = await startCountingTarget(t);
    const scenario = path.join(await temporaryDirectory(t), 'dns.yaml');
    await writeFile(
      scenario,
      `targets: { web: "${target.url.replace('127.0.0.1', 'localhost').replace(/\/$/, '')}" }
dns: per-connection
load: { executor: constant-connections, connections: 2, requests: 20, keepAlive: false }
`,
    );
    const result = await runCli('coordinator', ['run', scenario, '--format', 'json']);
    const { summary } = reportOf(result).trials[0]!;
    assert.deepEqual(
      [summary.requests, summary.connections.byAddress],
      [20, { '127.0.0.1': 20 }],
      result.stderr,
    );
  });

  for (const [sentence, args, message] of [
    [
      'an address that this machine lacks',
      ['--local-address', '192.0.2.1'],
      /192\.0\.2\.1: this machine does not have it/,
    ],
    ['what is no address', ['--local-address', 'eth0'], /eth0: is not an address/],
    [
      'a local address for another lab',
      ['--local-address', '127.0.0.2', '--coordinator', 'http://127.0.0.1:1'],
      /is for a lab of its own/,
    ],
  ] as const) {
    test(`${sentence} is refused before anything starts`, async () => {
      const result = await runCli('coordinator', ['run', 'http://127.0.0.1:1/', ...args]);
      assert.equal(result.code, 2);
      assert.match(result.stderr, message);
    });
  }

  test('a worker does not start with an address that its machine lacks', async () => {
    const args = ['start', '--coordinator', 'http://127.0.0.1:1', '--local-address', '127.0.0.2,192.0.2.1'];
    const result = await runCli('worker', args);
    assert.equal(result.code, 2);
    assert.match(result.stderr, /--local-address 192\.0\.2\.1: this machine does not have it/);
  });
});

test('coordinator, worker and target on ::1', async (t) => {
  const target = await startCountingTarget(t, '::1');
  const lab = await startLab(t, ['w1'], ['--host', '::1']);
  assert.match(lab.url, /^http:\/\/\[::1\]:\d+$/);
  const result = await lab.run([target.url, '-n', '20', '-c', '2', '-k', '--format', 'json']);
  const { summary } = reportOf(result).trials[0]!;
  assert.deepEqual([summary.requests, summary.connections.byAddress], [20, { '::1': 2 }], result.stderr);
});
