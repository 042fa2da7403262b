/**
 * How deep a YAML text nests, before it is parsed: the parser recurses, and some of the texts that nest without end do
 * not make it throw but take its process down (a regular expression of half a million parts).
 */
import { Lexer } from 'yaml';

/** No scenario needs ten. */
const DEEPEST = 100;
const WIDEST_INDENT = 1000;

/** Marks that the lexer puts between its tokens, and that are not in the text. */
const MARKS = new Set(['\u0002', '\u0018', '\u001f']);
const OPENING = new Set(['[', '{']);
const CLOSING = new Set([']', '}']);
/** Each begins another level on its line: `- - - x`. */
const BLOCK_INDICATORS = new Set(['-', '?', ':']);

/** Where the text nests too deeply, as an offset; `undefined` for what can be parsed. */
export function tooDeepAt(text: string): number | undefined {
  let offset = 0;
  let flowDepth = 0;
  let indicators = 0;
  let inScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (MARKS.has(token)) {
      inScalar = token === '\u001f';
      continue;
    }
    if (!inScalar) {
      if (OPENING.has(token)) flowDepth++;
      else if (CLOSING.has(token)) flowDepth = Math.max(0, flowDepth - 1);
      else if (BLOCK_INDICATORS.has(token)) indicators++;
      else if (token === '\n' || token === '\r\n') indicators = 0;
      else if (token.length > WIDEST_INDENT && token.trim() === '') return offset;
      if (flowDepth > DEEPEST || indicators > DEEPEST) return offset;
    }
    inScalar = false;
    offset += token.length;
  }
  return undefined;
}
