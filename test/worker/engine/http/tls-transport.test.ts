/** What is written to a TLS connection, and what goes over the wire for it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type net from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import tls from 'node:tls';
import { clock } from '../../../../shared/clock.ts';
import { Dialer } from '../../../../worker/engine/http/dialer.ts';
import { endpointOf } from '../../../../worker/engine/http/endpoint.ts';
import { TlsTransport } from '../../../../worker/engine/http/tls-transport.ts';
import { certificate, TEST_CA } from '../../../support/certificates.ts';
import { hideWire } from '../../../support/hidden-wire.ts';
import { RecordingSink } from '../../../support/recording-sink.ts';
import { BEGUN_RECORD } from '../../../support/scripted-server.ts';

interface Opened {
  transport: TlsTransport;
  sink: RecordingSink;
  /** The server's ends. */
  tcp: net.Socket;
  secured: tls.TLSSocket;
  /** How it ended. */
  over: Promise<string>;
}

async function open(t: TestContext, more: tls.TlsOptions = {}): Promise<Opened> {
  const server = tls.createServer({ ...certificate('server'), ...more });
  const accepted = once(server, 'connection');
  const securedThere = once(server, 'secureConnection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sink = new RecordingSink();
  const options = { addresses: ['127.0.0.1'], startAt: 0, clock, sink };
  const dialer = new Dialer(
    endpointOf(`https://localhost:${port}/`),
    {
      ...options,
      ...{ requests: [], slots: 1, keepAlive: true, onFree: () => {} },
      tls: { insecure: false, ca: TEST_CA, resume: true },
    },
    new Uint8Array(65_536),
  );
  let transport!: TlsTransport;
  let tell!: (how: string) => void;
  const over = new Promise<string>((resolve) => {
    tell = resolve;
  });
  await new Promise<void>((resolve) => {
    transport = new TlsTransport(dialer, dialer.secure!, {
      opened: resolve,
      read: () => {},
      ended: (cut) => tell(cut ? 'cut' : 'ended'),
      broken: tell,
    });
    transport.begin();
  });
  const [tcp] = (await accepted) as [net.Socket];
  const [secured] = (await securedThere) as [tls.TLSSocket];
  for (const socket of [tcp, secured]) socket.on('error', () => {});
  t.after(() => {
    transport.destroy();
    tcp.destroy();
    server.close();
  });
  return { transport, sink, tcp, secured, over };
}

async function untilRead(socket: tls.TLSSocket, length: number): Promise<string> {
  let text = '';
  for await (const piece of socket.setEncoding('latin1').iterator({ destroyOnReturn: false })) {
    text += piece;
    if (text.length >= length) break;
  }
  return text;
}

const close = (secured: tls.TLSSocket): unknown => secured.end();
/** TLS 1.2 with the longest records for the same bytes. */
const LONG_RECORDS: tls.TlsOptions = {
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA384',
};
type End = (secured: tls.TLSSocket, tcp: net.Socket) => unknown;
const ENDS: [how: string, sentence: string, end: End, options?: tls.TlsOptions][] = [
  ['ended', 'with a close_notify', close],
  ['ended', 'with the longest close_notify', close, LONG_RECORDS],
  ['cut', 'without one', (_, tcp) => tcp.end()],
  ['cut', 'in the middle of a record', (_, tcp) => tcp.end(BEGUN_RECORD)],
];
const SOCKETS: [sentence: string, hide: boolean][] = [
  ['in one socket with its TCP connection', false],
  ['beside its TCP socket, where Node hides what is beneath the other', true],
];
for (const [sentence, hide] of SOCKETS) {
  describe(`TLS ${sentence}`, () => {
    if (hide) {
      let show: () => void;
      before(() => {
        show = hideWire();
      });
      after(() => show());
    }

    test('writes go out in their order, also from inside another', async (t) => {
      const { transport, secured } = await open(t);
      const taken: string[] = [];
      transport.write(Buffer.from('a'));
      transport.write(Buffer.from('b'));
      await new Promise<void>((resolve) => {
        transport.writePiece(Buffer.from('c'), () => {
          taken.push('c');
          transport.writePiece(Buffer.from('e'), () => {
            taken.push('e');
            resolve();
          });
        });
        transport.write(Buffer.from('d'));
      });
      assert.equal(await untilRead(secured, 5), 'abcde');
      assert.deepEqual(taken, ['c', 'e']);
    });

    test('all bytes on the wire are counted, also those of the handshake', async (t) => {
      const { transport, sink, tcp, secured } = await open(t);
      transport.write(Buffer.alloc(100_000));
      await untilRead(secured, 100_000);
      secured.write(Buffer.alloc(100_000));
      await sink.until(() => sink.decryptedBytes === 100_000);
      assert.deepEqual([sink.sentBytes, sink.receivedBytes], [tcp.bytesRead, tcp.bytesWritten]);
      assert.ok(sink.sentBytes > 100_000 && sink.receivedBytes > 100_000);
    });

    test('a connection of which the server has gone is reset at the next write, and nothing counts as taken', async (t) => {
      const { transport, tcp, over } = await open(t);
      tcp.resetAndDestroy();
      let taken = 0;
      transport.write(Buffer.from('a'));
      transport.writePiece(Buffer.from('b'), () => taken++);
      assert.equal(await over, 'reset');
      assert.equal(taken, 0);
    });

    for (const [how, sentence, end, more] of ENDS) {
      test(`an end ${sentence} is told as it is: ${how}`, async (t) => {
        const { sink, tcp, secured, over } = await open(t, more);
        secured.write('a');
        await sink.until(() => sink.decryptedBytes === 1);
        end(secured, tcp);
        assert.equal(await over, how);
      });
    }
  });
}
