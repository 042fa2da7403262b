import assert from 'node:assert/strict';
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { tempDirectory, writeFiles } from '../support/folders.ts';
import { ROOT } from './load-script.ts';
import { type Ended, runNode } from './run-node.ts';

/** A small project with this project's scripts and packages. */
function project(t: TestContext, tests: Record<string, string>): string {
  const root = tempDirectory(t, {
    'package.json': JSON.stringify({ type: 'module' }),
    'package-lock.json': JSON.stringify({ packages: {} }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: { rootDir: '.', outDir: 'dist', module: 'nodenext', sourceMap: true, types: ['node'] },
      include: ['test'],
    }),
    ...tests,
  });
  cpSync(join(ROOT, 'scripts'), join(root, 'scripts'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

function npmTest(root: string, ...filters: string[]): Promise<Ended> {
  return runNode([join(root, 'scripts/test.mjs'), ...filters], { cwd: root });
}

const GOOD = `import { test } from 'node:test';\ntest('goes well', () => {});\n`;
const BAD = `import { test } from 'node:test';\ntest('goes wrong', () => { throw new Error('no'); });\n`;
const SKIPPED = `import { test } from 'node:test';\ntest('compares logs', { skip: 'nginx is not installed' }, () => {});\n`;

test('a project without a test file is a failure, not a success of nothing', async (t) => {
  const { code, stderr } = await npmTest(project(t, { 'test/support.ts': 'export {};\n' }));
  assert.equal(code, 1);
  assert.match(stderr, /error: there is no test file in dist\/test/);
});

test('a run in which every test is skipped is a failure, and says why they were', async (t) => {
  const { code, stderr } = await npmTest(
    project(t, { 'test/a.test.ts': SKIPPED, 'test/none.test.ts': 'export {};\n' }),
  );
  assert.equal(code, 1);
  assert.match(stderr, /» skipped 1:\n» {3}compares logs: nginx is not installed\n/);
  assert.match(stderr, /error: no test was executed in 2 test files/);
});

test('filters choose files by path, and one that fits nothing says so', async (t) => {
  const root = project(t, { 'test/one/good.test.ts': GOOD, 'test/two/bad.test.ts': BAD });
  const one = await npmTest(root, 'one/');
  assert.equal(one.code, 0, one.stdout);
  assert.match(one.stdout, /goes well/);
  assert.doesNotMatch(one.stdout, /goes wrong/);
  const two = await npmTest(root, 'test/two/bad.test.ts');
  assert.equal(two.code, 1);
  assert.match(two.stdout, /goes wrong/);
  assert.doesNotMatch(two.stdout, /goes well/);
  const none = await npmTest(root, 'three');
  assert.equal(none.code, 1);
  assert.match(none.stderr, /no test file's path contains three/);
});

test('a compiled test whose source is gone is not run', async (t) => {
  const root = project(t, { 'test/bad.test.ts': BAD });
  assert.equal((await npmTest(root)).code, 1);
  rmSync(join(root, 'test/bad.test.ts'));
  writeFiles(root, { 'test/good.test.ts': GOOD });
  const { code, stdout } = await npmTest(root);
  assert.equal(code, 0, stdout);
  assert.doesNotMatch(stdout, /goes wrong/);
});
