/** How the engine gets to its target: certificates, sessions, addresses on both sides, lookups. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import tls from 'node:tls';
import { clock } from '../../../../shared/clock.ts';
import type { TlsPlan } from '../../../../shared/domain/transport.ts';
import type { ErrorClass } from '../../../../shared/metrics/error-class.ts';
import type { Engine, EngineOptions } from '../../../../worker/engine/engine.ts';
import { createHttpEngine } from '../../../../worker/engine/http/http-engine.ts';
import { AddressError } from '../../../../worker/target-addresses.ts';
import { certificate, TEST_CA } from '../../../support/certificates.ts';
import { RecordingSink } from '../../../support/recording-sink.ts';

const HI = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';

interface TestServer {
  port: number;
  /** Where its connections came from. */
  peers: string[];
}

function answering(socket: net.Socket): void {
  socket.on('error', () => {});
  socket.on('data', () => socket.write(HI));
}

async function serve(t: TestContext, server: net.Server, host = '127.0.0.1'): Promise<TestServer> {
  const peers: string[] = [];
  const open = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    peers.push(socket.remoteAddress ?? '');
    open.add(socket);
    socket.on('error', () => {});
  });
  server.on('tlsClientError', () => {});
  server.listen(0, host);
  await once(server, 'listening');
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, peers };
}

/** A TLS 1.3 record with an alert in it. */
const CLOSE_NOTIFY = 24;

const VERIFIED: TlsPlan = { insecure: false, ca: TEST_CA, resume: true };

/** So many requests, one after another. */
async function load(
  url: string,
  requests: number,
  options: Partial<EngineOptions> = {},
): Promise<RecordingSink> {
  const sink = new RecordingSink();
  const engine: Engine = await createHttpEngine({
    requests: [
      {
        name: 'request',
        weight: 1,
        method: 'GET',
        url,
        headers: [],
        timeoutUs: 2_000_000,
        connectTimeoutUs: 500_000,
      },
    ],
    startAt: 0,
    addresses: ['127.0.0.1'],
    slots: 1,
    keepAlive: true,
    clock,
    sink,
    onFree: () => {
      if (sink.startedCount < requests) engine.fire(0, clock.now());
    },
    ...options,
  });
  engine.fire(0, clock.now());
  await sink.until(() => sink.samples.length === requests);
  engine.close();
  return sink;
}

describe('certificates', () => {
  const ROWS: [
    sentence: string,
    server: Parameters<typeof certificate>[0],
    host: string,
    plan: TlsPlan,
    refused?: RegExp,
  ][] = [
    ['one of the CA, for the name', 'server', 'localhost', VERIFIED],
    ['one of the CA, for the address', 'server', '127.0.0.1', VERIFIED],
    [
      'one for another name',
      'other-name',
      'localhost',
      VERIFIED,
      /certificate is for another name .*elsewhere\.example/,
    ],
    [
      'one for another name, which is asked for',
      'other-name',
      'localhost',
      { ...VERIFIED, serverName: 'elsewhere.example' },
    ],
    ['an expired one', 'expired', 'localhost', VERIFIED, /certificate has expired/],
    ['a self-signed one', 'self-signed', 'localhost', VERIFIED, /certificate is self-signed/],
    [
      'a self-signed one that is the CA',
      'self-signed',
      'localhost',
      { ...VERIFIED, ca: certificate('self-signed').cert },
    ],
    [
      'one of a CA that is not well known',
      'server',
      'localhost',
      { insecure: false, resume: true },
      /from a CA that is not known here/,
    ],
    ['any one at all when told so', 'expired', 'localhost', { insecure: true, resume: true }],
  ];
  for (const [sentence, name, host, plan, refused] of ROWS) {
    test(`${sentence}: ${refused === undefined ? 'taken' : 'refused'}`, async (t) => {
      const { port } = await serve(t, tls.createServer(certificate(name), answering));
      const sink = await load(`https://${host}:${port}/`, 2, { tls: plan });
      const classes = sink.samples.map(({ errorClass }) => errorClass);
      if (refused === undefined) {
        assert.deepEqual(
          sink.samples.map(({ status }) => status),
          [200, 200],
        );
        return;
      }
      assert.deepEqual(classes, ['tls', 'tls']);
      assert.match(sink.samples[0]!.message!, refused);
    });
  }

  test('the name goes out as SNI, an address does not', async (t) => {
    const asked: string[] = [];
    const server = tls.createServer(
      {
        ...certificate('server'),
        SNICallback: (name, done) => {
          asked.push(name);
          done(null);
        },
      },
      answering,
    );
    const { port } = await serve(t, server);
    await load(`https://localhost:${port}/`, 1, { tls: VERIFIED });
    await load(`https://127.0.0.1:${port}/`, 1, { tls: VERIFIED });
    assert.deepEqual(asked, ['localhost']);
  });

  test('a server that asks for a client certificate gets it, and without one its refusal is of class tls', async (t) => {
    const server = tls.createServer(
      { ...certificate('server'), ca: TEST_CA, requestCert: true, rejectUnauthorized: true },
      answering,
    );
    const { port } = await serve(t, server);
    const url = `https://localhost:${port}/`;
    const known = await load(url, 1, { tls: { ...VERIFIED, ...certificate('client') } });
    assert.deepEqual(known.samples[0]!.status, 200);
    const unknown = await load(url, 1, { tls: VERIFIED });
    assert.equal(unknown.samples[0]!.errorClass, 'tls', unknown.samples[0]!.message);
    assert.match(unknown.samples[0]!.message!, /certificate required/i);
  });

  test('HTTP/1.1 is asked for, whatever else the server speaks', async (t) => {
    const chosen: (string | false | null)[] = [];
    const server = tls.createServer(
      { ...certificate('server'), ALPNProtocols: ['h2', 'http/1.1'] },
      (socket) => {
        chosen.push(socket.alpnProtocol);
        answering(socket);
      },
    );
    const { port } = await serve(t, server);
    await load(`https://localhost:${port}/`, 1, { tls: VERIFIED });
    assert.deepEqual(chosen, ['http/1.1']);
  });
});

describe('handshakes', () => {
  const BROKEN: [
    sentence: string,
    listener: (socket: net.Socket) => void,
    errorClass: ErrorClass,
    message: RegExp,
  ][] = [
    ['closed at once', (socket) => socket.end(), 'tls', /closed during the TLS handshake/],
    [
      'closed after the first message',
      (socket) => socket.once('data', () => socket.end()),
      'tls',
      /closed during the TLS handshake/,
    ],
    [
      'reset after the first message',
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
      'tls',
      /closed during the TLS handshake/,
    ],
    [
      'answered in plain HTTP',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      'tls',
      /does not speak TLS; is it an http:\/\/ target/,
    ],
    ['never answered', () => {}, 'tls', /the TLS handshake did not end: localhost:\d+ after 5\d\d ms/],
  ];
  for (const [sentence, listener, errorClass, message] of BROKEN) {
    test(`a handshake that is ${sentence} is of class ${errorClass}, every time`, async (t) => {
      const { port } = await serve(t, net.createServer(listener));
      const sink = await load(`https://localhost:${port}/`, 2, { tls: VERIFIED });
      assert.deepEqual(
        sink.samples.map((sample) => sample.errorClass),
        [errorClass, errorClass],
      );
      assert.match(sink.samples[0]!.message!, message);
      assert.deepEqual([sink.connectTimesUs.length, sink.handshakeTimesUs.length], [2, 0]);
      assert.ok(sink.sentBytes > 100, 'what was sent of the handshake counts as sent');
    });
  }

  test('http:// to a port that speaks TLS says so', async (t) => {
    const { port } = await serve(t, tls.createServer(certificate('server'), answering));
    const [sample] = (await load(`http://localhost:${port}/`, 1)).samples;
    // Some servers close instead of answering with an alert.
    if (sample!.errorClass === 'closed-early' || sample!.errorClass === 'reset') return;
    assert.equal(sample!.errorClass, 'protocol');
    assert.match(sample!.message!, /a TLS alert; is it an https:\/\/ target\?/);
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`${version}: all connections but the first take up the last session, unless told not to`, async (t) => {
      const server = tls.createServer(
        { ...certificate('server'), minVersion: version, maxVersion: version },
        answering,
      );
      const { port } = await serve(t, server);
      const url = `https://localhost:${port}/`;
      const resumed = await load(url, 10, { tls: VERIFIED, keepAlive: false });
      assert.deepEqual([resumed.handshakeTimesUs.length, resumed.resumedCount], [10, 9]);
      const full = await load(url, 10, { tls: { ...VERIFIED, resume: false }, keepAlive: false });
      assert.deepEqual([full.handshakeTimesUs.length, full.resumedCount], [10, 0]);
    });
  }

  test('bytes are those of the TCP connection, and what is decrypted is counted beside them', async (t) => {
    const wire = { received: 0, sent: 0 };
    const server = net.createServer((tcp) => {
      const socket = new tls.TLSSocket(tcp, { isServer: true, ...certificate('server') });
      answering(socket);
      tcp.on('close', () => {
        wire.received += tcp.bytesRead;
        wire.sent += tcp.bytesWritten;
      });
    });
    const { port } = await serve(t, server);
    const closed = new Promise((resolve) => server.once('connection', (tcp) => tcp.once('close', resolve)));
    const sink = await load(`https://localhost:${port}/`, 100, { tls: VERIFIED });
    await closed;
    assert.equal(sink.sentBytes, wire.received);
    // The server's close_notify comes when the engine has gone.
    assert.equal(sink.receivedBytes, wire.sent - CLOSE_NOTIFY);
    assert.equal(sink.decryptedBytes, 100 * HI.length);
    assert.equal(sink.bodyBytes, 200);
  });
});

describe('addresses', () => {
  const TWO = ['127.0.0.2', '127.0.0.3'];

  test('connections go to all addresses of the target in turn', async (t) => {
    const { port } = await serve(t, net.createServer(answering), '0.0.0.0');
    const url = `http://target.lab:${port}/`;
    const first = await load(url, 5, { addresses: TWO, keepAlive: false });
    assert.deepEqual(first.addresses, [...TWO, ...TWO, TWO[0]]);
    const second = await load(url, 3, { addresses: TWO, keepAlive: false, startAt: 1 });
    assert.deepEqual(second.addresses, [TWO[1], ...TWO]);
  });

  test('connections come from the local addresses in turn', async (t) => {
    const { port, peers } = await serve(t, net.createServer(answering));
    await load(`http://127.0.0.1:${port}/`, 4, { localAddresses: TWO, keepAlive: false });
    assert.deepEqual(peers, [...TWO, ...TWO]);
  });

  test('a local address that is not there is the generator’s failure', async (t) => {
    const { port } = await serve(t, net.createServer(answering));
    const sink = await load(`http://127.0.0.1:${port}/`, 2, { localAddresses: ['192.0.2.1'] });
    assert.deepEqual(
      sink.samples.map(({ errorClass }) => errorClass),
      ['local-ports', 'local-ports'],
    );
  });

  test('local addresses of the other family are not taken, and none of the right one is an error', async (t) => {
    const { port, peers } = await serve(t, net.createServer(answering));
    await load(`http://127.0.0.1:${port}/`, 2, { localAddresses: ['::1', '127.0.0.2'], keepAlive: false });
    assert.deepEqual(peers, ['127.0.0.2', '127.0.0.2']);
    await assert.rejects(load(`http://127.0.0.1:${port}/`, 1, { localAddresses: ['::1'] }), {
      code: 'USAGE',
      message: /none of this worker's local addresses \(::1\) is IPv4/,
    });
  });

  test('IPv6 targets are driven, plain and with TLS', async (t) => {
    const plain = await serve(t, net.createServer(answering), '::1');
    const secure = await serve(t, tls.createServer(certificate('server'), answering), '::1');
    const options = { addresses: ['::1'], tls: VERIFIED };
    for (const url of [`http://[::1]:${plain.port}/`, `https://[::1]:${secure.port}/`]) {
      const sink = await load(url, 2, options);
      assert.deepEqual([sink.samples[1]!.status, sink.addresses], [200, ['::1']], url);
    }
  });
});

describe('lookups per connection', () => {
  test('each connection goes where the name leads then', async (t) => {
    const { port } = await serve(t, net.createServer(answering), '0.0.0.0');
    const answers = [['127.0.0.2'], ['127.0.0.3', '127.0.0.4'], ['127.0.0.2']];
    let lookups = 0;
    const lookup = async (): Promise<string[]> => answers[lookups++]!;
    const sink = await load(`http://target.lab:${port}/`, 3, { lookup, keepAlive: false });
    assert.deepEqual(sink.addresses, ['127.0.0.2', '127.0.0.3', '127.0.0.2']);
    assert.equal((await load(`http://127.0.0.1:${port}/`, 1, { lookup })).samples[0]!.status, 200);
    assert.equal(lookups, 3, 'an address is not looked up');
  });

  const FAILING: [
    sentence: string,
    lookup: () => Promise<string[]>,
    errorClass: ErrorClass,
    message: RegExp,
  ][] = [
    [
      'a name that is not there',
      () => Promise.reject(new AddressError('dns', 'the name is not there', {})),
      'dns',
      /the name is not there/,
    ],
    [
      'an address that is not allowed',
      () => Promise.reject(new AddressError('not-allowed', 'not yours', {})),
      'not-allowed',
      /not yours/,
    ],
    ['a name without an address', async () => [], 'dns', /the name has no address/],
    [
      'an address of a family that has no local one',
      async () => ['::1'],
      'local-ports',
      /is IPv6, as ::1 is/,
    ],
    [
      'a resolver that does not answer',
      () => new Promise((resolve) => setTimeout(() => resolve([]), 700)),
      'dns',
      /was not resolved: .* after 5\d\d ms/,
    ],
  ];
  for (const [sentence, lookup, errorClass, message] of FAILING) {
    test(`${sentence} is of class ${errorClass}`, async () => {
      const sink = await load('http://target.lab:1/', 2, { lookup, localAddresses: ['127.0.0.2'] });
      assert.deepEqual(
        sink.samples.map((sample) => sample.errorClass),
        [errorClass, errorClass],
      );
      assert.match(sink.samples[0]!.message!, message);
      assert.equal(sink.connectTimesUs.length, 0);
    });
  }
});
