/** What a scenario may ask of the k6 binaries that run its script, and whether one has it. Pure. */
import { ANY_EXTENSION, compareVersions, isVersion, type K6Facts } from '../k6-version.ts';
import { Refusal, refuse } from './fields.ts';
import type { K6Requirements } from './k6-plan.ts';

export { compareVersions, type K6Facts } from '../k6-version.ts';

export const EXTENSION_FORM = '[k6/x/sql]';

/** `1.2` or `v1.2.3`. */
export function readVersion(value: unknown): string | Refusal {
  if (typeof value === 'number')
    return new Refusal(`${value} is a number; write the version in quotes: "${value}"`);
  if (typeof value !== 'string' || !isVersion(value)) return refuse(value, 'a version of k6 such as "1.2.0"');
  return value.replace(/^v/, '');
}

/** An import path, `k6/x/sql`, or the name of an output: `xk6-output-influxdb`. */
export function readExtension(value: unknown): string | Refusal {
  if (typeof value !== 'string' || !/^[\w./@-]+$/.test(value))
    return refuse(value, 'what the script imports, such as k6/x/sql, or the name of an output');
  return value;
}

/** What a binary lacks, for people: `k6 1.2.0 (it has 1.0.0)`, `k6/x/sql`; empty when it will do. */
export function lacks(binary: K6Facts | undefined, { version, extensions = [] }: K6Requirements): string[] {
  if (binary === undefined) return ['k6'];
  const old =
    version !== undefined && compareVersions(binary.version, version) < 0
      ? [`k6 ${version} (it has ${binary.version})`]
      : [];
  const fetches = binary.extensions.includes(ANY_EXTENSION);
  return [...old, ...extensions.filter((name) => !fetches && !binary.extensions.includes(name))];
}

/** For an error: `w1 lacks k6; w2 lacks k6/x/sql`. */
export function lackText(worker: string, missing: readonly string[]): string {
  return `${worker} lacks ${missing.join(' and ')}`;
}
