import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { matchCells } from '../../../../coordinator/report/compare/match-cells.ts';
import { compareRuns } from '../../../../coordinator/report/compare/model.ts';
import type { RunComparison } from '../../../../coordinator/report/compare/schema.ts';
import { tallyOf, verdictOf } from '../../../../coordinator/report/compare/verdict.ts';
import type { Cell, TrialPlan } from '../../../../shared/domain/run.ts';
import { Draws, NOISES } from '../statistics/simulation.ts';
import { LOAD, type SimulatedRun, simulatedReport } from './simulated-run.ts';

type Change = Partial<SimulatedRun>;

/** A and B as given, at 3 % noise. */
async function compared(a: Change, b: Change, metrics?: string[]): Promise<RunComparison> {
  const random = new Draws(7);
  const base = { random, noise: NOISES.normal };
  const [reportA, reportB] = [
    await simulatedReport({ id: 'run-a', ...base, ...a }),
    await simulatedReport({ id: 'run-b', ...base, ...b }),
  ];
  return compareRuns(reportA, reportB, metrics);
}

const words = ({ cells }: RunComparison) =>
  cells.map(({ metrics }) => metrics.map(({ comparison, reason }) => comparison?.word ?? reason));

describe('cells', () => {
  const at = (name: string, cell: Cell) => ({ cell, target: { name } });
  const rows: [
    why: string,
    a: ReturnType<typeof at>[],
    b: ReturnType<typeof at>[],
    matched: Cell[],
    only: [number, number],
  ][] = [
    [
      'match by the values of their axes, in whatever order',
      [at('x', { size: 1, target: 'x' })],
      [at('x', { target: 'x', size: 1 })],
      [{ target: 'x', size: 1 }],
      [0, 0],
    ],
    [
      'without a sweep are the same, wherever they were measured',
      [at('old', {})],
      [at('new', {})],
      [{}],
      [0, 0],
    ],
    [
      'of a run at one target find their column in a run at several',
      [at('httpd', { size: 1 })],
      [at('nio', { target: 'nio', size: 1 }), at('httpd', { target: 'httpd', size: 1 })],
      [{ target: 'httpd', size: 1 }],
      [0, 1],
    ],
    [
      'with another axis do not match',
      [at('x', { size: 1 })],
      [at('x', { size: 1, clients: 4 })],
      [],
      [1, 1],
    ],
    ['a text is not the number that it spells', [at('x', { size: 1 })], [at('x', { size: '1' })], [], [1, 1]],
  ];
  for (const [why, a, b, matched, only] of rows) {
    test(why, () => {
      const found = matchCells(a, b);
      assert.deepEqual(
        found.matched.map(({ cell }) => cell),
        matched,
      );
      assert.deepEqual([found.onlyA.length, found.onlyB.length], only);
    });
  }

  test('every cell of both runs is matched or listed, once', () => {
    const cells = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 8 });
    fc.assert(
      fc.property(cells, cells, (a, b) => {
        const placed = (sizes: number[]) => sizes.map((size) => at('x', { size }));
        const { matched, onlyA, onlyB } = matchCells(placed(a), placed(b));
        assert.equal(matched.length + onlyA.length, a.length);
        assert.equal(matched.length + onlyB.length, b.length);
        for (const { a, b } of matched) assert.deepEqual(a.cell, b.cell);
      }),
    );
  });
});

describe('the words', () => {
  const rows: [why: string, a: Change, b: Change, words: string[]][] = [
    ['a third slower', {}, { speed: () => 0.67 }, ['slower', 'slower', 'slower', 'slower']],
    ['half as fast again', {}, { speed: () => 1.5 }, ['faster', 'faster', 'faster', 'faster']],
    ['the same', {}, {}, new Array(4).fill('no difference shown')],
    ['four rounds in common', {}, { rounds: 4, speed: () => 0.5 }, new Array(4).fill('too few rounds')],
    [
      'a p99 of too few requests',
      { requests: 100 },
      { speed: () => 0.67 },
      ['slower', 'slower', 'slower', 'needs 368 requests in each round, one has 100'],
    ],
  ];
  for (const [why, a, b, expected] of rows) {
    test(why, async () => assert.deepEqual(words(await compared(a, b)), [expected]));
  }

  test('B over A: turned round, the ratio is turned over', async () => {
    const random = () => ({ random: new Draws(3), noise: NOISES.normal });
    const a = await simulatedReport({ id: 'a', ...random() });
    const b = await simulatedReport({ id: 'b', ...random(), speed: () => 2 });
    const ratio = (one: RunComparison) => one.cells[0]!.metrics[0]!.comparison!.ratio;
    assert.ok(Math.abs(ratio(compareRuns(a, b)) - 2) < 1e-5);
    assert.ok(Math.abs(ratio(compareRuns(b, a)) - 0.5) < 1e-5);
  });

  test('what is compared can be chosen; of errors there are more or less, and no ratio to 0', async () => {
    const { metrics, cells } = await compared({}, {}, ['p(50)', 'errors', 'p(50)']);
    assert.deepEqual(metrics, ['p(50)', 'errors']);
    assert.equal(cells[0]!.metrics[1]!.reason, 'there is no ratio to 0');
  });

  test('Holm: all cells and metrics are one table', async () => {
    const cells = ['1KiB', '8KiB', '64KiB'].map((size) => ({ size }));
    const { cells: found } = await compared({ cells }, { cells });
    const [one] = found[0]!.metrics;
    const all = found.flatMap(({ metrics }) => metrics.map(({ comparison }) => comparison!));
    assert.equal(all.length, 12);
    assert.ok(one!.comparison!.adjustedP! >= one!.comparison!.p!);
    const least = all.reduce((low, each) => (each.p! < low.p! ? each : low));
    assert.equal(least.adjustedP, Math.min(1, 12 * least.p!));
  });

  test('a metric that does not exist, and a run against itself, are refused', async () => {
    await assert.rejects(compared({}, {}, ['p99']), {
      code: 'USAGE',
      message: /--metrics: .*did you mean "p\(99\)"/,
    });
    await assert.rejects(compared({}, { id: 'run-a' }), { code: 'USAGE', message: /compared with itself/ });
  });
});

describe('what is unlike is said', () => {
  const planned = (change: (plan: TrialPlan) => Partial<TrialPlan>): Change => ({
    plan: (plan) => ({ ...plan, ...change(plan) }),
  });
  const request = (plan: TrialPlan, more: object) => [{ ...plan.requests[0]!, ...more }];
  const warnings: [why: string, b: Change, warning: RegExp | undefined][] = [
    ['nothing where nothing is', {}, undefined],
    [
      'connections',
      planned(() => ({ load: { ...LOAD, connections: 40 } })),
      /^connections: 4 in A, 40 in B$/,
    ],
    [
      'keep-alive',
      planned(() => ({ load: { ...LOAD, keepAlive: false } })),
      /^keep-alive: yes in A, no in B$/,
    ],
    [
      'the request',
      planned((plan) => ({ requests: request(plan, { url: 'http://10.0.0.5:8080/other' }) })),
      /^request: GET \/4k\.bin\?x=1 in A, GET \/other in B$/,
    ],
    [
      'a header',
      planned((plan) => ({ requests: request(plan, { headers: [['Accept-Encoding', 'gzip']] }) })),
      /^request: GET \/4k\.bin\?x=1 in A, GET \/4k\.bin\?x=1, headers \(digest [0-9a-f]{8}\) in B$/,
    ],
    [
      'no other target alone',
      planned((plan) => ({
        target: { name: 'new', url: 'http://10.0.0.9' },
        requests: request(plan, { url: 'http://10.0.0.9/4k.bin?x=1' }),
      })),
      undefined,
    ],
    [
      'a run that was cancelled',
      { end: { state: 'cancelled', reason: 'by request' } },
      /^B is cancelled: by request$/,
    ],
  ];
  for (const [why, b, warning] of warnings) {
    test(`warns: ${why}`, async () => {
      const { warnings } = await compared({}, b);
      assert.equal(warnings.length, warning === undefined ? 0 : 1, warnings.join('\n'));
      if (warning !== undefined) assert.match(warnings[0]!, warning);
    });
  }

  test('warns of another executor with all that goes with it', async () => {
    const { warnings } = await compared(
      {},
      planned(() => ({
        load: {
          executor: 'constant-arrival-rate',
          rate: 400,
          durationUs: 1e6,
          maxConnections: 4,
          maxWaitUs: 1e6,
          keepAlive: true,
          stripe: { offset: 0, stride: 1 },
        },
      })),
    );
    assert.deepEqual(warnings, [
      'executor: constant-connections in A, constant-arrival-rate in B',
      'connections: 4 in A, at most 4 in B',
      'arrival rate: none in A, 400/s in B',
      'arrivals: none in A, even in B',
    ]);
  });

  test('warns once of what all cells have, and names the cell of what one has', async () => {
    const cells = [{ size: '1KiB' }, { size: '8KiB' }];
    const load = (connections: number) => ({ load: { ...LOAD, connections } });
    const all = await compared({ cells }, { cells, ...planned(() => load(8)) });
    assert.deepEqual(all.warnings, ['connections: 4 in A, 8 in B (all cells)']);
    const one = await compared(
      { cells },
      { cells, ...planned(({ cell }) => load(cell.size === '8KiB' ? 8 : 4)) },
    );
    assert.deepEqual(one.warnings, ['connections: 4 in A, 8 in B (size=8KiB)']);
    assert.deepEqual(
      one.cells.map(({ loadDifferences }) => loadDifferences.length),
      [0, 1],
    );
  });

  test('notes how many requests the warm-up had', async () => {
    const { notes } = await compared(
      planned(() => ({ warmupUs: 6e7, warmupRequests: 100 })),
      planned(() => ({ warmupUs: 6e7, warmupRequests: 500 })),
    );
    assert.equal(notes[0], 'warm-up: 100 requests in A, 500 requests in B');
  });

  test('notes how long, at which target, by which version, under which name', async () => {
    const { notes, warnings } = await compared(
      {},
      {
        ...planned((plan) => ({
          load: { ...LOAD, durationUs: 2e6 },
          warmupUs: 5e6,
          target: { ...plan.target, name: 'new' },
        })),
        run: { broadside: '0.2.0', name: 'again' },
      },
    );
    assert.deepEqual(warnings, []);
    assert.deepEqual(notes.slice(0, -1), [
      'target: target at http://10.0.0.5:8080 in A, new at http://10.0.0.5:8080 in B',
      'duration: 1.00 s in A, 2.00 s in B',
      'warm-up: none in A, 5.00 s in B',
      'scenario: static files in A, again in B',
      'Broadside: 0.1.0 in A, 0.2.0 in B',
    ]);
    assert.match(notes.at(-1)!, /different times/);
  });
});

describe('cells that are not compared', () => {
  const cells = [{ size: '1KiB' }, { size: '8KiB' }];

  test('are listed with why', async () => {
    const { notCompared, cells: both } = await compared(
      { cells: [...cells, { size: '1MiB' }] },
      { cells: [...cells, { size: '2MiB' }], fails: ({ cell }) => cell.size === '8KiB' },
    );
    assert.deepEqual(
      both.map(({ cell }) => cell.size),
      ['1KiB'],
    );
    assert.deepEqual(
      notCompared.map(({ cell, missingIn, why }) => [cell.size, missingIn, why]),
      [
        ['8KiB', 'B', 'DNF'],
        ['1MiB', 'B', 'no such cell'],
        ['2MiB', 'A', 'no such cell'],
      ],
    );
    assert.match(notCompared[0]!.reasons![0]!, /^B, round 1: /);
  });

  test('a round that one of the two did not finish is left out of its pairs alone', async () => {
    const {
      cells: [cell],
    } = await compared({}, { rounds: 6, fails: ({ round }) => round === 2 });
    assert.deepEqual(
      [cell!.a, cell!.b],
      [
        { rounds: 5, completed: 5 },
        { rounds: 6, completed: 5 },
      ],
    );
    assert.equal(cell!.metrics[0]!.comparison!.pairs, 4);
  });
});

describe('the exit code', () => {
  const cells = [{ size: '1KiB' }, { size: '8KiB' }];
  const slow: Change = { speed: () => 0.67 };
  const rows: [why: string, a: Change, b: Change, failOnSlower: boolean, code: number, reason?: RegExp][] = [
    ['is 0 when nothing differs', {}, {}, true, 0],
    ['is 0 when B is faster', {}, { speed: () => 1.5 }, true, 0],
    ['is 0 when B is slower and nobody asked', {}, slow, false, 0],
    ['is 99 when B is slower and that was to fail', {}, slow, true, 99, /4 of 4 comparisons: slower/],
    ['is 4 when too few rounds can tell', {}, { rounds: 3 }, true, 4, /too few rounds/],
    ['is 0 then, when nobody asked', {}, { rounds: 3 }, false, 0],
    [
      'is 99 when B did not finish what A did',
      { cells },
      { cells, fails: ({ cell }) => cell.size === '8KiB' },
      true,
      99,
      /did not finish what A did: one cell/,
    ],
    [
      'is 0 when A did not finish what B did',
      { cells, fails: ({ cell }) => cell.size === '8KiB' },
      { cells },
      true,
      0,
    ],
    ['is 0 with more cells in A', { cells }, { cells: cells.slice(1) }, true, 0],
    [
      'is 4 when nothing was completed by either',
      { fails: () => true },
      { fails: () => true },
      true,
      4,
      /nothing could/,
    ],
  ];
  for (const [why, a, b, failOnSlower, code, reason] of rows) {
    test(why, async () => {
      const verdict = verdictOf(await compared(a, b), { failOnSlower });
      assert.equal(verdict.exitCode, code, verdict.reason);
      if (reason === undefined) assert.equal(verdict.reason, undefined);
      else assert.match(verdict.reason!, reason);
    });
  }

  test('is 4 when a ledger does not balance, whoever asked', async () => {
    const comparison = await compared({}, {});
    const verdict = verdictOf({ ...comparison, b: { ...comparison.b, unbalanced: 1 } });
    assert.equal(verdict.exitCode, 4);
  });
});

test('the words are counted', async () => {
  assert.equal(tallyOf(await compared({ requests: 100 }, { speed: () => 0.5 })), '3 slower, 1 not compared');
});
