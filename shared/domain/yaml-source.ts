/** YAML with the place of everything in it. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import { BroadsideError } from '../errors.ts';
import { type Locate, type Path, type Position, show, TOO_DEEP } from './problem.ts';
import { tooDeepAt } from './yaml-nesting.ts';

/** What aliases may multiply a scenario to. */
const MOST_EXPANDED_CHARACTERS = 8 * 1024 ** 2;
const MOST_ALIASES = 100;

/**
 * A text as plain data, and where each part of it stands.
 * @throws BroadsideError SCENARIO_INVALID for what is not YAML, or not one non-empty document
 */
export function parseYaml(text: string, fileName: string): { value: unknown; locate: Locate } {
  const lines = lineStarts(text);
  const fail = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset);
    return new BroadsideError('SCENARIO_INVALID', `${fileName}:${line}:${col}: ${message}`);
  };
  const deep = tooDeepAt(text);
  if (deep !== undefined) throw fail(deep, TOO_DEEP);
  // Its own search for duplicate keys compares each with each.
  const document = parseDocument(text, { prettyErrors: false, stringKeys: true, uniqueKeys: false });
  const first = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])[0];
  if (first !== undefined) throw fail(first.pos[0], syntaxMessage(first));
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    throw fail(0, 'the scenario is empty; the least it needs is "targets" and "load"');
  }
  const duplicate = firstDuplicate(document);
  if (duplicate !== undefined)
    throw fail(duplicate.offset, `the key ${show(duplicate.key)} is given twice; keep one`);
  const aliases = aliasesIn(document);
  // Each look-up is a walk through the document.
  const few = aliases.length <= MOST_ALIASES;
  const unresolved = few ? aliases.find((alias) => alias.resolve(document) === undefined) : undefined;
  if (unresolved !== undefined) {
    const { source } = unresolved;
    throw fail(unresolved.range?.[0] ?? 0, `the alias *${source} has no anchor &${source} before it`);
  }
  const value = few ? expand(document) : undefined;
  if (value === undefined)
    throw fail(aliases[0]?.range?.[0] ?? 0, 'aliases make this scenario too large; write it out');
  return { value, locate: (path, atKey) => positionOf(document, lines, path, atKey) };
}

function lineStarts(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}

function firstDuplicate(document: Document.Parsed): { offset: number; key: string } | undefined {
  let found: { offset: number; key: string } | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const text = String(key.value);
        if (seen.has(text)) {
          found = { offset: key.range?.[0] ?? 0, key: text };
          return visit.BREAK;
        }
        seen.add(text);
      }
      return undefined;
    },
  });
  return found;
}

function aliasesIn(document: Document.Parsed): Alias[] {
  const found: Alias[] = [];
  visit(document, { Alias: (_, node) => void found.push(node) });
  return found;
}

/** As plain data; `undefined` when aliases make more of it than anyone would write. */
function expand(document: Document.Parsed): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    return JSON.stringify(value).length > MOST_EXPANDED_CHARACTERS ? undefined : value;
  } catch (error) {
    // ReferenceError: the count was passed; TypeError: an alias inside its own anchor; RangeError: too long for a text.
    if (error instanceof ReferenceError || error instanceof TypeError || error instanceof RangeError)
      return undefined;
    throw error;
  }
}

function syntaxMessage(error: { code: string; message: string }): string {
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return 'there is a tab in the indentation; YAML takes only spaces there';
    case 'MULTIPLE_DOCS':
      return 'a second YAML document begins here; a scenario is one document';
    default:
      return `this is not YAML: ${error.message}`;
  }
}

/** Scalars are found by where they stand; a mapping, a list or an empty value by its key. */
function positionOf(document: Document.Parsed, lines: LineCounter, path: Path, atKey: boolean): Position {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const [depth, key] of path.entries()) {
    const holder = isAlias(node) ? node.resolve(document) : node;
    if (isMap(holder)) {
      const pair = holder.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) break;
      node = pair.value;
      const atItsKey = (atKey && depth === path.length - 1) || !isScalar(node) || node.value === null;
      const place = atItsKey ? pair.key : node;
      if (isScalar(place)) offset = place.range?.[0] ?? offset;
    } else if (isSeq(holder)) {
      node = holder.items[Number(key)];
      const range = (node as { range?: [number, number, number] } | undefined)?.range;
      offset = range?.[0] ?? offset;
    } else break;
  }
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}
