/**
 * Problems of a scenario, each with its place, and the one error that they become: the first in the file, in words,
 * with the number of those that follow.
 */
import { distance } from 'fastest-levenshtein';
import { BroadsideError } from '../errors.ts';

export type Path = readonly (string | number)[];

export interface Problem {
  /** Keys from the top of the scenario. */
  path: Path;
  /** What is wrong and what is expected; the path is put before it. */
  message: string;
  /** The place is the key itself rather than its value. */
  atKey?: boolean;
}

/** All problems of a scenario, on their way to whoever knows where it came from. */
export class ScenarioProblems extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super('the scenario has problems');
    this.problems = problems;
  }
}

export const TOO_DEEP = 'the scenario is nested too deeply';

export interface Position {
  /** Both from 1. */
  line: number;
  column: number;
}

/**
 * Finds the place of a path in a text; where the path is not written, the nearest thing that holds it. A place that is
 * no part of the text (a flag) is named in words.
 */
export type Locate = (path: Path, atKey: boolean) => Position | string;

const MOST_LOCATED = 200;

/** One SCENARIO_INVALID from one or more problems; without `locate`, places are named by path alone. */
export function scenarioError(
  problems: readonly Problem[],
  sourceName: string,
  locate: Locate = () => sourceName,
): BroadsideError {
  const all = distinct(problems);
  // To find a place is a walk through the text; problems come in the order of the text but for a few.
  const found = all.slice(0, MOST_LOCATED).map((problem) => ({
    text: describe(problem),
    missing: problem.message.startsWith('is missing'),
    place: locate(problem.path, problem.atKey ?? false),
  }));
  // What is written wrong comes before what is not there: a misspelt key is often the reason for the missing one.
  found.sort((a, b) => Number(a.missing) - Number(b.missing) || comparePlaces(a.place, b.place));
  const { text, place } = found[0]!;
  const written = typeof place === 'string' ? place : `${sourceName}:${place.line}:${place.column}`;
  const others = all.length - 1;
  const more = others === 0 ? '' : ` (and ${others} more ${others === 1 ? 'problem' : 'problems'})`;
  return new BroadsideError('SCENARIO_INVALID', `${written}: ${text}${more}`);
}

/** Flags come before the text. */
function comparePlaces(a: Position | string, b: Position | string): number {
  const [first, second] = [a, b].map((place) => (typeof place === 'string' ? { line: 0, column: 0 } : place));
  return first!.line - second!.line || first!.column - second!.column;
}

/** One problem a place: what is wrong with a wrong value again is no news. */
function distinct(problems: readonly Problem[]): Problem[] {
  const byPlace = new Map<string, Problem>();
  for (const problem of problems) {
    const place = JSON.stringify(problem.path);
    if (!byPlace.has(place)) byPlace.set(place, problem);
  }
  return [...byPlace.values()];
}

function describe({ path, message }: Problem): string {
  if (path.length === 0) return message;
  if (message.startsWith(UNKNOWN_KEY)) {
    return path.length === 1 ? message : `${pathText(path.slice(0, -1))}: ${message}`;
  }
  return message.startsWith('is missing') ? `${pathText(path)} ${message}` : `${pathText(path)}: ${message}`;
}

/** `request.expect.status[1]`. */
export function pathText(path: Path): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[\w-]+$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

const LONGEST_SHOWN = 60;

/** A value for a message: short, on one line, and quoted when it is text. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN - 1)}…`;
}

/** `; did you mean "x"?` when one of the known names is close, else the list of them. */
export function didYouMean(name: string, known: readonly string[]): string {
  const close = closest(name, known);
  if (close !== undefined) return `; did you mean "${close}"?`;
  return known.length === 0 ? '' : `; expected ${listOf(known)}`;
}

function closest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = (wanted.length <= 3 ? 1 : Math.max(2, Math.floor(wanted.length / 3))) + 1;
  for (const candidate of known) {
    const lower = candidate.toLowerCase();
    // A name cut short (`conns`) or a plural is closer in mind than in letters.
    const far =
      wanted.length >= 3 && (lower.startsWith(wanted) || wanted.startsWith(lower))
        ? 1
        : distance(wanted, lower);
    if (far < bestDistance) [best, bestDistance] = [candidate, far];
  }
  return best;
}

const LONGEST_LIST = 12;

/** `a, b or c`. */
export function listOf(names: readonly string[], word: 'or' | 'and' = 'or'): string {
  if (names.length > LONGEST_LIST)
    return `${names.slice(0, LONGEST_LIST).join(', ')}, … (${names.length} in all)`;
  return names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} ${word} ${names[names.length - 1]}`;
}

const UNKNOWN_KEY = 'unknown key ';

export function unknownKey(key: string, known: readonly string[]): string {
  return `${UNKNOWN_KEY}${show(key)}${didYouMean(key, known)}`;
}
