import assert from 'node:assert/strict';
import { existsSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { tempDirectory } from '../support/folders.ts';
import { loadScript, ROOT } from './load-script.ts';
import { type Ended, runNode } from './run-node.ts';

const { sourcesDigest, staleOutputs } = await loadScript<{
  sourcesDigest(root: string): string;
  staleOutputs(root: string): string[];
}>('setup/build.mjs');

function tree(t: TestContext): string {
  return tempDirectory(t, {
    'package.json': JSON.stringify({ type: 'module', bin: { tool: 'dist/shared/a.js' } }),
    'package-lock.json': '{}',
    'tsconfig.json': JSON.stringify({
      compilerOptions: { rootDir: '.', outDir: 'dist', module: 'nodenext', sourceMap: true, types: [] },
      include: ['shared', 'test'],
    }),
    'shared/a.ts': '#!/usr/bin/env node\nexport const a = 1;\n',
    'shared/notes.md': '',
  });
}

describe('the digest of the sources', () => {
  const changes: [that: string, change: (root: string) => void, differs: boolean][] = [
    ['nothing', () => undefined, false],
    [
      'a source is edited',
      (root) => writeFileSync(join(root, 'shared/a.ts'), 'export const a = 22;\n'),
      true,
    ],
    ['a source is touched', (root) => utimesSync(join(root, 'shared/a.ts'), 1e9, 1e9), true],
    ['a source is added', (root) => writeFileSync(join(root, 'shared/b.ts'), ''), true],
    ['a source is removed', (root) => rmSync(join(root, 'shared/a.ts')), true],
    ['the compiler options change', (root) => writeFileSync(join(root, 'tsconfig.json'), '{ }'), true],
    ['something else changes', (root) => writeFileSync(join(root, 'shared/notes.md'), 'words'), false],
  ];
  for (const [that, change, differs] of changes) {
    test(`${that}: ${differs ? 'another' : 'the same'}`, (t) => {
      const root = tree(t);
      const before = sourcesDigest(root);
      change(root);
      assert.equal(sourcesDigest(root) !== before, differs);
    });
  }
});

test('outputs are stale when their source is gone and they are the compiler’s', (t) => {
  const root = tempDirectory(t, {
    'shared/kept.ts': '',
    'dist/shared/kept.js': '',
    'dist/shared/kept.js.map': '',
    'dist/test/gone.test.js': '',
    'dist/test/gone.test.js.map': '',
    'dist/shared/copied.js': '',
  });
  assert.deepEqual(
    staleOutputs(root).map((file) => file.slice(root.length + 1)),
    ['dist/test/gone.test.js', 'dist/test/gone.test.js.map'],
  );
});

function build(root: string): Promise<Ended> {
  const script = `
    import { main } from ${JSON.stringify(join(ROOT, 'scripts/setup/console.mjs'))};
    import { ensureBuild } from ${JSON.stringify(join(ROOT, 'scripts/setup/build.mjs'))};
    await main(() => ensureBuild(process.cwd()));`;
  return runNode(['--input-type=module', '--eval', script], { cwd: root });
}

test('it builds when a source is newer, and only then; the bins can be executed', async (t) => {
  const root = tree(t);
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const first = await build(root);
  assert.match(first.stderr, /» building/);
  assert.equal(first.code, 0, first.stderr);
  assert.equal((await runNode([join(root, 'dist/shared/a.js')])).code, 0);
  assert.deepEqual(await build(root), { code: 0, stdout: '', stderr: '' });
  writeFileSync(join(root, 'shared/a.ts'), 'export const a: string = 1;\n');
  for (const attempt of ['first', 'second']) {
    const broken = await build(root);
    assert.equal(broken.code, 1, `${attempt} attempt`);
    assert.match(broken.stderr, /a\.ts.*TS2322.*error: the build failed/s);
  }
  rmSync(join(root, 'shared/a.ts'));
  writeFileSync(join(root, 'shared/b.ts'), 'export const b = 1;\n');
  assert.equal((await build(root)).code, 0);
  assert.ok(!existsSync(join(root, 'dist/shared/a.js')));
});
