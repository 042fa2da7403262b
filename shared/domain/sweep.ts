/**
 * Sweeps: axes, the cells that their values combine to, and `${axis}` in a scenario replaced by a cell's value.
 * `$${` stands for a literal `${`.
 */
import type { Cell, Scalar } from './run.ts';

/** `${data.column}` has another value in every request; until then it is marked by characters that no text has. */
export const COLUMN = 'data.';
const OPEN = '\uFDD0';
const CLOSE = '\uFDD1';
const MARK = /\uFDD0([^\uFDD1]*)\uFDD1/g;

function columnMark(name: string): string {
  return `${OPEN}${name}${CLOSE}`;
}

/** A substituted text in its pieces: literal text at even places, names of columns at odd ones. */
export function splitAtColumns(text: string): string[] {
  return text.split(MARK);
}

/** The opposite of `splitAtColumns`. */
export function joinColumns(pieces: readonly string[]): string {
  return pieces.map((piece, i) => (i % 2 === 0 ? piece : columnMark(piece))).join('');
}

/** A substituted text for people, with its columns as they were written. */
export function withColumnNames(text: string): string {
  return text.includes(OPEN) ? text.replace(MARK, (_, name: string) => `\${${COLUMN}${name}}`) : text;
}

export interface Axis {
  name: string;
  values: Scalar[];
}

const ESCAPE_OR_REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const WHOLE_REFERENCE = /^\$\{([^}]*)\}$/;

/** How many cells the axes make; 1 without axes. */
export function cellCount(axes: readonly Axis[]): number {
  return axes.reduce((cells, axis) => cells * axis.values.length, 1);
}

/** Every combination; the first axis changes slowest. One empty cell without axes. */
export function cellsOf(axes: readonly Axis[]): Cell[] {
  let cells: Cell[] = [{}];
  for (const { name, values } of axes) {
    cells = cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value })));
  }
  return cells;
}

/** For people: `size=4KiB connections=40`. */
export function cellLabel(cell: Cell): string {
  return Object.entries(cell)
    .map(([axis, value]) => `${axis}=${value}`)
    .join(' ');
}

/**
 * A copy of `template` with every `${axis}` in its text replaced, and every `${data.column}` marked. A text that is
 * nothing but one reference becomes the axis's value with its type (`"${connections}"` → 40); inside a longer text
 * the value is written out. Names that the cell does not have stay as they are.
 */
export function substitute(template: unknown, cell: Cell): unknown {
  if (typeof template === 'string') return substituteText(template, cell);
  if (Array.isArray(template)) return template.map((item) => substitute(item, cell));
  if (template === null || typeof template !== 'object') return template;
  // fromEntries defines keys and never sets them, so that a key `__proto__` stays a key.
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, substitute(value, cell)]));
}

function substituteText(text: string, cell: Cell): Scalar {
  if (!text.includes('${')) return text;
  const whole = WHOLE_REFERENCE.exec(text)?.[1]?.trim();
  if (whole !== undefined && Object.hasOwn(cell, whole)) return cell[whole]!;
  return text.replace(ESCAPE_OR_REFERENCE, (match, name: string | undefined) => {
    if (name === undefined) return '${';
    const axis = name.trim();
    if (axis.startsWith(COLUMN)) return columnMark(axis.slice(COLUMN.length));
    return Object.hasOwn(cell, axis) ? String(cell[axis]) : match;
  });
}

/** Text that `substitute` gives back as it is here. */
export function escapeReferences(text: string): string {
  return text.replaceAll('${', () => '$${');
}

export interface Reference {
  path: (string | number)[];
  /** Absent when `${` is never closed. */
  axis?: string;
}

/** All `${axis}` in the text of `template`, in order; `path` starts with `prefix`. */
export function referencesIn(template: unknown, prefix: readonly (string | number)[] = []): Reference[] {
  if (typeof template === 'string') return referencesInText(template, [...prefix]);
  if (Array.isArray(template)) return template.flatMap((item, i) => referencesIn(item, [...prefix, i]));
  if (template === null || typeof template !== 'object') return [];
  return Object.entries(template).flatMap(([key, value]) => referencesIn(value, [...prefix, key]));
}

function referencesInText(text: string, path: (string | number)[]): Reference[] {
  if (!text.includes('${')) return [];
  const found: Reference[] = [];
  const rest = text.replace(ESCAPE_OR_REFERENCE, (_, name: string | undefined) => {
    if (name !== undefined) found.push({ path, axis: name.trim() });
    return ' ';
  });
  if (rest.includes('${')) found.push({ path });
  return found;
}
