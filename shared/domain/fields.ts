/**
 * The fields that scenarios are made of, as zod schemas that turn what the user wrote into base units and say, when
 * they cannot, what the value is, why it will not do, and what would.
 */
import { z } from 'zod';
import { didYouMean, listOf, type Problem, show, unknownKey } from './problem.ts';
import { parseDuration, parseRate, parseSize } from './units.ts';

/** Why a value was not taken. */
export class Refusal {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** A schema around a function that takes a value or refuses it. */
export function field<T>(read: (value: unknown) => T | Refusal) {
  return z.unknown().transform((value, context): T => {
    const result = read(value);
    if (!(result instanceof Refusal)) return result;
    context.addIssue({ code: 'custom', message: result.message });
    return z.NEVER;
  });
}

/** `expected` completes "is not …" and "expected …". */
export function refuse(value: unknown, expected: string): Refusal {
  if (value === undefined) return new Refusal(`is missing; expected ${expected}`);
  if (value === null) return new Refusal(`the value is empty; expected ${expected}`);
  return new Refusal(`${show(value)} is not ${expected}`);
}

const DURATION = 'a duration such as 10s, 250ms or 1m30s';
const LONGEST_DURATION_US = 365 * 24 * 3_600_000_000;

function readDuration(value: unknown, zeroAllowed: boolean): number | Refusal {
  if (typeof value === 'number') return new Refusal(`${value} has no unit; write ${value}s, or ${value}ms`);
  if (typeof value !== 'string') return refuse(value, DURATION);
  if (value.trim().startsWith('-')) return new Refusal(`${show(value)} is negative; expected ${DURATION}`);
  const us = parseDuration(value.trim());
  if (us === undefined) return refuse(value, DURATION);
  if (us === 0 && !zeroAllowed) return new Refusal(`${show(value)} is no time at all; expected ${DURATION}`);
  if (us > LONGEST_DURATION_US)
    return new Refusal(`${show(value)} is longer than a year; expected ${DURATION}`);
  return us;
}

/** `10s` → µs, longer than 0. */
export const duration = field((value) => readDuration(value, false));
export const durationOrZero = field((value) => readDuration(value, true));

/** `64KiB` → bytes. */
export const size = field((value) => {
  const expected = 'a size such as 64KiB, 1MB or 512B';
  if (typeof value === 'number') return new Refusal(`${value} has no unit; write ${value}B, or ${value}KiB`);
  const bytes = typeof value === 'string' ? parseSize(value.trim()) : undefined;
  if (bytes === undefined) return refuse(value, expected);
  return Number.isSafeInteger(bytes)
    ? bytes
    : new Refusal(`${show(value)} is too large; expected ${expected}`);
});

/** A whole number from `least` (1) up to `most`. */
export function count(most = Number.MAX_SAFE_INTEGER, least = 1) {
  const expected =
    most < Number.MAX_SAFE_INTEGER
      ? `a whole number from ${least} to ${most}`
      : `a whole number, ${least} or more`;
  return field((value) => {
    if (typeof value === 'string' && /^\d+$/.test(value)) {
      return new Refusal(`${show(value)} is text; write ${value} without quotes`);
    }
    return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? value
      : refuse(value, expected);
  });
}

const FASTEST_RATE = 1e8;

function readRate(value: unknown, zeroAllowed: boolean): number | Refusal {
  const expected = `a rate ${zeroAllowed ? 'of 0 or more' : 'more than 0'}, such as 1500 or "1500/s"`;
  const perSecond = typeof value === 'string' ? parseRate(value.trim()) : value;
  if (typeof perSecond !== 'number' || !(zeroAllowed ? perSecond >= 0 : perSecond > 0)) {
    return refuse(value, expected);
  }
  return perSecond <= FASTEST_RATE ? perSecond : new Refusal(`${show(value)} is more than ${FASTEST_RATE}/s`);
}

/** `1500` or `1500/s` → a second, more than 0. */
export const rate = field((value) => readRate(value, false));
export const rateOrZero = field((value) => readRate(value, true));

export const flag = field((value) => (typeof value === 'boolean' ? value : refuse(value, 'true or false')));

export function oneOf<const T extends string>(...names: readonly T[]) {
  return field((value): T | Refusal => {
    const known = names.find((name) => name === value);
    if (known !== undefined) return known;
    if (typeof value !== 'string') return refuse(value, listOf(names));
    return new Refusal(`${show(value)} is not known${didYouMean(value, names)}`);
  });
}

const LONGEST_NAME = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** A name that is printed: text on one line, without control characters, which would reach the terminal. */
export function readName(value: unknown, expected: string): string | Refusal {
  if (typeof value !== 'string' || value.trim() === '') return refuse(value, expected);
  if (CONTROL.test(value))
    return new Refusal(`${show(value)} has a control character in it; expected ${expected}`);
  if (value.length > LONGEST_NAME)
    return new Refusal(`${show(value)} is longer than ${LONGEST_NAME} characters`);
  return value;
}

export const name = (expected: string) => field((value) => readName(value, expected));

/**
 * A mapping with these keys and no others. `elsewhere` names keys that are known, but in another place, and says
 * where.
 */
export function mapping<S extends z.core.$ZodShape>(
  shape: S,
  example: string,
  elsewhere: Readonly<Record<string, string>> = {},
) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') {
        // One line a key; `problemsOf` makes a problem of each.
        return issue.keys
          .map((key) => {
            const why = Object.hasOwn(elsewhere, key) ? ` here; ${elsewhere[key]}` : undefined;
            return why === undefined ? unknownKey(key, known) : `${unknownKey(key, [])}${why}`;
          })
          .join('\n');
      }
      return refuse(issue.input, `a mapping such as ${example}`).message;
    },
  });
}

export function listField<T extends z.core.$ZodType>(item: T, example: string) {
  return z.array(item, { error: (issue) => refuse(issue.input, `a list such as ${example}`).message });
}

/** Of a mapping whose keys are the user's own; undefined for what is none. */
export function entriesOf(value: unknown): [string, unknown][] | undefined {
  return value === null || typeof value !== 'object' || Array.isArray(value)
    ? undefined
    : Object.entries(value);
}

/** What zod found, as problems under `prefix`. */
export function problemsOf(error: z.ZodError, prefix: readonly (string | number)[] = []): Problem[] {
  return error.issues.flatMap((issue): Problem[] => {
    const path = [...prefix, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    const messages = issue.message.split('\n');
    return issue.keys.map((key, i) => ({ path: [...path, key], message: messages[i]!, atKey: true }));
  });
}
