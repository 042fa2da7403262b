/** `thinkTime` of a scenario: `100ms`, `{ uniform: [50ms, 150ms] }` or `{ exponential: 100ms }`. */
import { duration, durationOrZero, field, Refusal, refuse } from './fields.ts';
import type { Pause } from './load-plan.ts';
import { show } from './problem.ts';

const EXPECTED = 'a duration such as 100ms, { uniform: [50ms, 150ms] } or { exponential: 100ms }';

/** → how long a connection pauses. */
export const thinkTime = field((value): Pause | Refusal => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const us = typeof value === 'string' || typeof value === 'number' ? read(duration, value) : undefined;
    if (us instanceof Refusal) return us;
    return us === undefined ? refuse(value, EXPECTED) : { distribution: 'fixed', us };
  }
  const [key, ...more] = Object.keys(value);
  const given = (value as Record<string, unknown>)[key ?? ''];
  if (more.length > 0 || (key !== 'uniform' && key !== 'exponential')) return refuse(value, EXPECTED);
  return key === 'uniform' ? uniform(given) : exponential(given);
});

function uniform(value: unknown): Pause | Refusal {
  if (!Array.isArray(value) || value.length !== 2) {
    return new Refusal(`uniform: ${show(value)} is not the shortest and the longest, such as [50ms, 150ms]`);
  }
  const minUs = read(durationOrZero, value[0]);
  if (minUs instanceof Refusal) return new Refusal(`uniform: ${minUs.message}`);
  const maxUs = read(duration, value[1]);
  if (maxUs instanceof Refusal) return new Refusal(`uniform: ${maxUs.message}`);
  if (minUs > maxUs) {
    return new Refusal(
      `uniform: ${show(value[0])} is longer than ${show(value[1])}; the shortest comes first`,
    );
  }
  return { distribution: 'uniform', minUs, maxUs };
}

function exponential(value: unknown): Pause | Refusal {
  const meanUs = read(duration, value);
  return meanUs instanceof Refusal
    ? new Refusal(`exponential: ${meanUs.message}`)
    : { distribution: 'exponential', meanUs };
}

function read(schema: typeof duration, value: unknown): number | Refusal {
  const result = schema.safeParse(value);
  return result.success ? result.data : new Refusal(result.error.issues[0]!.message);
}
