/** What goes wrong around a k6, through `coordinator run` with a lab of its own: each ends in time, and names the culprit. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type CliResult, runCli } from '../support/cli.ts';
import { K6_BINARY, WITHOUT_K6 } from '../support/k6.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { Scope } from '../support/scope.ts';
import { makeSmallDisk, NO_SMALL_DISK } from '../support/small-disk.ts';

/** Of everything, on a busy machine: k6 may be silent for 20 s. */
const ENDS_WITHIN_MS = 45_000;

describe('k6', { skip: WITHOUT_K6 }, () => {
  let scope: Scope;
  let folder: string;

  before(async () => {
    scope = new Scope();
    folder = await temporaryDirectory(scope);
    await writeFile(path.join(folder, 'data.txt'), 'x'.repeat(200_000));
    await writeFile(
      path.join(folder, 'large.js'),
      "const data = open('./data.txt');\nexport const options = { vus: 2, iterations: 4 };\nexport default function () {}\n",
    );
    await writeFile(
      path.join(folder, 'long.js'),
      'export const options = { vus: 2, duration: "60s" };\nexport default function () {}\n',
    );
  });
  after(() => scope?.close());

  async function smallDisk(name: string, takenKib = 0): Promise<string> {
    const disk = path.join(folder, name);
    await makeSmallDisk(scope, disk, takenKib);
    return disk;
  }

  async function program(name: string, lines: string): Promise<string> {
    const file = path.join(folder, name);
    await writeFile(file, `#!/bin/sh\n${lines}\n`);
    await chmod(file, 0o755);
    return file;
  }

  async function run(
    script: string,
    { k6 = K6_BINARY!, data = path.join(folder, 'data'), cache = path.join(folder, 'cache') } = {},
  ): Promise<CliResult> {
    const args = ['run', path.join(folder, script), '--k6', k6, '--data', data];
    const result = await runCli('coordinator', args, { XDG_CACHE_HOME: cache });
    assert.ok(result.tookMs < ENDS_WITHIN_MS, `it took ${result.tookMs} ms`);
    return result;
  }

  test('a disk that is full where a worker keeps scripts', { skip: NO_SMALL_DISK }, async () => {
    const { code, stderr } = await run('large.js', { cache: await smallDisk('cache-disk') });
    assert.match(stderr, /failed: worker local-1: script package .*ENOSPC/);
    assert.equal(code, 3, stderr);
  });

  test('a disk that is full where the coordinator keeps scripts', { skip: NO_SMALL_DISK }, async () => {
    const data = await smallDisk('data-disk');
    const { code, stderr } = await run('large.js', { data });
    assert.match(stderr, /the script package cannot be kept in .*data-disk\/scripts: ENOSPC/);
    assert.equal(code, 2, stderr);
  });

  test('a disk that gets full under the journal while the load runs', { skip: NO_SMALL_DISK }, async () => {
    const data = await smallDisk('journal-disk', 44);
    const { code, stderr } = await run('long.js', { data });
    assert.match(
      stderr,
      /failed: the journal .*journal-disk\/runs\/.*journal\.jsonl cannot be written: ENOSPC/,
    );
    assert.equal(code, 3, stderr);
  });

  test('a k6 that never gets ready', async () => {
    const k6 = await program('never', `if [ "$1" = run ]; then exec sleep 100; fi\nexec '${K6_BINARY}' "$@"`);
    const { code, stderr } = await run('large.js', { k6 });
    assert.match(stderr, /failed: worker local-1: k6 did not become ready: .*its API did not answer/);
    assert.equal(code, 3, stderr);
  });

  test('a program that is not k6', async () => {
    const k6 = await program('hello', 'echo hello');
    const { code, stderr } = await run('large.js', { k6 });
    assert.match(stderr, /--k6: .*hello is not k6/);
    assert.equal(code, 2, stderr);
  });
});
