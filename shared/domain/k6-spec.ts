/** `k6` of a scenario: which script is run, and with what; everything but its files may differ from cell to cell. */
import type { z } from 'zod';
import { count, duration, field, listField, mapping, oneOf, Refusal, readName, refuse } from './fields.ts';
import type { ScriptPackage } from './k6-plan.ts';
import { EXTENSION_FORM, readExtension, readVersion } from './k6-requirements.ts';
import { show } from './problem.ts';

const MOST_VALUE_CHARACTERS = 64 * 1024;

function fileName(example: string) {
  return field((value) => {
    const name = readName(value, `the name of ${example}`);
    if (name instanceof Refusal || !/^\w+:\/\//.test(name)) return name;
    return new Refusal(`${show(name)} is an address; save what is there beside the scenario`);
  });
}

/** Names to values that are text to the script, whatever was written. */
function texts(what: string, nameForm: RegExp, nameText: string) {
  return field((value): Record<string, string> | Refusal => {
    const example = `a mapping of ${what}`;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return refuse(value, example);
    for (const [name, one] of Object.entries(value)) {
      if (!nameForm.test(name)) return new Refusal(`${show(name)} is not ${nameText}`);
      if (!['string', 'number', 'boolean'].includes(typeof one))
        return new Refusal(`${name}: ${refuse(one, 'a text, a number, true or false').message}`);
      const text = String(one);
      if (text.includes('\0')) return new Refusal(`${name}: a value cannot have a NUL character in it`);
      if (text.length > MOST_VALUE_CHARACTERS)
        return new Refusal(`${name}: the value is longer than ${MOST_VALUE_CHARACTERS} characters`);
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]));
  });
}

/** What `coordinator run` puts there when the script has been packed and sent. */
const scriptPackage = field((value): ScriptPackage | Refusal => {
  const { sha256, bytes, kind, entry } = (value ?? {}) as Partial<ScriptPackage>;
  const isPackage =
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    Number.isSafeInteger(bytes) &&
    (kind === 'archive' || (kind === 'bundle' && typeof entry === 'string' && isInside(entry)));
  if (!isPackage) return new Refusal('is what `coordinator run` says of a packed script; leave it out');
  return { sha256, bytes: bytes!, kind, ...(entry !== undefined && { entry }) };
});

/** A path in a bundle does not lead out of it. */
function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..');
}

const requires = mapping(
  {
    version: field(readVersion).optional(),
    extensions: listField(field(readExtension), EXTENSION_FORM).default([]),
  },
  '{ version: "1.2.0", extensions: [k6/x/sql] }',
);

export const k6Schema = mapping(
  {
    script: fileName('a script such as login.js'),
    package: scriptPackage.optional(),
    files: listField(fileName('a file or folder'), '[users.json, data/]').default([]),
    env: texts(
      'names to values such as { USERS: 50 }',
      /^[A-Za-z0-9_]+$/,
      'a name of letters, digits and "_"',
    ).default({}),
    tags: texts(
      'names to values such as { build: "17" }',
      /^[^\s=,"]+$/,
      'a name without spaces, "=" and ","',
    ).default({}),
    vus: count(10_000_000).optional(),
    iterations: count().optional(),
    duration: duration.optional(),
    requires: requires.default({ extensions: [] }),
    output: oneOf('exact').default('exact'),
  },
  '{ script: login.js, env: { USERS: 50 } }',
);
/** Of one cell. `files`: what the script opens by names that are not written out in it. */
export type K6Spec = z.output<typeof k6Schema>;
