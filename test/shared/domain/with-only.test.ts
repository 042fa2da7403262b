import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planTrials } from '../../../shared/domain/plan-trials.ts';
import { validateScenario } from '../../../shared/domain/validate-scenario.ts';
import { withOnly } from '../../../shared/domain/with-only.ts';

const scenario = validateScenario(
  {
    targets: { t: 'http://127.0.0.1:1' },
    sweep: { size: ['1KiB', '4KiB'], connections: [1, 2, 3] },
    request: { path: '/${size}' },
    load: { executor: 'constant-connections', connections: '${connections}', duration: '1s' },
  },
  'test',
);

describe('--only', () => {
  const kept: [that: string, only: string[], cells: string[]][] = [
    ['one value of one axis', ['size=4KiB'], ['4KiB 1', '4KiB 2', '4KiB 3']],
    [
      'any of several values of an axis',
      ['size=1KiB', 'connections=1', 'connections=3'],
      ['1KiB 1', '1KiB 3'],
    ],
    ['a number as it is written', ['connections=2'], ['1KiB 2', '4KiB 2']],
  ];
  for (const [that, only, cells] of kept) {
    test(that, () => {
      const planned = planTrials(withOnly(scenario, only)).map(
        ({ cell }) => `${cell.size} ${cell.connections}`,
      );
      assert.deepEqual(planned, cells);
    });
  }

  const refused: [only: string[], message: RegExp][] = [
    [['size'], /--only "size": expected AXIS=VALUE/],
    [['sizes=4KiB'], /--only "sizes=4KiB": .*size/],
    [['size=2KiB'], /--only "size=2KiB": .*2KiB/],
    [['connections=1', 'size=9KiB'], /--only "size=9KiB"/],
  ];
  for (const [only, message] of refused) {
    test(`${only.join(', ')} is refused`, () => {
      assert.throws(() => withOnly(scenario, only), { code: 'USAGE', message });
    });
  }
});
