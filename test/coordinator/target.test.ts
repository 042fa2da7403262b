import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type RunningTarget, startTarget } from '../../coordinator/target.ts';
import { BroadsideError } from '../../shared/errors.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

let target: RunningTarget;
before(async () => {
  target = await startTarget(LOOPBACK);
});
after(() => target.close());

/** Sends raw bytes on a connection of its own and reads until the server closes it. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(bytes);
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('latin1');
}

describe('replies', () => {
  const cases: { that: string; path: string; method?: string; status?: number; length: number }[] = [
    { that: 'the root is 25 bytes', path: '/', length: 25 },
    { that: 'options work on the root too', path: '/?status=404', status: 404, length: 25 },
    { that: 'no bytes at all', path: '/bytes/0', length: 0 },
    { that: 'a plain number of bytes', path: '/bytes/4097', length: 4097 },
    { that: 'a size with a unit', path: '/bytes/4KiB', length: 4096 },
    { that: 'exactly the shared buffer', path: '/bytes/64KiB', length: 65_536 },
    { that: 'one byte more than the shared buffer', path: '/bytes/65537', length: 65_537 },
    { that: 'many times the shared buffer', path: '/bytes/8MiB', length: 8 * 1024 * 1024 },
    { that: 'chunked, small', path: '/bytes/10?chunked=1', length: 10 },
    { that: 'chunked, large', path: '/bytes/1MiB?chunked=1', length: 1024 * 1024 },
    { that: 'HEAD has no body', path: '/bytes/1MiB', method: 'HEAD', length: 0 },
    { that: '204 has no body', path: '/bytes/10?status=204', status: 204, length: 0 },
    { that: '304 has no body', path: '/bytes/10?status=304', status: 304, length: 0 },
    { that: 'every request is an error', path: '/bytes/3?errorRate=1', status: 500, length: 3 },
  ];
  for (const { that, path, method = 'GET', status = 200, length } of cases) {
    test(that, async () => {
      const before = target.counts();
      const reply = await fetch(target.url + path, { method });
      assert.equal(reply.status, status);
      assert.equal((await reply.arrayBuffer()).byteLength, length);
      const after = target.counts();
      assert.equal(after.requests - before.requests, 1);
      assert.equal(after.bytes.body - before.bytes.body, length);
    });
  }

  test('HEAD promises the length that GET has', async () => {
    const reply = await fetch(`${target.url}/bytes/1MiB`, { method: 'HEAD' });
    assert.equal(reply.headers.get('content-length'), String(1024 * 1024));
  });

  test('close=1 ends the connection after the reply', async () => {
    const reply = await exchange(target.url, 'GET /bytes/5?close=1 HTTP/1.1\r\nHost: t\r\n\r\n');
    assert.match(reply, /^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*\r\n\r\nbroad$/s);
  });

  test('a tenth of the requests are errors, spread evenly', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push((await fetch(`${target.url}/?errorRate=0.1`)).status);
    const errors = statuses.flatMap((status, i) => (status === 500 ? [i] : []));
    assert.equal(errors.length, 3);
    assert.deepEqual([errors[1]! - errors[0]!, errors[2]! - errors[1]!], [10, 10]);
  });

  test('a delay holds the reply back', async () => {
    const start = performance.now();
    await fetch(`${target.url}/?delay=60ms&jitter=5ms`);
    assert.ok(performance.now() - start >= 59);
  });

  test('echo returns the body and its type', async () => {
    const body = Buffer.alloc(300_000, 'xyz');
    const reply = await fetch(`${target.url}/echo`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/x-test' },
    });
    assert.equal(reply.headers.get('content-type'), 'application/x-test');
    assert.deepEqual(Buffer.from(await reply.arrayBuffer()), body);
  });
});

describe('refusals say what was expected', () => {
  const cases: [path: string, status: number, text: RegExp][] = [
    ['/nowhere', 404, /known are \/, \/bytes\/N/],
    ['/bytes/many', 400, /expected a size, as \/bytes\/65536/],
    ['/bytes/10?dely=1s', 400, /unknown option dely: known are delay/],
    ['/?delay=100', 400, /delay=100: expected a time/],
    ['/?delay=1h', 400, /at most 10m/],
    ['/?status=99', 400, /expected 200 to 599/],
    ['/?errorRate=2', 400, /a share from 0 to 1/],
    ['/?chunked=yes', 400, /expected 0 or 1/],
    ['/stall?for=1s', 400, /expected POST/],
  ];
  for (const [path, status, text] of cases) {
    test(path, async () => {
      const reply = await fetch(target.url + path);
      assert.equal(reply.status, status);
      assert.match(await reply.text(), text);
    });
  }
});

test('during a stall no reply begins, and afterwards all do', async () => {
  const own = await startTarget(LOOPBACK);
  await fetch(`${own.url}/stall?for=150ms`, { method: 'POST' });
  const start = performance.now();
  const ends = await Promise.all(
    ['/', '/bytes/10', '/nowhere'].map(async (path) => {
      await (await fetch(own.url + path)).text();
      return performance.now() - start;
    }),
  );
  for (const end of ends) assert.ok(end >= 100, `a reply came after ${end} ms`);
  await own.close();
});

test('bytes are those on the wire, without the calls that ask for them', async () => {
  const own = await startTarget(LOOPBACK);
  const request = 'GET /bytes/100000?close=1 HTTP/1.1\r\nHost: t\r\n\r\n';
  let sent = 0;
  for (let i = 0; i < 5; i++) sent += (await exchange(own.url, request)).length;
  // On one connection, so that the control call shares it with load.
  const shared = await exchange(
    own.url,
    'GET / HTTP/1.1\r\nHost: t\r\n\r\nGET /requests HTTP/1.1\r\nHost: t\r\n\r\n',
  );
  const load = shared.slice(0, shared.indexOf('HTTP/1.1', 1));
  const counts = await (await fetch(`${own.url}/requests`)).json();
  assert.deepEqual(counts, {
    requests: 6,
    replies: 6,
    bytes: {
      received: 5 * request.length + 'GET / HTTP/1.1\r\nHost: t\r\n\r\n'.length,
      sent: sent + load.length,
      body: 500_025,
    },
  });
  await own.close();
});

test('a client that goes away in mid-body is not a reply', async () => {
  const own = await startTarget(LOOPBACK);
  const { port } = new URL(own.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('GET /bytes/1GiB HTTP/1.1\r\nHost: t\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  await own.close();
  const { requests, replies, bytes } = own.counts();
  assert.deepEqual([requests, replies], [1, 0]);
  assert.ok(bytes.body < 1024 ** 3);
});

describe('an address that cannot be had', () => {
  test('a port in use names the port and the way out', async () => {
    const port = Number(new URL(target.url).port);
    await assert.rejects(startTarget({ host: '127.0.0.1', port }), (error: unknown) => {
      assert.ok(error instanceof BroadsideError);
      assert.equal(error.code, 'PORT_IN_USE');
      assert.match(error.message, new RegExp(String(port)));
      assert.match(error.hint ?? '', /--port/);
      return true;
    });
  });

  test('an address of another machine', async () => {
    await assert.rejects(startTarget({ host: '192.0.2.1', port: 0 }), { code: 'USAGE' });
  });
});

describe('the command', () => {
  const main = fileURLToPath(new URL('../../coordinator/main.js', import.meta.url));
  const start = (...args: string[]) => spawn(process.execPath, [main, 'target', ...args]);

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`prints its address, serves, and ends well on ${signal}`, async () => {
      const child = start('--port', '0');
      const url = await announcedUrl(child);
      assert.equal((await fetch(url)).status, 200);
      child.kill(signal);
      const [code] = await once(child, 'exit');
      assert.equal(code, 0);
    });
  }

  test('a port in use is exit 2', async () => {
    const child = start('--port', new URL(target.url).port);
    const errors: Buffer[] = [];
    child.stderr.on('data', (piece: Buffer) => errors.push(piece));
    const [code] = await once(child, 'close');
    assert.equal(code, 2);
    assert.match(Buffer.concat(errors).toString(), /is in use/);
  });
});

async function announcedUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /^Broadside target on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the target ended without a word');
}
