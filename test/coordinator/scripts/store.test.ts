import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createApi } from '../../../coordinator/api.ts';
import { CoordinatorClient } from '../../../coordinator/client.ts';
import { DataDirectory } from '../../../coordinator/data-directory.ts';
import { localUrl, openPort } from '../../../coordinator/port.ts';
import { Registry } from '../../../coordinator/registry.ts';
import { ScriptStore } from '../../../coordinator/scripts/store.ts';
import type { ScriptPackage } from '../../../shared/domain/k6-plan.ts';
import { MOST_PACKAGE_BYTES } from '../../../shared/script-package.ts';
import { ScriptCache } from '../../../worker/engine/k6/script-cache.ts';

const TOKEN = 'a token';
const DAY_MS = 24 * 3_600_000;

describe('script packages at the coordinator', () => {
  let root: string;
  let server: Server;
  let api: FastifyInstance;
  let store: ScriptStore;
  let url: string;
  const kept = (): string[] => readdirSync(path.join(root, 'data', 'scripts'));
  const packageOf = (text: string): { pack: ScriptPackage; file: string } => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    const file = path.join(root, sha256);
    writeFileSync(file, text);
    return { pack: { sha256, bytes: Buffer.byteLength(text), kind: 'archive' }, file };
  };
  const put = (sha256: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/api/scripts/${sha256}`, {
      method: 'PUT',
      body,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-tar', ...headers },
    });

  before(async () => {
    root = mkdtempSync(path.join(tmpdir(), 'broadside-store-'));
    const data = await DataDirectory.open(path.join(root, 'data'));
    server = await openPort('127.0.0.1', 0);
    url = localUrl('127.0.0.1', server);
    store = new ScriptStore(data.root);
    // No run is submitted that would be taken.
    api = createApi({
      server,
      token: TOKEN,
      data,
      registry: new Registry(),
      scripts: store,
      runs: new Promise(() => {}),
    });
    await api.ready();
  });
  after(async () => {
    await api.close();
    server.closeAllConnections();
    server.close();
    rmSync(root, { recursive: true });
  });

  test('brought by a client, fetched by a worker', async () => {
    const { pack, file } = packageOf('an archive');
    const client = new CoordinatorClient(url, TOKEN);
    await client.bringScript(pack, file);
    await client.bringScript(pack, file);
    const cache = new ScriptCache({
      coordinator: new URL(url),
      token: TOKEN,
      folder: path.join(root, 'cache'),
    });
    await (await cache.fetch(pack)).remove();
    assert.deepEqual(kept(), [`${pack.sha256}.tar`]);
  });

  const REFUSED: [
    sentence: string,
    sha256: string,
    body: string,
    headers: Record<string, string>,
    status: number,
    message: RegExp,
  ][] = [
    ['other bytes than its name says', 'a'.repeat(64), 'b', {}, 400, /is not what its name says/],
    ['a name that is no hash', 'abc', 'b', {}, 400, /is its SHA-256/],
    ['another type', 'a'.repeat(64), 'b', { 'content-type': 'text/html' }, 415, /Unsupported Media Type/],
    ['without the token', 'a'.repeat(64), 'b', { authorization: '' }, 401, /token/],
  ];
  for (const [sentence, sha256, body, headers, status, message] of REFUSED) {
    test(`refused: ${sentence}`, async () => {
      const response = await put(sha256, body, headers);
      assert.equal(response.status, status);
      assert.match(await response.text(), message);
    });
  }

  test('refused: more bytes than a package may have, before they are sent', async () => {
    const { request } = await import('node:http');
    const asked = request(`${url}/api/scripts/${'a'.repeat(64)}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/x-tar',
        'content-length': MOST_PACKAGE_BYTES + 1,
      },
    });
    asked.on('error', () => {});
    asked.flushHeaders();
    const status = await new Promise<number | undefined>((resolve) => {
      asked.on('response', (response) => resolve(response.statusCode));
    });
    asked.destroy();
    assert.equal(status, 400);
  });

  test('what is not there is 404, also for a path', async () => {
    for (const name of ['f'.repeat(64), '..%2f..%2fetc%2fpasswd']) {
      const response = await fetch(`${url}/api/scripts/${name}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      assert.equal(response.status, 404);
    }
  });

  test('a scenario is not taken before its package', async () => {
    const client = new CoordinatorClient(url, TOKEN);
    const k6 = { script: 'a.js' };
    await assert.rejects(
      client.submit({ engine: 'k6', k6 }),
      /k6\.script: a script can be named only in a scenario file/,
    );
    const { pack } = packageOf('never brought');
    await assert.rejects(client.submit({ engine: 'k6', k6: { ...k6, package: pack } }), {
      code: 'SCRIPT_NOT_FOUND',
    });
  });

  test('what was not used for 30 days goes; a use is to be asked for', async () => {
    const { pack, file } = packageOf('old');
    await new CoordinatorClient(url, TOKEN).bringScript(pack, file);
    const at = path.join(root, 'data', 'scripts', `${pack.sha256}.tar`);
    const age = (days: number): void => utimesSync(at, new Date(), new Date(Date.now() - days * DAY_MS));
    age(29);
    await store.dropUnused();
    assert.ok(existsSync(at));
    age(31);
    assert.ok(await store.has(pack.sha256));
    await store.dropUnused();
    assert.ok(existsSync(at));
    age(31);
    await store.dropUnused();
    assert.ok(!existsSync(at));
  });
});
