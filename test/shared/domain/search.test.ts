import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  gridSize,
  mostTrials,
  nextStep,
  type SearchAnswer,
  type SearchResult,
  type SearchSpec,
  wayUp,
} from '../../../shared/domain/search.ts';

type Measure = (value: number, trial: number) => Omit<SearchResult, 'value'>;

const overRate = (from: number, to: number, step: number): SearchSpec => ({
  maximize: 'requestRate',
  over: 'rate',
  ...{ from, to, step },
  until: ['p(99) < 200ms'],
  tolerance: 0.05,
});
const overConnections = (from: number, to: number, step: number): SearchSpec => ({
  ...overRate(from, to, step),
  over: 'connections',
});

/** Tries what it is told to, until there is an answer. */
function carryOut(spec: SearchSpec, measure: Measure): { answer: SearchAnswer; results: SearchResult[] } {
  const results: SearchResult[] = [];
  for (;;) {
    const step = nextStep(spec, results);
    if ('answer' in step) return { answer: step.answer, results };
    assert.ok(step.next >= spec.from && step.next <= spec.to, `${step.next}`);
    assert.ok(results.length < mostTrials(spec), `no end after ${results.length} trials`);
    results.push({ value: step.next, ...measure(step.next, results.length) });
    assert.ok(
      results.filter(({ value }) => value === step.next).length <= 3,
      `${step.next} more than 3 times`,
    );
  }
}

const holdsUpTo =
  (knee: number): Measure =>
  (value) =>
    value <= knee ? { holds: true, rate: value } : { holds: false, rate: knee, broke: 'p(99)' };
/** So many slots, 10 requests a second each; nothing ever breaks. */
const slots =
  (knee: number): Measure =>
  (value) => ({ holds: true, rate: 10 * Math.min(value, knee) });

/** From a seed: the same every time. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('the highest rate that holds', () => {
  for (const [from, to, step] of [
    [1, 64, 1],
    [100, 1000, 25],
    [10, 95, 20],
    [5, 6, 1],
    [0.5, 40, 0.5],
  ] as const) {
    const spec = overRate(from, to, step);
    test(`is found wherever it is from ${from} to ${to} by ${step}`, () => {
      for (let knee = from - step; knee <= to + step; knee += step / 2) {
        const { answer, results } = carryOut(spec, holdsUpTo(knee));
        assert.equal(answer.trials, results.length);
        if (knee < from) assert.deepEqual([answer.end, answer.best], ['none', undefined]);
        else if (knee >= to) assert.deepEqual([answer.end, answer.best!.value], ['open', to]);
        else {
          const { end, best, breaks } = answer;
          assert.equal(end, 'found', `${knee}`);
          assert.ok(best!.value <= knee && knee < breaks!.value, `${knee}: ${JSON.stringify(answer)}`);
          assert.ok(breaks!.value - best!.value <= step + 1e-6);
          assert.deepEqual([best!.trials, best!.held, breaks!.trials, breaks!.held], [2, 2, 2, 0]);
        }
      }
    });
  }

  for (const [from, to, step] of [
    [1, 64, 1],
    [100, 1000, 25],
    [0.5, 40, 0.5],
  ] as const) {
    const spec = overRate(from, to, step);
    test(`is found within a step where it comes and goes there, from ${from} to ${to} by ${step}`, () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: gridSize(spec) - 3 }),
          fc.infiniteStream(fc.boolean()),
          (at, coin) => {
            const knee = from + at * step;
            const { answer } = carryOut(spec, (value) => {
              const near = Math.abs(value - knee) < 1e-6 || Math.abs(value - knee - step) < 1e-6;
              return { holds: near ? coin.next().value! : value < knee, rate: value };
            });
            assert.notEqual(answer.end, 'unfinished');
            assert.ok(Math.abs(answer.best!.value - knee) <= step + 1e-6, `${knee}: ${answer.best!.value}`);
          },
        ),
        { numRuns: 300 },
      );
    });
  }

  test('a trial in twenty that is wrong, anywhere: it ends within its bound, and is within a step in 95 of 100', () => {
    const spec = overRate(1, 100, 1);
    const random = chance(7);
    let near = 0;
    const knees = Array.from({ length: 98 * 10 }, (_, i) => 1 + (i % 98));
    for (const knee of knees) {
      const { answer } = carryOut(spec, (value) => ({
        holds: value <= knee !== random() < 0.05,
        rate: value,
      }));
      if (Math.abs((answer.best?.value ?? 0) - knee) <= 1) near++;
    }
    assert.ok(near / knees.length >= 0.95, `${near} of ${knees.length}`);
  });
});

describe('the best number of connections', () => {
  for (const to of [2, 3, 8, 20, 33]) {
    test(`is the number of slots, for every number from 1 to ${to}`, () => {
      for (let knee = 1; knee <= to; knee++) {
        // Below 20 a connection less is more than the tolerance less.
        const { answer } = carryOut(overConnections(1, to, 1), slots(knee));
        assert.equal(answer.end, answer.best!.value === to ? 'open' : 'found');
        assert.ok(Math.abs(answer.best!.value - knee) <= (knee < 20 ? 0 : 0.05 * knee), `${knee}`);
        if (knee > 1) assert.ok(answer.fewer!.rate < answer.best!.rate);
        if (knee < to) assert.ok(answer.noMore!.value > answer.best!.value);
      }
    });
  }

  test('is below what breaks a condition, when the rate still rises there', () => {
    for (let knee = 1; knee < 20; knee++) {
      const { answer } = carryOut(overConnections(1, 64, 1), holdsUpTo(knee));
      assert.deepEqual([answer.end, answer.best!.value, answer.breaks!.value], ['found', knee, knee + 1]);
    }
  });

  test('rates that differ from trial to trial: within a step, within the bound', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 14 }),
        fc.infiniteStream(fc.double({ min: -0.015, max: 0.015, noNaN: true })),
        (knee, noise) => {
          const spec = overConnections(1, 32, 1);
          const { answer } = carryOut(spec, (value) => ({
            holds: true,
            rate: 10 * Math.min(value, knee) * (1 + noise.next().value!),
          }));
          assert.equal(answer.end, 'found');
          assert.ok(Math.abs(answer.best!.value - knee) <= 1, `${knee}: ${answer.best!.value}`);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a knee and a limit behind it, wherever both are', () => {
    for (let knee = 1; knee < 20; knee++) {
      for (let limit = knee; limit < 40; limit++) {
        const { answer } = carryOut(overConnections(1, 64, 1), (value) => ({
          holds: value <= limit,
          rate: Math.min(value, knee),
        }));
        assert.equal(answer.best!.value, knee, `limit ${limit}`);
      }
    }
  });

  test('contradictions without end are an answer, too', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 9 }))), (any) => {
        const { answer, results } = carryOut(overConnections(1, 200, 1), () => {
          const [holds, rate] = any.next().value!;
          return { holds, rate };
        });
        assert.ok(results.length <= mostTrials(overConnections(1, 200, 1)));
        if (answer.end === 'found') assert.ok(answer.best!.held >= 2);
      }),
      { numRuns: 500 },
    );
  });
});

describe('its values', () => {
  test('the way up doubles, and ends at the last one', () => {
    assert.deepEqual(wayUp(overConnections(1, 40, 1)), [1, 2, 4, 8, 16, 32, 40]);
    assert.deepEqual(wayUp(overRate(100, 1000, 50)), [100, 200, 400, 800, 1000]);
    assert.deepEqual(wayUp(overRate(10, 95, 20)), [10, 30, 70, 95]);
    assert.deepEqual(wayUp(overRate(100, 110, 1)), [100, 110]);
  });

  test('three trials of each value that it may come to are the most', () => {
    assert.equal(mostTrials(overConnections(1, 40, 1)), 3 * (7 + 2 * 4));
    assert.equal(mostTrials(overRate(100, 1000, 50)), 3 * (5 + 3));
    assert.equal(mostTrials(overRate(1, 2, 1)), 6);
  });
});
