import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import type { Scenario } from '../../../shared/domain/scenario.ts';
import { parseScenario } from '../../../shared/domain/scenario-source.ts';
import { validateScenario } from '../../../shared/domain/validate-scenario.ts';
import { BroadsideError } from '../../../shared/errors.ts';
import { FULL_SCENARIO, LEAST_SCENARIO } from './scenario-text.ts';

const LEAST = { targets: { web: 'http://h' }, load: { executor: 'constant-connections', requests: 1 } };

const REFUSED: [scenario: unknown, message: string][] = [
  [undefined, 'POST: is missing; expected a mapping such as { targets:'],
  [null, 'POST: the value is empty; expected a mapping'],
  ['name: x', 'POST: "name: x" is not a mapping such as'],
  [[LEAST], 'POST: a list is not a mapping'],
  [{ ...LEAST, rounds: -1 }, 'POST: rounds: -1 is not a whole number from 1 to 10000'],
  [{ ...LEAST, ronds: 1 }, 'POST: unknown key "ronds"; did you mean "rounds"?'],
  [
    { ...LEAST, load: { ...LEAST.load, conections: 1 } },
    'POST: load: unknown key "conections"; did you mean "connections"?',
  ],
  [
    { ...LEAST, request: { bodyFile: '/etc/passwd' } },
    'POST: request.bodyFile: a file can be named only in a scenario file',
  ],
  [
    { ...LEAST, request: null },
    'POST: request: the value is empty; expected a mapping such as { path: "/" }',
  ],
  [JSON.parse('{"__proto__": 1}'), 'POST: unknown key "__proto__"'],
  [{}, 'POST: targets is missing'],
  [{ ...LEAST, targets: JSON.parse('{"__proto__": "x"}') }, 'POST: targets.__proto__: "x" is not a URL'],
  [
    {
      ...LEAST,
      sweep: { n: Array.from({ length: 5000 }, (_, i) => i) },
      request: { body: `\${n}${'x'.repeat(100_000)}` },
    },
    'POST: request.body: a text of 100004 characters with an axis in it is too much for 5000 cells',
  ],
];

describe('validateScenario', () => {
  for (const [scenario, message] of REFUSED) {
    test(message.slice(0, 80), () => {
      assert.throws(
        () => validateScenario(scenario, 'POST'),
        (error) => {
          assert.ok(error instanceof BroadsideError);
          assert.equal(error.code, 'SCENARIO_INVALID');
          assert.ok(error.message.startsWith(message), error.message);
          return true;
        },
      );
    });
  }

  test('nesting without end is an error like any other', () => {
    let deep: unknown = [];
    for (let i = 0; i < 200_000; i++) deep = [deep];
    assert.throws(
      () => validateScenario({ ...LEAST, request: { headers: { A: deep } } }, 'POST'),
      /^BroadsideError: POST: the scenario is nested too deeply$/,
    );
  });

  for (const [name, text] of Object.entries({ full: FULL_SCENARIO, least: LEAST_SCENARIO })) {
    test(`the ${name} scenario and its trials survive the way through JSON`, () => {
      const scenario = parseScenario(text, 'demo.yaml');
      const arrived: Scenario = JSON.parse(JSON.stringify(scenario));
      assert.deepEqual(arrived, scenario);
      assert.deepEqual(validateScenario(arrived.source, 'another name'), scenario);
      assert.deepEqual(JSON.parse(JSON.stringify(planTrials(arrived))), planTrials(scenario));
    });
  }

  test('whatever comes, it is a scenario that plans or one clear error', () => {
    const full = validateScenario(parseScenario(FULL_SCENARIO, 'x').source, 'x').source as Record<
      string,
      unknown
    >;
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('${size}', '5s', 'httpd', 0, -1, Number.NaN, '', {}, [], [null], '${', 'p(99) < 1s'),
    );
    const change = fc.tuple(fc.constantFrom(...Object.keys(full)), fc.option(fc.string()), anything);
    fc.assert(
      fc.property(change, ([key, inner, value]) => {
        const held = full[key];
        const isMapping = typeof held === 'object' && held !== null && !Array.isArray(held);
        const innerKey = inner ?? (isMapping ? Object.keys(held)[0] : undefined);
        const changed = isMapping && innerKey !== undefined ? { ...held, [innerKey]: value } : value;
        try {
          planTrials(validateScenario({ ...full, [key]: changed }, 'any'));
        } catch (error) {
          assert.ok(error instanceof BroadsideError, String(error));
          assert.equal(error.code, 'SCENARIO_INVALID', error.message);
          assert.match(error.message, /^any: [^\n]+$/);
        }
      }),
      { numRuns: 500 },
    );
  });
});
