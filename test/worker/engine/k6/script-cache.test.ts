import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { create } from 'tar';
import type { ScriptPackage } from '../../../../shared/domain/k6-plan.ts';
import { ScriptCache } from '../../../../worker/engine/k6/script-cache.ts';
import { suiteFolder, writeFiles } from '../../../support/folders.ts';

const TOKEN = 'a token';

describe('the scripts of a worker', () => {
  const root = suiteFolder();
  let server: Server;
  let url: URL;
  let asked: string[] = [];
  const packages = new Map<string, Buffer>();

  /** A bundle of these files; `link` is a symbolic link in it. */
  function bundle(files: Record<string, string>, link?: string): ScriptPackage {
    const from = mkdtempSync(path.join(root, 'from-'));
    writeFiles(from, files);
    if (link !== undefined) symlinkSync('/etc', path.join(from, link));
    const file = path.join(from, 'all.tar');
    create({ file, cwd: from, sync: true, portable: true }, [
      ...Object.keys(files),
      ...(link === undefined ? [] : [link]),
    ]);
    return keep(readFileSync(file), { kind: 'bundle', entry: Object.keys(files)[0]! });
  }

  function keep(content: Buffer, rest: Pick<ScriptPackage, 'kind' | 'entry'>): ScriptPackage {
    const sha256 = createHash('sha256').update(content).digest('hex');
    packages.set(sha256, content);
    return { sha256, bytes: content.length, ...rest };
  }

  before(async () => {
    server = createServer((request, response) => {
      const sha256 = request.url!.split('/').at(-1)!;
      asked.push(sha256);
      const content = packages.get(sha256);
      if (request.headers.authorization !== `Bearer ${TOKEN}`) response.writeHead(401).end();
      else if (content === undefined) response.writeHead(404).end();
      else response.end(content);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  let folder: string;
  beforeEach(() => {
    asked = [];
    folder = mkdtempSync(path.join(root, 'cache-'));
  });
  const cache = (mostKeptBytes?: number): ScriptCache =>
    new ScriptCache({
      coordinator: url,
      token: TOKEN,
      folder,
      ...(mostKeptBytes !== undefined && { mostKeptBytes }),
    });

  test('a bundle is fetched once, and unpacked for each use', async () => {
    const pack = bundle({ 'main.js': 'import "./lib/a.js"', 'lib/a.js': 'let a' });
    const one = await cache().fetch(pack);
    const two = await cache().fetch(pack);
    assert.equal(readFileSync(one.file, 'utf8'), 'import "./lib/a.js"');
    assert.equal(readFileSync(path.join(one.folder, 'lib/a.js'), 'utf8'), 'let a');
    assert.notEqual(one.folder, two.folder);
    assert.deepEqual(asked, [pack.sha256]);
    await one.remove();
    await two.remove();
    assert.ok(!existsSync(one.folder));
  });

  test('an archive is used as it is', async () => {
    const pack = keep(Buffer.from('an archive'), { kind: 'archive' });
    const ready = await cache().fetch(pack);
    assert.equal(readFileSync(ready.file, 'utf8'), 'an archive');
    await ready.remove();
  });

  test('what something has changed is fetched again', async () => {
    const pack = keep(Buffer.from('an archive'), { kind: 'archive' });
    await (await cache().fetch(pack)).remove();
    writeFileSync(path.join(folder, `${pack.sha256}.tar`), 'something else');
    const ready = await cache().fetch(pack);
    assert.equal(readFileSync(ready.file, 'utf8'), 'an archive');
    await ready.remove();
    assert.equal(asked.length, 2);
  });

  test('at once, by two: both have it, and nothing half is left', async () => {
    const pack = bundle({ 'main.js': 'let a' });
    const both = await Promise.all([cache().fetch(pack), cache().fetch(pack)]);
    for (const { file, remove } of both) {
      assert.equal(readFileSync(file, 'utf8'), 'let a');
      await remove();
    }
    assert.deepEqual(readdirSync(folder), [`${pack.sha256}.tar`]);
  });

  test('the oldest go when there are too many bytes', async () => {
    const packs = ['a', 'b', 'c'].map((letter) => keep(Buffer.alloc(100, letter), { kind: 'archive' }));
    for (const [i, pack] of packs.entries()) {
      await (await cache(250).fetch(pack)).remove();
      utimesSync(path.join(folder, `${pack.sha256}.tar`), 1000 + i, 1000 + i);
    }
    assert.deepEqual(
      readdirSync(folder).sort(),
      packs
        .slice(1)
        .map(({ sha256 }) => `${sha256}.tar`)
        .sort(),
    );
  });

  const REFUSED: [sentence: string, pack: () => ScriptPackage, message: RegExp][] = [
    [
      'a name that is a path',
      () => ({ sha256: '../x', bytes: 1, kind: 'archive' }),
      /its name is no SHA-256/,
    ],
    [
      'one that the coordinator does not have',
      () => ({ sha256: 'f'.repeat(64), bytes: 1, kind: 'archive' }),
      /answered HTTP 404/,
    ],
    [
      'other bytes than its name says',
      () => {
        const sha256 = 'e'.repeat(64);
        packages.set(sha256, Buffer.from('other bytes'));
        return { sha256, bytes: 11, kind: 'archive' };
      },
      /is not what its name says/,
    ],
    [
      'what is no tar',
      () => keep(Buffer.from('no tar'), { kind: 'bundle', entry: 'a.js' }),
      /cannot be unpacked/,
    ],
    [
      'an entry that leads out',
      () => ({ ...bundle({ 'a.js': '' }), entry: '../a.js' }),
      /cannot be unpacked: it has no/,
    ],
    ['an entry that is not there', () => ({ ...bundle({ 'a.js': '' }), entry: 'b.js' }), /it has no b\.js/],
  ];
  for (const [sentence, pack, message] of REFUSED) {
    test(`refused: ${sentence}`, async () => {
      await assert.rejects(cache().fetch(pack()), { code: 'RUN_FAILED', message });
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith('.')),
        [],
      );
    });
  }

  test('links in a bundle are left out', async () => {
    const ready = await cache().fetch(bundle({ 'a.js': '' }, 'etc'));
    assert.deepEqual(readdirSync(ready.folder), ['a.js']);
    await ready.remove();
  });

  test('refused without the token', async () => {
    const pack = keep(Buffer.from('secret'), { kind: 'archive' });
    await assert.rejects(
      new ScriptCache({ coordinator: url, token: undefined, folder }).fetch(pack),
      /HTTP 401/,
    );
  });
});
