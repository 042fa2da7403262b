import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findReferences } from '../../../coordinator/scripts/references.ts';

const namesIn = (source: string, typescript = false): string[] => {
  const found = findReferences(source, typescript);
  assert.ok('references' in found, JSON.stringify(found));
  return found.references.map(({ kind, name }) => `${kind} ${name}`);
};

describe('what a script names', () => {
  const ROWS: [sentence: string, source: string, names: string[]][] = [
    ['an import', `import { a } from './a.js'`, ['module ./a.js']],
    ['for its effect', `import './a.js'`, ['module ./a.js']],
    ['of JSON', `import d from './d.json' with { type: 'json' }`, ['module ./d.json']],
    ['passed on', `export * from './a.js'; export { b } from "./b.js"`, ['module ./a.js', 'module ./b.js']],
    ['required', `const a = require('./a.js')`, ['module ./a.js']],
    ['imported when it runs', `const a = await import('./a.js')`, ['module ./a.js']],
    ['a file', `const d = open('d.json')`, ['file d.json']],
    ['binary, in a function', "const d = new SharedArray('d', () => [open(`d.bin`, 'b')])", ['file d.bin']],
    [
      'by the file system of k6',
      `import fs from 'k6/experimental/fs'; await fs.open('d.csv')`,
      ['module k6/experimental/fs', 'file d.csv'],
    ],
    ['an open of something else', `window.open('https://x')`, []],
    ['in a comment', `// import './a.js'\n/* open('b') */`, []],
    ['in a text', `const a = "import './a.js'"`, []],
    ['deep: a bundled library', `${'['.repeat(200)}open('x')${']'.repeat(200)}`, ['file x']],
  ];
  for (const [sentence, source, names] of ROWS)
    test(sentence, () => assert.deepEqual(namesIn(source), names));

  test('in TypeScript, types are none', () => {
    const source = `import type { A } from './types.ts';
import { b } from './b.ts';
const n: number = <number>(open('c.txt') as unknown);
interface D { open(name: string): void }`;
    assert.deepEqual(namesIn(source, true), ['module ./b.ts', 'file c.txt']);
  });

  test('each with its place, from 1', () => {
    assert.deepEqual(findReferences(`\nimport a from './a.js';`, false), {
      references: [{ kind: 'module', name: './a.js', line: 2, column: 15 }],
      unknown: [],
    });
  });

  test('names that are put together when it runs are said to be unknown', () => {
    const found = findReferences('open(`./${__ENV.X}.json`);\nrequire(a + b);', false);
    assert.deepEqual(found, {
      references: [],
      unknown: [
        { call: 'open', line: 1 },
        { call: 'require', line: 2 },
      ],
    });
  });

  test('what cannot be read has its place', () => {
    const found = findReferences('export default function () {\n  let a = ;\n}', false);
    assert.deepEqual(found, { message: 'Unexpected token', line: 2, column: 11 });
  });
});
