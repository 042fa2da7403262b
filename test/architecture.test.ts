import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadScript, ROOT } from './scripts/load-script.ts';

const { importProblems, importsOf, readSources, treeProblems } = await loadScript<{
  importProblems(sources: Map<string, string>, dependencies: Set<string>): string[];
  importsOf(source: string): string[];
  readSources(root: string): Map<string, string>;
  treeProblems(root: string): string[];
}>('import-direction.mjs');

test('the tree keeps the direction of imports', () => {
  assert.deepEqual(treeProblems(ROOT), []);
});

test('the tree is looked at, all of it', () => {
  const sources = readSources(ROOT);
  for (const path of [
    'shared/errors.ts',
    'worker/engine/engine.ts',
    'scripts/setup.mjs',
    'test/architecture.test.ts',
  ]) {
    assert.ok(sources.has(path), path);
  }
  assert.ok(importsOf(sources.get('test/architecture.test.ts')!).includes('./scripts/load-script.ts'));
});

describe('what counts as an import', () => {
  const cases: [that: string, source: string, names: string[]][] = [
    ['names', `import { a, type B } from './a.ts';`, ['./a.ts']],
    ['over several lines', `import {\n  a,\n  b,\n} from './a.ts';`, ['./a.ts']],
    ['types', `import type { A } from './a.ts';`, ['./a.ts']],
    ['default and names', `import a, { b } from "./a.ts";`, ['./a.ts']],
    ['namespace', `import * as a from './a.ts';`, ['./a.ts']],
    ['for its effect', `import './a.ts';`, ['./a.ts']],
    ['passed on', `export { a } from './a.ts';\nexport * from './b.ts';`, ['./a.ts', './b.ts']],
    ['dynamic', `const a = await import('./a.ts');`, ['./a.ts']],
    ['an exported text is none', `export const from = 'x';\nexport type T = 'y' | 'z';`, []],
    ['a comment is none', `/** import { a } from './a.ts' */`, []],
  ];
  for (const [that, source, names] of cases) {
    test(that, () => assert.deepEqual(importsOf(source), names));
  }
});

describe('what is refused', () => {
  const cases: [that: string, files: Record<string, string>, problem: RegExp | undefined][] = [
    [
      'both sides use shared',
      { 'worker/a.ts': `import '../shared/x.ts';`, 'coordinator/a.ts': `import '../shared/x.ts';` },
      undefined,
    ],
    [
      'worker uses coordinator',
      { 'worker/a.ts': `import '../coordinator/b.ts';` },
      /worker may not import coordinator/,
    ],
    [
      'coordinator uses worker',
      { 'coordinator/cli/a.ts': `import '../../worker/b.ts';` },
      /coordinator may not/,
    ],
    ['shared uses worker', { 'shared/domain/a.ts': `import '../../worker/b.ts';` }, /shared\/domain may not/],
    ['metrics use domain', { 'shared/metrics/a.ts': `import '../domain/b.ts';` }, undefined],
    [
      'domain uses metrics',
      { 'shared/domain/a.ts': `import '../metrics/b.ts';` },
      /may not import shared\/metrics/,
    ],
    [
      'metrics use protocol',
      { 'shared/metrics/a.ts': `import '../protocol/b.ts';` },
      /may not import shared\/protocol/,
    ],
    [
      'product uses a test',
      { 'worker/a.ts': `import '../test/support/b.ts';` },
      /worker may not import test/,
    ],
    ['out of the layout', { 'worker/a.ts': `import '../dist/b.js';` }, /outside the layout/],
    ['a dependency', { 'worker/a.ts': `import 'ws';`, 'shared/a.ts': `import '@x/y/z';` }, undefined],
    [
      'a package of developers',
      { 'worker/a.ts': `import 'fast-check';` },
      /fast-check, which is not in .* dependencies/,
    ],
    ['a test may use it', { 'test/a.ts': `import 'fast-check';` }, undefined],
    ['a script uses a package', { 'scripts/a.mjs': `import 'ws';` }, /scripts run before npm ci/],
    [
      'a cycle of three',
      {
        'shared/a.ts': `import './b.ts';`,
        'shared/b.ts': `import './c.ts';`,
        'shared/c.ts': `import './a.ts';`,
      },
      /^import cycle: shared\/a\.ts → shared\/b\.ts → shared\/c\.ts → shared\/a\.ts$/,
    ],
    [
      'a diamond is no cycle',
      {
        'shared/a.ts': `import './b.ts';\nimport './c.ts';`,
        'shared/b.ts': `import './c.ts';`,
        'shared/c.ts': '',
      },
      undefined,
    ],
  ];
  for (const [that, files, problem] of cases) {
    test(that, () => {
      const problems = importProblems(new Map(Object.entries(files)), new Set(['ws', '@x/y']));
      if (problem === undefined) assert.deepEqual(problems, []);
      else {
        assert.equal(problems.length, 1, problems.join('\n'));
        assert.match(problems[0]!, problem);
      }
    });
  }
});
