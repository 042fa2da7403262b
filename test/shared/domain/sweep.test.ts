import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Axis,
  cellCount,
  cellLabel,
  cellsOf,
  escapeReferences,
  referencesIn,
  substitute,
} from '../../../shared/domain/sweep.ts';

const CELL = { size: '4KiB', connections: 40, chunked: true };

const SUBSTITUTIONS: [template: unknown, result: unknown, sentence: string][] = [
  ['${connections}', 40, 'a lone reference keeps the type of the value'],
  ['${chunked}', true, 'also true and false'],
  ['${ connections }', 40, 'blanks inside do not matter'],
  ['/${size}.bin', '/4KiB.bin', 'inside a text it is text'],
  ['${connections} ', '40 ', 'a blank makes it a text'],
  ['${size}${connections}', '4KiB40', 'two references are a text'],
  ['$${size}', '${size}', 'a doubled dollar escapes'],
  ['$$${size}', '$${size}', 'the first of three dollars is one'],
  ['$size {size} $', '$size {size} $', 'other dollars and braces are nothing special'],
  ['${colour}', '${colour}', 'an unknown name stays'],
  ['${constructor}', '${constructor}', 'what objects inherit is no axis'],
  [
    { a: ['${size}', { b: '${connections}' }], c: 1, d: null },
    { a: ['4KiB', { b: 40 }], c: 1, d: null },
    'deep',
  ],
];

describe('sweep', () => {
  for (const [template, result, sentence] of SUBSTITUTIONS) {
    test(`${JSON.stringify(template)}: ${sentence}`, () =>
      assert.deepEqual(substitute(template, CELL), result));
  }

  test('escaped text comes out as it went in, whatever is in it', () => {
    const text = fc.string({ unit: fc.constantFrom('$', '{', '}', 'size', 'a') });
    fc.assert(fc.property(text, (any) => assert.equal(substitute(escapeReferences(any), CELL), any)));
    fc.assert(fc.property(text, (any) => assert.deepEqual(referencesIn(escapeReferences(any)), [])));
  });

  test('references are listed with their paths, the unclosed one without a name', () => {
    const found = referencesIn({ path: '/${a}/$${b}/${c}', list: ['x', '${d', 5] }, ['request']);
    assert.deepEqual(found, [
      { path: ['request', 'path'], axis: 'a' },
      { path: ['request', 'path'], axis: 'c' },
      { path: ['request', 'list', 1] },
    ]);
  });

  test('the first axis changes slowest', () => {
    const axes: Axis[] = [
      { name: 'target', values: ['a', 'b'] },
      { name: 'n', values: [1, 40] },
    ];
    assert.deepEqual(cellsOf(axes).map(cellLabel), [
      'target=a n=1',
      'target=a n=40',
      'target=b n=1',
      'target=b n=40',
    ]);
  });

  test('without axes there is one empty cell', () => {
    assert.deepEqual(cellsOf([]), [{}]);
    assert.equal(cellLabel({}), '');
  });

  test('every combination once', () => {
    const axes = fc
      .array(fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 4 }), { maxLength: 4 })
      .map((values) => values.map((list, i): Axis => ({ name: `axis${i}`, values: list })));
    fc.assert(
      fc.property(axes, (given) => {
        const cells = cellsOf(given);
        assert.equal(cells.length, cellCount(given));
        assert.equal(new Set(cells.map(cellLabel)).size, cells.length);
        for (const cell of cells) {
          for (const { name, values } of given) assert.ok(values.includes(cell[name]!));
        }
      }),
    );
  });
});
