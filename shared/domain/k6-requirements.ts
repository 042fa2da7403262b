/** What a scenario may ask of the k6 binaries that run its script, and whether one has it. Pure. */
import { Refusal, refuse } from './fields.ts';
import type { K6Requirements } from './k6-plan.ts';

export const EXTENSION_FORM = '[k6/x/sql]';

/** `1.2` or `v1.2.3`. */
export function readVersion(value: unknown): string | Refusal {
  if (typeof value === 'number')
    return new Refusal(`${value} is a number; write the version in quotes: "${value}"`);
  if (typeof value !== 'string' || parts(value) === undefined)
    return refuse(value, 'a version of k6 such as "1.2.0"');
  return value.replace(/^v/, '');
}

/** An import path, `k6/x/sql`, or the name of an output: `xk6-output-influxdb`. */
export function readExtension(value: unknown): string | Refusal {
  if (typeof value !== 'string' || !/^[\w./@-]+$/.test(value))
    return refuse(value, 'what the script imports, such as k6/x/sql, or the name of an output');
  return value;
}

/** Negative when `a` is older than `b`; what follows `-` or `+` does not count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a) ?? [], parts(b) ?? []];
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parts(version: string): number[] | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-+].*)?$/.exec(version.trim());
  return match?.slice(1).map((part) => Number(part ?? 0));
}

/** A binary as a worker tells of it. `extensions`: import paths of modules, names of outputs, Go modules. */
export interface K6Facts {
  version: string;
  extensions: string[];
}

/** What a binary lacks, for people: `k6 1.2.0 (it has 1.0.0)`, `k6/x/sql`; empty when it will do. */
export function lacks(binary: K6Facts | undefined, { version, extensions = [] }: K6Requirements): string[] {
  if (binary === undefined) return ['k6'];
  const old =
    version !== undefined && compareVersions(binary.version, version) < 0
      ? [`k6 ${version} (it has ${binary.version})`]
      : [];
  return [...old, ...extensions.filter((name) => !binary.extensions.includes(name))];
}

/** For an error: `w1 lacks k6; w2 lacks k6/x/sql`. */
export function lackText(worker: string, missing: readonly string[]): string {
  return `${worker} lacks ${missing.join(' and ')}`;
}
