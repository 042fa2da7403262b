/** `--only`: a part of a scenario's cells, by the values of their axes. */
import { BroadsideError } from '../errors.ts';
import { choiceProblems } from './cell-choice.ts';
import { show } from './problem.ts';
import type { Scenario } from './scenario.ts';
import { validateScenario } from './validate-scenario.ts';

/**
 * The same scenario with those cells alone that have the values.
 * @param only `axis=value` each: of one axis any of its values, of several axes all
 * @throws BroadsideError USAGE for an axis or a value that there is not
 */
export function withOnly(scenario: Scenario, only: readonly string[]): Scenario {
  const { source } = scenario;
  const wanted: Record<string, string[]> = {};
  for (const text of only) {
    const [, axis, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (axis === undefined || value === undefined)
      throw new BroadsideError(
        'USAGE',
        `--only ${show(text)}: expected AXIS=VALUE, such as --only size=4KiB`,
      );
    wanted[axis] = [...(wanted[axis] ?? []), value];
    const problem = choiceProblems({ ...scenario, only: { [axis]: [value] } })[0];
    if (problem !== undefined) throw new BroadsideError('USAGE', `--only ${show(text)}: ${problem.message}`);
  }
  const problem = choiceProblems({ ...scenario, only: { ...scenario.only, ...wanted } })[0];
  if (problem !== undefined) throw new BroadsideError('USAGE', `--only: ${problem.message}`);
  return validateScenario({ ...source, only: { ...scenario.only, ...wanted } }, scenario.name);
}
