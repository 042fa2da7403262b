/** YAML with the place of everything in it. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { BroadsideError } from '../errors.ts';
import { type Locate, type Path, show, TOO_DEEP } from './problem.ts';

/** What aliases may multiply a scenario to. */
const MOST_EXPANDED_CHARACTERS = 8 * 1024 ** 2;
const MOST_ALIASES = 100;

/**
 * A text as plain data, and where each part of it stands.
 * @throws BroadsideError SCENARIO_INVALID for what is not YAML, or not one non-empty document
 */
export function parseYaml(text: string, fileName: string): { value: unknown; locate: Locate } {
  const lines = new LineCounter();
  const fail = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset);
    return new BroadsideError('SCENARIO_INVALID', `${fileName}:${line}:${col}: ${message}`);
  };
  let document: Document.Parsed;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw fail(0, TOO_DEEP);
  }
  const first = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])[0];
  if (first !== undefined) throw fail(first.pos[0], syntaxMessage(first, text));
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    throw fail(0, 'the scenario is empty; the least it needs is "targets" and "load"');
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES });
    if (JSON.stringify(value).length > MOST_EXPANDED_CHARACTERS) throw new RangeError('expanded');
  } catch (error) {
    const alias = firstAlias(document);
    if (alias === undefined) throw error;
    throw fail(alias.offset, alias.unresolved ?? 'aliases make this scenario too large; write it out');
  }
  return { value, locate: (path, atKey) => positionOf(document, lines, path, atKey) };
}

/** Where a document's alias stands that leads nowhere, or else its first one. */
function firstAlias(document: Document.Parsed): { offset: number; unresolved?: string } | undefined {
  let found: { offset: number; unresolved?: string } | undefined;
  visit(document, {
    Alias(_, node) {
      const offset = node.range?.[0] ?? 0;
      found ??= { offset };
      if (node.resolve(document) !== undefined) return undefined;
      found = { offset, unresolved: `the alias *${node.source} has no anchor &${node.source} before it` };
      return visit.BREAK;
    },
  });
  return found;
}

function syntaxMessage(
  error: { code: string; message: string; pos: [number, number] },
  text: string,
): string {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return `the key ${show(/^[^\s:]+/.exec(text.slice(error.pos[0]))?.[0] ?? '')} is given twice; keep one`;
    case 'TAB_AS_INDENT':
      return 'there is a tab in the indentation; YAML takes only spaces there';
    case 'RESOURCE_EXHAUSTION':
      return TOO_DEEP;
    case 'MULTIPLE_DOCS':
      return 'a second YAML document begins here; a scenario is one document';
    default:
      return `this is not YAML: ${error.message}`;
  }
}

/** Scalars are found by where they stand; a mapping, a list or an empty value by its key. */
function positionOf(
  document: Document.Parsed,
  lines: LineCounter,
  path: Path,
  atKey: boolean,
): ReturnType<Locate> {
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
