import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type CellChoice, choiceProblems, chosenCells } from '../../../shared/domain/cell-choice.ts';
import type { Cell } from '../../../shared/domain/run.ts';
import { type Axis, cellLabel, cellsOf } from '../../../shared/domain/sweep.ts';

const SWEEP: Axis[] = [
  { name: 'target', values: ['httpd', 'nio'] },
  { name: 'n', values: [1, 40] },
];
const choice = (more: Partial<CellChoice>): CellChoice => ({
  sweep: SWEEP,
  exclude: [],
  include: [],
  only: {},
  ...more,
});
const labels = (more: Partial<CellChoice>): string[] => chosenCells(choice(more)).map(cellLabel);

const CHOICES: [sentence: string, more: Partial<CellChoice>, cells: string[]][] = [
  ['all of them', {}, ['target=httpd n=1', 'target=httpd n=40', 'target=nio n=1', 'target=nio n=40']],
  [
    'one is left out',
    { exclude: [{ target: 'nio', n: 40 }] },
    ['target=httpd n=1', 'target=httpd n=40', 'target=nio n=1'],
  ],
  [
    'one value is left out everywhere, as text or as number',
    { exclude: [{ n: '40' }] },
    ['target=httpd n=1', 'target=nio n=1'],
  ],
  [
    'one is added, with a value that the axis does not have',
    { exclude: [{ target: 'nio' }], include: [{ n: 900, target: 'nio' }] },
    ['target=httpd n=1', 'target=httpd n=40', 'target=nio n=900'],
  ],
  [
    'what is left open takes all of its values',
    { exclude: [{ n: 1 }, { n: 40 }], include: [{ n: 900 }] },
    ['target=httpd n=900', 'target=nio n=900'],
  ],
  [
    'what was left out comes back, once',
    { exclude: [{ n: 40 }], include: [{ n: 40, target: 'nio' }, { target: 'nio' }] },
    ['target=httpd n=1', 'target=nio n=1', 'target=nio n=40'],
  ],
  ['only some values', { only: { n: ['40', 7] } }, ['target=httpd n=40', 'target=nio n=40']],
  ['only one cell', { only: { n: [1], target: ['nio'] } }, ['target=nio n=1']],
];

const axes = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }).map((values): Axis => ({ name, values })),
      ),
    ),
  );
const patternOf = (sweep: readonly Axis[]) =>
  fc
    .tuple(...sweep.map(({ values }) => fc.option(fc.constantFrom(...values), { nil: undefined })))
    .map((values): Cell => {
      const entries = values.flatMap((value, i) => (value === undefined ? [] : [[sweep[i]!.name, value]]));
      return Object.fromEntries(entries);
    })
    .filter((pattern) => Object.keys(pattern).length > 0);
const choices = axes.chain((sweep) =>
  fc.record({
    sweep: fc.constant(sweep),
    exclude: fc.array(patternOf(sweep), { maxLength: 3 }),
    include: fc.array(patternOf(sweep), { maxLength: 2 }),
    only: fc.constant({}),
  }),
);
const has = (cell: Cell, pattern: Cell) =>
  Object.entries(pattern).every(([axis, value]) => cell[axis] === value);

describe('the choice of cells', () => {
  for (const [sentence, more, cells] of CHOICES) {
    test(sentence, () => assert.deepEqual(labels(more), cells));
  }

  test('a combination is there once, and exactly when it is included or not excluded', () => {
    fc.assert(
      fc.property(choices, (any) => {
        const chosen = chosenCells(any).map(cellLabel);
        assert.equal(new Set(chosen).size, chosen.length);
        for (const cell of cellsOf(any.sweep)) {
          const excluded = any.exclude.some((pattern) => has(cell, pattern));
          const included = any.include.some((pattern) => has(cell, pattern));
          assert.equal(chosen.includes(cellLabel(cell)), included || !excluded);
        }
      }),
    );
  });

  test('a choice without problems leaves cells, and each of its entries does something', () => {
    fc.assert(
      fc.property(choices, (any) => {
        if (choiceProblems(any).length > 0) return;
        assert.ok(chosenCells(any).length > 0);
        any.include.forEach((_, i) => {
          const without = { ...any, include: any.include.filter((_, j) => j !== i) };
          if (i === any.include.length - 1) assert.ok(chosenCells(without).length < chosenCells(any).length);
        });
      }),
    );
  });
});
