/** What a k6 script names: modules that it imports and files that it opens, found without running it. */
import { type ParserOptions, parse } from '@babel/parser';

/** A name in a script, and where it stands; line and column from 1. */
export interface ScriptReference {
  /** `module`: imported, exported from or required; `file`: opened. */
  kind: 'module' | 'file';
  name: string;
  line: number;
  column: number;
}

export interface ScriptReferences {
  references: ScriptReference[];
  /** Names that are put together when the script runs: what they stand for cannot be told here. */
  unknown: { call: string; line: number }[];
}

export interface ScriptSyntaxError {
  message: string;
  line: number;
  column: number;
}

interface Node {
  type: string;
  loc: { start: { line: number; column: number } };
  [key: string]: unknown;
}

const OPTIONS: ParserOptions = {
  sourceType: 'unambiguous',
  // What k6 itself takes is its own affair: here names are looked for.
  errorRecovery: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowNewTargetOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowUndeclaredExports: true,
};

/** @param typescript whether types are taken off first, as k6 does for `.ts` */
export function findReferences(source: string, typescript: boolean): ScriptReferences | ScriptSyntaxError {
  let file: Node;
  try {
    file = parse(source, { ...OPTIONS, plugins: typescript ? ['typescript'] : [] }) as unknown as Node;
  } catch (error) {
    const { loc, message } = error as Error & { loc?: { line: number; column: number } };
    const { line, column } = loc ?? { line: 1, column: 0 };
    // Babel ends its messages with the place.
    return { message: message.replace(/ \(\d+:\d+\)$/, ''), line, column: column + 1 };
  }
  const found: ScriptReferences = { references: [], unknown: [] };
  visit(file, found);
  return found;
}

/** A walk with a list of its own: a bundled library is nested deeper than calls may be. */
function visit(root: Node, found: ScriptReferences): void {
  const left: unknown[] = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (Array.isArray(value)) for (let i = value.length - 1; i >= 0; i--) left.push(value[i]);
    else if (isNode(value)) {
      note(value, found);
      left.push(...Object.values(value).reverse().filter(isObject));
    }
  }
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object';
}

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof (value as Node).type === 'string' && isObject((value as Node).loc);
}

function note(node: Node, found: ScriptReferences): void {
  switch (node.type) {
    case 'ImportDeclaration':
      if (node.importKind !== 'type') add('module', node.source, found, 'import');
      break;
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      if (isNode(node.source) && node.exportKind !== 'type') add('module', node.source, found, 'export');
      break;
    case 'CallExpression': {
      const [name] = node.arguments as unknown[];
      const call = calleeOf(node.callee);
      if (call === 'import' || call === 'require') add('module', name, found, call);
      else if (call === 'open') add('file', name, found, call);
      break;
    }
  }
}

/** `fs.open` of k6's file system opens as `open` does; what else has such a method names no text that is a file. */
function calleeOf(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined;
  if (callee.type === 'Import') return 'import';
  if (callee.type === 'Identifier') return callee.name as string;
  const { object, property, computed } = callee as {
    object?: unknown;
    property?: unknown;
    computed?: unknown;
  };
  if (callee.type !== 'MemberExpression' || computed === true || !isNode(property) || !isNode(object))
    return undefined;
  return object.name === 'fs' && property.name === 'open' ? 'open' : undefined;
}

function add(kind: ScriptReference['kind'], node: unknown, found: ScriptReferences, call: string): void {
  if (!isNode(node)) return;
  const { line, column } = node.loc.start;
  const name = textOf(node);
  if (name === undefined) found.unknown.push({ call, line });
  else found.references.push({ kind, name, line, column: column + 1 });
}

/** Of a literal without anything to put in. */
function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return node.value as string;
  const { quasis } = node as { quasis?: { value: { cooked: string } }[] };
  return node.type === 'TemplateLiteral' && quasis?.length === 1 ? quasis[0]!.value.cooked : undefined;
}
