import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { trustingFetch } from '../../shared/trusting-fetch.ts';
import { certificate, TEST_CA } from '../support/certificates.ts';

describe('fetch from a coordinator with an authority of its own', () => {
  const server = https.createServer(certificate('server'), (request, response) => {
    if (request.url === '/refused') {
      response.writeHead(413, { connection: 'close' }).end('{"error":1}');
      return;
    }
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      const { method, headers } = request;
      response.writeHead(method === 'HEAD' ? 404 : 201);
      response.end(
        JSON.stringify({ method, bytes, token: headers.authorization, type: headers['content-type'] }),
      );
    });
  });
  const at = (path: string): URL =>
    new URL(path, `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  test('sends text with its headers, and reads the answer', async () => {
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
    const response = await trustingFetch(at('/'), { method: 'POST', headers, body: '{"é":1}' }, TEST_CA);
    assert.equal(response.status, 201);
    const sent = { method: 'POST', bytes: 8, token: 'Bearer t', type: 'application/json' };
    assert.deepEqual(await response.json(), sent);
  });

  test('sends a stream whole', async () => {
    const body = Readable.toWeb(Readable.from([Buffer.alloc(70_000), Buffer.alloc(30_000)]));
    const init = { method: 'PUT', headers: { 'content-length': '100000' }, body, duplex: 'half' };
    const response = await trustingFetch(at('/'), init as RequestInit, TEST_CA);
    assert.equal(((await response.json()) as { bytes: number }).bytes, 100_000);
  });

  test('an answer that comes before all of a stream is sent is an answer', async () => {
    const body = Readable.toWeb(Readable.from(Array.from({ length: 200 }, () => Buffer.alloc(65_536))));
    const init = { method: 'PUT', body, duplex: 'half' } as RequestInit;
    assert.equal((await trustingFetch(at('/refused'), init, TEST_CA)).status, 413);
  });

  test('a HEAD has no body', async () => {
    const response = await trustingFetch(at('/'), { method: 'HEAD' }, TEST_CA);
    assert.equal(response.ok, false);
    assert.equal(await response.text(), '');
  });

  test('a server of another authority is not trusted', async () => {
    const rejected = trustingFetch(at('/'), {}, certificate('self-signed').cert);
    await assert.rejects(rejected, { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });
});
