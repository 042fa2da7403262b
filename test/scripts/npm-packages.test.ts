import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDirectory } from '../support/folders.ts';
import { loadScript, ROOT } from './load-script.ts';
import { runNode } from './run-node.ts';

const { packagesProblem } = await loadScript<{ packagesProblem(root: string): string | undefined }>(
  'setup/npm-packages.mjs',
);

interface Entry {
  version?: string;
  integrity?: string;
  optional?: boolean;
}

const ONE = { version: '1.0.0', integrity: 'sha512-a' };
const cases: {
  that: string;
  wanted: Record<string, Entry>;
  installed?: Record<string, Entry>;
  problem?: RegExp;
}[] = [
  { that: 'no node_modules', wanted: { 'node_modules/a': ONE }, problem: /not installed yet/ },
  { that: 'the same', wanted: { '': {}, 'node_modules/a': ONE }, installed: { 'node_modules/a': ONE } },
  {
    that: 'one more is installed',
    wanted: { 'node_modules/a': ONE },
    installed: { 'node_modules/a': ONE, 'node_modules/b': ONE },
  },
  {
    that: 'one is missing, below another',
    wanted: { 'node_modules/a/node_modules/@x/b': ONE },
    installed: { 'node_modules/a': ONE },
    problem: /package @x\/b is missing/,
  },
  {
    that: 'one is older',
    wanted: { 'node_modules/a': { ...ONE, version: '1.1.0' } },
    installed: { 'node_modules/a': ONE },
    problem: /a is 1\.0\.0, package-lock\.json wants 1\.1\.0/,
  },
  {
    that: 'one has the version but other contents',
    wanted: { 'node_modules/a': ONE },
    installed: { 'node_modules/a': { ...ONE, integrity: 'sha512-b' } },
    problem: /package a is/,
  },
  {
    that: 'an optional one is for another system',
    wanted: { 'node_modules/a': { ...ONE, optional: true } },
    installed: {},
  },
];
for (const { that, wanted, installed, problem } of cases) {
  test(that, (t) => {
    const root = tempDirectory(t, {
      'package-lock.json': JSON.stringify({ packages: wanted }),
      ...(installed && { 'node_modules/.package-lock.json': JSON.stringify({ packages: installed }) }),
    });
    const found = packagesProblem(root);
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? 'no problem', problem);
  });
}

test('an installation that was broken off has no record, and is made again', (t) => {
  const root = tempDirectory(t, {
    'package-lock.json': JSON.stringify({ packages: { 'node_modules/a': ONE } }),
    'node_modules/a/package.json': '{}',
  });
  assert.match(packagesProblem(root) ?? '', /not installed yet/);
});

test('npm ci is said before it is done, and done once', async (t) => {
  const root = tempDirectory(t, {
    'package.json': JSON.stringify({ name: 'x', version: '1.0.0', dependencies: { 'a-package': 'file:a' } }),
    'a/package.json': JSON.stringify({ name: 'a-package', version: '1.0.0' }),
  });
  const lock = {
    name: 'x',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'x', version: '1.0.0', dependencies: { 'a-package': 'file:a' } },
      a: { name: 'a-package', version: '1.0.0' },
      'node_modules/a-package': { resolved: 'a', link: true },
    },
  };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
  const script = `
    import { ensurePackages } from ${JSON.stringify(join(ROOT, 'scripts/setup/npm-packages.mjs'))};
    await ensurePackages(process.cwd());`;
  const first = await runNode(['--input-type=module', '--eval', script], { cwd: root });
  assert.match(first.stderr, /^» the npm packages are not installed yet: npm ci\n/);
  assert.ok(existsSync(join(root, 'node_modules/a-package/package.json')), first.stderr);
  const second = await runNode(['--input-type=module', '--eval', script], { cwd: root });
  assert.deepEqual(second, { code: 0, stdout: '', stderr: '' });
});
