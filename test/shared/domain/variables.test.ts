import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import { parseScenario } from '../../../shared/domain/scenario-source.ts';
import { validateScenario } from '../../../shared/domain/validate-scenario.ts';
import { expandVariables } from '../../../shared/domain/variables.ts';
import { BroadsideError } from '../../../shared/errors.ts';

const SCENARIO = `vars: { sizes: [4KiB, 64KiB], host: 127.0.0.1, port: 8080, connections: 8 }
targets: { web: "http://\${vars.host}:\${vars.port}" }
sweep: { size: "\${vars.sizes}" }
request: { path: "/\${size}.bin" }
load: { executor: constant-connections, connections: "\${vars.connections}", requests: 10 }
`;

const plansOf = (set: string[] = [], text = SCENARIO) => planTrials(parseScenario(text, 'a.yaml', { set }));

function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof BroadsideError) return error.message;
    throw error;
  }
  throw new assert.AssertionError({ message: 'it was taken' });
}

test('a variable stands for its value: as a list for an axis, as a number with its type, written out in a text', () => {
  const plans = plansOf();
  assert.deepEqual(
    plans.map(({ requests }) => requests[0]!.url),
    ['http://127.0.0.1:8080/4KiB.bin', 'http://127.0.0.1:8080/64KiB.bin'],
  );
  assert.equal(plans[0]!.load.executor === 'constant-connections' && plans[0]!.load.connections, 8);
});

test('the scenario that travels has none left, and is checked again as it is', () => {
  const { source } = parseScenario(SCENARIO, 'a.yaml');
  assert.ok(!JSON.stringify(source).includes('vars'));
  assert.deepEqual(validateScenario(source, 'b').source, source);
});

test('one that comes as an object may have them, too', () => {
  const scenario = validateScenario(
    {
      vars: { port: 81 },
      targets: { web: `http://127.0.0.1:\${vars.port}` },
      load: { executor: 'constant-connections', requests: 1 },
    },
    'object',
  );
  assert.equal(scenario.targets[0]!.url, 'http://127.0.0.1:81');
});

describe('--set', () => {
  const sizes = (set: string[]) => plansOf(set).map(({ cell }) => cell.size);
  const cases: [that: string, set: string, sizes: unknown[]][] = [
    ['a variable by its place', 'vars.sizes=[1KiB, 2KiB]', ['1KiB', '2KiB']],
    ['a variable by its name alone', 'sizes=[1KiB]', ['1KiB']],
    ['a list without brackets, where the default is one', 'sizes=1KiB,2KiB', ['1KiB', '2KiB']],
    ['a list of one', 'sizes=7', [7]],
    ['one entry of it', 'sizes.1=9KiB', ['4KiB', '9KiB']],
  ];
  for (const [that, set, expected] of cases) test(that, () => assert.deepEqual(sizes([set]), expected));

  test('a variable with the name of a key of scenarios', () => {
    const text = `${SCENARIO.replace('connections: 8', 'connections: 8, warmup: 1s')}warmup: { duration: "\${vars.warmup}" }\n`;
    const warmup = (set: string[]) => plansOf(set, text)[0]!.warmupUs;
    assert.equal(warmup(['warmup=2s']), 2e6);
    assert.equal(warmup(['warmup.duration=3s']), 3e6);
    assert.equal(warmup(['warmup.duration="${vars.warmup}"']), 1e6);
  });
});

describe('refused, with the place', () => {
  const cases: [that: string, was: string, is: string, message: RegExp][] = [
    [
      'a misspelt one',
      'vars.host}',
      'vars.hots}',
      /^a\.yaml:2:17: targets\.web: \$\{vars\.hots\} is not a variable; did you mean "host"/,
    ],
    [
      'one that nothing uses',
      'port: 8080',
      'port: 8080, other: 1',
      /^a\.yaml:1:\d+: vars\.other: the variable is not used/,
    ],
    [
      'a list inside a text',
      '"/${size}.bin"',
      '"/${size}${vars.sizes}"',
      /request\.path: \$\{vars\.sizes\} is a list, which cannot stand inside a text/,
    ],
    [
      'one made of another',
      'port: 8080',
      'port: "${vars.host}"',
      /vars\.port: a variable cannot be made of another one/,
    ],
    ['one without a default', 'port: 8080', 'port:', /vars\.port: the value is empty/],
    ['a name that cannot be written', 'port: 8080', '"a b": 8080', /"a b" is not a name of letters/],
    ['a list of them', 'vars: {', 'vars: [', /^a\.yaml/],
    ['an empty axis', '[4KiB, 64KiB]', '[]', /sweep\.size: the axis has no values/],
  ];
  for (const [that, was, is, message] of cases) {
    test(that, () => {
      assert.ok(SCENARIO.includes(was));
      assert.match(
        refusal(() =>
          parseScenario(
            SCENARIO.replace(was, () => is),
            'a.yaml',
          ),
        ),
        message,
      );
    });
  }

  test('more text than anyone would write', () => {
    const vars = { a: 'x'.repeat(1024 ** 2) };
    assert.throws(() => expandVariables({ vars, all: Array.from({ length: 9 }, () => '${vars.a}') }));
  });
});

test('an escaped reference stays one', () => {
  assert.deepEqual(expandVariables({ vars: { a: 1 }, text: '$${vars.a} ${vars.a}' }), {
    text: '$${vars.a} 1',
  });
});
