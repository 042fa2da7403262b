/** Every format against a file that a person has read. `UPDATE_GOLDEN=1 npm test` writes them anew: read the diff. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import {
  COMPARISON_FORMATS,
  type ComparisonFormat,
} from '../../../../coordinator/report/compare/format-names.ts';
import { COMPARISON_FORMATTERS } from '../../../../coordinator/report/compare/formats.ts';
import { compareRuns } from '../../../../coordinator/report/compare/model.ts';
import type { RunComparison } from '../../../../coordinator/report/compare/schema.ts';
import { inRepository } from '../repository.ts';
import { Draws, NOISES } from '../statistics/simulation.ts';
import { LOAD, simulatedReport } from './simulated-run.ts';

const cell = (target: string, size: string) => ({ target, size });

/** A sweep against another: one cell slower, one DNF, some in one run only, one of a p99 without ground. */
async function sweeps(): Promise<RunComparison> {
  const random = new Draws(11);
  const base = { random, noise: NOISES.normal };
  const a = await simulatedReport({
    ...base,
    id: '20261129-180000-0a0a',
    cells: [cell('httpd', '4KiB'), cell('httpd', '64KiB'), cell('nio', '4KiB'), cell('nio', '64KiB')],
  });
  const b = await simulatedReport({
    ...base,
    id: '20261130-180000-0b0b',
    cells: [cell('httpd', '4KiB'), cell('httpd', '64KiB'), cell('nio', '4KiB'), cell('nio2', '4KiB')],
    requests: 300,
    rounds: 6,
    speed: ({ size }) => (size === '64KiB' ? 0.8 : 1),
    fails: ({ cell }) => cell.target === 'nio',
    plan: (plan) => (plan.cell.size === '64KiB' ? { ...plan, load: { ...LOAD, connections: 40 } } : plan),
    run: { broadside: '0.2.0' },
    end: { state: 'cancelled', reason: 'cancelled by request' },
  });
  return compareRuns(a, b);
}

/** No sweep, three rounds, everything alike. */
async function small(): Promise<RunComparison> {
  const base = { random: new Draws(12), noise: NOISES.normal, rounds: 3 };
  return compareRuns(
    await simulatedReport({ ...base, id: 'r1' }),
    await simulatedReport({ ...base, id: 'r2' }),
  );
}

const rows: [
  file: string,
  comparison: () => Promise<RunComparison>,
  format: ComparisonFormat,
  width?: number,
][] = [
  ['sweeps.txt', sweeps, 'text'],
  ['sweeps-80.txt', sweeps, 'text', 80],
  ['sweeps.json', sweeps, 'json'],
  ['sweeps.md', sweeps, 'md'],
  ['sweeps.csv', sweeps, 'csv'],
  ['small.txt', small, 'text'],
];

for (const [file, comparison, format, width] of rows) {
  test(`${file} is what ${format} prints`, async () => {
    const text = COMPARISON_FORMATTERS[format](await comparison(), width === undefined ? {} : { width });
    const path = inRepository(`test/coordinator/report/compare/golden/${file}`);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
    assert.equal(text, readFileSync(path, 'utf8'));
  });
}

describe('every format', () => {
  for (const format of COMPARISON_FORMATS) {
    test(`${format} prints a comparison of nothing`, async () => {
      const all = { ...(await small()), cells: [], notCompared: [] };
      assert.match(COMPARISON_FORMATTERS[format](all), /\S\r?\n$/);
    });
  }

  test('text is not wider than asked for', async () => {
    for (const width of [80, 100, 240]) {
      for (const line of COMPARISON_FORMATTERS.text(await sweeps(), { width }).split('\n')) {
        assert.ok([...line].length <= Math.min(100, width), `${width}: ${line}`);
      }
    }
  });

  test('csv is read back: a row for each cell and metric, then the cells not compared', async () => {
    const comparison = await sweeps();
    const read: Record<string, string>[] = parse(COMPARISON_FORMATTERS.csv(comparison), { columns: true });
    const metrics = comparison.cells.flatMap(({ cell, metrics }) => metrics.map((one) => ({ cell, ...one })));
    assert.equal(read.length, metrics.length + comparison.notCompared.length);
    metrics.forEach(({ cell, metric, comparison, reason }, i) => {
      assert.equal(read[i]!['cell.size'], cell.size);
      assert.equal(read[i]!.metric, metric);
      assert.equal(Number(read[i]!.ratio), comparison?.ratio ?? 0);
      assert.equal(read[i]!.result, comparison?.word ?? reason);
    });
  });

  test('what a scenario says cannot command the terminal', async () => {
    const evil = await small();
    evil.a.name = 'evil\u001b]0;title\u0007';
    evil.cells[0]!.cell = { 'ax\u001bis': 'va\u001blue' };
    evil.notCompared = [
      { cell: { 'x\u001b': 'y\u001b' }, missingIn: 'A', why: 'DNF', reasons: ['\u001b[2J'] },
    ];
    for (const format of ['text', 'md', 'csv'] as const) {
      assert.doesNotMatch(COMPARISON_FORMATTERS[format](evil).replace(/[\r\n]/g, ''), /\p{Cc}/u);
    }
  });
});
