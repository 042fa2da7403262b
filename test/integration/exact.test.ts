/** What Broadside reports is what the server sent, to the byte: nginx's access log is the other side of the account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportOf, startLab } from '../support/lab.ts';
import { NGINX_MISSING, startNginx } from '../support/nginx.ts';

const BODIES = { '0.bin': 0, '25.bin': 25, '4k.bin': 4096, '1m.bin': 1 << 20, '32m.bin': 32 << 20 };

const ROWS: { sentence: string; path: string; args: string[]; requests: number; participants: number }[] = [
  {
    sentence: '100000 requests over 16 kept-alive connections on two workers',
    path: '25.bin',
    args: ['-n', '100000', '-c', '16', '-k', '--workers', '2'],
    requests: 100_000,
    participants: 2,
  },
  {
    sentence: 'remainders: 10007 requests over 7 connections on three workers',
    path: '4k.bin',
    args: ['-n', '10007', '-c', '7', '-k', '--workers', '3'],
    requests: 10_007,
    participants: 3,
  },
  {
    sentence: 'a connection for each request on three workers',
    path: '25.bin',
    args: ['-n', '5000', '-c', '16', '--workers', '3'],
    requests: 5_000,
    participants: 3,
  },
  {
    sentence: 'fewer requests than connections: nobody takes part without work',
    path: '25.bin',
    args: ['-n', '2', '-c', '16', '-k', '--workers', '3'],
    requests: 2,
    participants: 2,
  },
  {
    sentence: 'one request',
    path: '25.bin',
    args: ['-n', '1', '--workers', '3'],
    requests: 1,
    participants: 1,
  },
  {
    sentence: 'empty bodies',
    path: '0.bin',
    args: ['-n', '1000', '-c', '4', '-k', '--workers', '2'],
    requests: 1_000,
    participants: 2,
  },
  {
    sentence: 'bodies of 1 MiB on a connection each',
    path: '1m.bin',
    args: ['-n', '200', '-c', '5', '--workers', '2'],
    requests: 200,
    participants: 2,
  },
  {
    sentence: 'bodies of 32 MiB',
    path: '32m.bin',
    args: ['-n', '9', '-c', '4', '-k', '--workers', '2'],
    requests: 9,
    participants: 2,
  },
  {
    sentence: 'heads only',
    path: '1m.bin',
    args: ['-n', '500', '-c', '4', '-k', '-m', 'HEAD', '--workers', '2'],
    requests: 500,
    participants: 2,
  },
];

test('a merged report against the access log of nginx', { skip: NGINX_MISSING }, async (t) => {
  const nginx = await startNginx(t, BODIES);
  const lab = await startLab(t, ['w1', 'w2', 'w3']);

  for (const { sentence, path, args, requests, participants } of ROWS) {
    await t.test(sentence, async () => {
      const result = await lab.run([`${nginx.url}/${path}`, ...args, '--format', 'json']);
      const [trial] = reportOf(result).trials;
      const log = await nginx.takeLog(requests);
      assert.equal(result.code, 0, result.stderr);
      const { summary, ledger, workers, timeline } = trial!;
      assert.deepEqual(
        { requests: summary.requests, bytesSent: summary.bytes.received, bodyBytesSent: summary.bytes.body },
        log,
      );
      assert.equal(log.requests, requests);
      assert.deepEqual(summary.status, { 200: requests });
      assert.equal(summary.errors.total, 0);
      assert.equal(workers.length, participants);
      assert.equal(
        workers.reduce((sum, worker) => sum + worker.requests, 0),
        requests,
      );
      assert.equal(
        timeline.reduce((sum, second) => sum + second.requests, 0),
        requests,
      );
      assert.deepEqual(
        [
          ledger.planned,
          ledger.started,
          ledger.completed,
          ledger.failed,
          ledger.dropped,
          ledger.lost,
          ledger.inFlight,
        ],
        [requests, requests, requests, 0, 0, 0, 0],
      );
      assert.equal(ledger.balanced, true);
    });
  }
});
