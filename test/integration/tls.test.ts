/** A coordinator that listens with TLS: whoever trusts its authority works as ever, and the others say why they do not. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { type CertificateName, certificateFile } from '../support/certificates.ts';
import { type CliProcess, endCli, runCli, startCli } from '../support/cli.ts';
import { startCountingTarget } from '../support/counting-target.ts';
import { reportOf, temporaryDirectory } from '../support/lab.ts';
import type { Cleanups } from '../support/scope.ts';

const CA = ['--ca', certificateFile('ca')];

function pairOf(name: CertificateName): string[] {
  return ['--tls-cert', certificateFile(name), '--tls-key', certificateFile(name, 'key.pem')];
}

interface Started {
  coordinator: CliProcess;
  url: string;
}

async function startTls(t: Cleanups, name: CertificateName, args: readonly string[] = []): Promise<Started> {
  const data = await temporaryDirectory(t);
  const begin = ['start', '--port', '0', '--data', data, ...pairOf(name)];
  const coordinator = startCli('coordinator', [...begin, ...args]);
  t.after(() => endCli(coordinator));
  const [, url] = await coordinator.says(/^Broadside coordinator on (https:\S+)$/m);
  return { coordinator, url: url! };
}

test('a run over https: workers, observers and commands that trust its authority', async (t) => {
  const { coordinator, url } = await startTls(t, 'server', ['--token', 'secret']);
  await coordinator.says(
    /worker start --coordinator https:\S+ --token TOKEN\n.*https:\S+ --token TOKEN\n.*--ca FILE/,
  );
  const at = ['--coordinator', url, ...CA];
  const env = { BROADSIDE_TOKEN: 'secret' };
  const hosts = ['start', 'observe'].map((role) => startCli('worker', [role, ...at, '--name', role], env));
  t.after(() => Promise.all(hosts.map(endCli)));
  await Promise.all(hosts.map((host) => host.says(/joined https:/)));

  const target = await startCountingTarget(t);
  const load = [target.url, '-n', '50', '-c', '2', '-k', '--workers', '1'];
  const result = await runCli('coordinator', ['run', ...load, ...at, '--format', 'json'], env);
  assert.equal(result.code, 0, result.stderr);
  const { run, trials } = reportOf(result);
  assert.ok(trials[0]!.ledger.balanced);
  assert.equal(target.answered, 50);

  const others = [
    ['report', run.id],
    ['list'],
    ['show', run.id],
    ['cancel', run.id],
    ['workers'],
    ['doctor', target.url],
  ];
  for (const command of others) {
    const { code, stderr } = await runCli('coordinator', [...command, ...at], env);
    assert.equal(code, 0, `${command.join(' ')}: ${stderr}`);
  }
  const byNode = { ...env, NODE_EXTRA_CA_CERTS: certificateFile('ca') };
  const listed = await runCli('coordinator', ['list', '--coordinator', url], byNode);
  assert.equal(listed.code, 0, listed.stderr);

  // TLS or not, without the token nobody comes in.
  const stranger = await runCli('coordinator', ['list', ...at]);
  assert.equal(stranger.code, 2);
  assert.match(stranger.stderr, /the token is missing or wrong/);
});

test('who does not trust the certificate ends, and says what to do', async (t) => {
  const [known, elsewhere] = await Promise.all([startTls(t, 'server'), startTls(t, 'other-name')]);
  assert.match(
    elsewhere.coordinator.stderr,
    /the certificate is not for 127\.0\.0\.1, but for DNS:elsewhere\.example/,
  );
  const plain = known.url.replace('https', 'http');
  const CASES: [string, string[], RegExp][] = [
    ['an authority that is not known', [known.url], /is not trusted: unable to verify.*\n.*--ca FILE/],
    ['another one', [known.url, '--ca', certificateFile('self-signed')], /is not trusted: .*\n.*--ca FILE/],
    ['none, for there is no TLS', [plain, ...CA], /--ca: http:.* has no certificate.*\n.*https:/],
    ['another name', [elsewhere.url, ...CA], /is not trusted: Hostname.*\n.*name the coordinator in the URL/],
  ];
  const WAYS = [
    ['worker', 'start'],
    ['worker', 'observe'],
    ['coordinator', 'list'],
  ] as const;
  await Promise.all(
    CASES.flatMap(([what, at, message]) =>
      WAYS.map(async ([bin, command]) => {
        const { code, stderr } = await runCli(bin, [command, '--coordinator', ...at]);
        assert.equal(code, 2, `${bin} ${command}, ${what}: ${stderr}`);
        assert.match(stderr, message, `${bin} ${command}, ${what}`);
      }),
    ),
  );

  const { code, stderr } = await runCli('coordinator', ['list', '--coordinator', plain]);
  assert.equal(code, 2);
  assert.match(stderr, /if it listens with --tls-cert, its URL is https:/);
  const worker = startCli('worker', ['start', '--coordinator', plain]);
  t.after(() => endCli(worker));
  await worker.says(/if it listens with --tls-cert, its URL is https:.*trying again/);
});

test('https where there is no TLS: it is said to be none', async (t) => {
  const data = await temporaryDirectory(t);
  const coordinator = startCli('coordinator', ['start', '--port', '0', '--data', data]);
  t.after(() => endCli(coordinator));
  const [, url] = await coordinator.says(/^Broadside coordinator on (http:\S+)$/m);
  const at = ['--coordinator', url!.replace('http', 'https')];
  for (const bin of ['worker', 'coordinator'] as const) {
    const { code, stderr } = await runCli(bin, [bin === 'worker' ? 'start' : 'list', ...at]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /speaks no TLS\n.*its URL is http:/);
  }
});

test('a worker that has joined goes on dialling, whatever certificate the next coordinator has', async (t) => {
  const first = await startTls(t, 'server');
  const worker = startCli('worker', ['start', '--coordinator', first.url, ...CA]);
  t.after(() => endCli(worker));
  await worker.says(/joined/);
  await endCli(first.coordinator);
  await startTls(t, 'self-signed', ['--port', new URL(first.url).port]);
  await worker.says(/\(self-signed certificate\); trying again/);
  assert.equal(worker.child.exitCode, null);
  worker.child.kill('SIGTERM');
  await once(worker.child, 'exit');
});

describe('certificates and keys that are none', () => {
  const server = certificateFile('server');
  const key = certificateFile('server', 'key.pem');
  const CASES: [string, string[], RegExp][] = [
    ['no key', ['--tls-cert', server], /--tls-cert: --tls-key is missing/],
    ['no certificate', ['--tls-key', key], /--tls-key: --tls-cert is missing/],
    ['no such file', ['--tls-cert', '/nowhere.pem', '--tls-key', key], /cannot read \/nowhere\.pem: /],
    ['a key for a certificate', ['--tls-cert', key, '--tls-key', key], /--tls-cert .*has no certificate/],
    [
      'a certificate for a key',
      ['--tls-cert', server, '--tls-key', server],
      /--tls-key .*has no private key/,
    ],
    [
      'the key of another one',
      ['--tls-cert', server, '--tls-key', certificateFile('other-name', 'key.pem')],
      /--tls-key .*other-name\.key\.pem: is not the key of .*server\.pem/,
    ],
    ['one that has expired', pairOf('expired'), /has expired on Jan {2}1 .*2021/],
  ];
  for (const [what, args, message] of CASES) {
    test(what, async () => {
      const data = ['--data', '/nowhere/that/would/be/made'];
      const { code, stdout, stderr } = await runCli('coordinator', [
        'start',
        '--port',
        '0',
        ...data,
        ...args,
      ]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
      assert.equal(stdout, '');
    });
  }

  test('an authority that is none', async (t) => {
    const file = path.join(await temporaryDirectory(t), 'ca.pem');
    await writeFile(file, 'no certificate\n');
    for (const bin of ['worker', 'coordinator'] as const) {
      const command = [bin === 'worker' ? 'start' : 'list', '--coordinator', 'https://127.0.0.1:1'];
      const { code, stderr } = await runCli(bin, [...command, '--ca', file]);
      assert.equal(code, 2);
      assert.match(stderr, /--ca .*ca\.pem: has no certificate in PEM form\n.*BEGIN CERTIFICATE/);
    }
  });
});
