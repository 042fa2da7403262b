/**
 * The head of a reply: status line and header fields, up to and with the blank line. Pure; the whole head is given
 * at once (`ReplyParser` gathers it when it comes in pieces).
 *
 * Strict where a mistake would move the end of the body, lenient elsewhere (RFC 9112):
 * - a line may end with a bare LF (2.2); a bare CR or a NUL is refused;
 * - the reason, and the space before it, may be missing;
 * - obs-fold is read as a space (5.2); space before the colon is ignored;
 * - equal repeated Content-Lengths count as one, conflicting or malformed ones are refused (6.3);
 * - Transfer-Encoding wins over Content-Length, and such a connection is not used again (6.3);
 * - Transfer-Encoding in HTTP/1.0 is read, and the connection is not used again (6.1).
 */

/** How the end of a body is found, before the method and the status have their say. */
export type Framing = 'length' | 'chunked' | 'until-close';

export interface ReplyHead {
  status: number;
  framing: Framing;
  /** Bytes of the body; only with framing `length`. */
  length: number;
  /** Whether the server lets the connection be used again. */
  keepAlive: boolean;
}

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;

/** What every status line begins with. */
export const STATUS_LINE_START = Buffer.from('HTTP/1.', 'latin1');

/**
 * The offset just past the blank line that ends a head, or -1. `from` may be any place in the head; to go on after
 * a piece without an end, start at most two bytes before its end.
 */
export function endOfHead(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to - 1; at++) {
    if (bytes[at] !== LF) continue;
    const next = bytes[at + 1];
    if (next === LF) return at + 2;
    if (next === CR && at + 2 < to && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

/** @returns the head, or what is wrong with it. */
export function parseHead(bytes: Uint8Array, from: number, to: number): ReplyHead | string {
  const status = parseStatusLine(bytes, from, to);
  if (typeof status === 'string') return status;
  const http10 = bytes[from + STATUS_LINE_START.length] === 0x30;
  let close = false;
  let keep = false;
  let length = -1;
  let codings = '';

  let at = endOfLine(bytes, from, to) + 1;
  while (at < to) {
    const lineEnd = endOfLine(bytes, at, to);
    if (lineEnd < 0) return 'a bare CR or a NUL in the header';
    if (isBlank(bytes, at, lineEnd)) break;
    let end = lineEnd;
    while (end + 1 < to && (bytes[end + 1] === SPACE || bytes[end + 1] === TAB)) {
      end = endOfLine(bytes, end + 1, to);
      if (end < 0) return 'a bare CR or a NUL in the header';
    }
    const colon = bytes.indexOf(COLON, at);
    if (colon <= at || colon > lineEnd) return `a header line without a name: ${quote(bytes, at, end)}`;
    if (bytes[at] === SPACE || bytes[at] === TAB) return 'a folded line before the first header';
    switch (endOfName(bytes, at, colon) - at) {
      case 10:
        if (!isName(bytes, at, 'connection')) break;
        for (const option of fieldValue(bytes, colon, end).toLowerCase().split(',')) {
          if (option.trim() === 'close') close = true;
          if (option.trim() === 'keep-alive') keep = true;
        }
        break;
      case 14: {
        if (!isName(bytes, at, 'content-length')) break;
        const merged = mergeLength(length, fieldValue(bytes, colon, end));
        if (typeof merged === 'string') return merged;
        length = merged;
        break;
      }
      case 17:
        if (!isName(bytes, at, 'transfer-encoding')) break;
        codings += `,${fieldValue(bytes, colon, end)}`;
        break;
    }
    at = end + 1;
  }

  const framing = codings === '' ? 'none' : framingOf(codings);
  let keepAlive = !close && (keep || !http10);
  if (framing === 'none') {
    return length >= 0
      ? { status, framing: 'length', length, keepAlive }
      : { status, framing: 'until-close', length: 0, keepAlive };
  }
  if (framing !== 'chunked' && framing !== 'until-close') return framing;
  if (length >= 0 || http10) keepAlive = false;
  return { status, framing, length: 0, keepAlive };
}

/** Longest name of a server that is kept. */
const LONGEST_SERVER = 200;

/** The value of a whole head's first Server line; '' without one. Not for every reply: it searches the head as text. */
export function serverOf(bytes: Uint8Array, from: number, to: number): string {
  const [, value = ''] = /^server[ \t]*:[ \t]*([^\r\n]*)/im.exec(latin1(bytes, from, to)) ?? [];
  return value.trimEnd().slice(0, LONGEST_SERVER);
}

/** @returns the status code, or what is wrong with the line. */
function parseStatusLine(bytes: Uint8Array, from: number, to: number): number | string {
  const end = endOfLine(bytes, from, to);
  if (end < 0) return 'a bare CR or a NUL in the status line';
  const code = from + STATUS_LINE_START.length + 2;
  const after = code + 3;
  const separated = isDigit(bytes[code - 2]!) && bytes[code - 1] === SPACE;
  const coded =
    after <= end && isDigit(bytes[code]!) && isDigit(bytes[code + 1]!) && isDigit(bytes[code + 2]!);
  const ended = bytes[after] === SPACE || isBlank(bytes, after, end);
  const status = bytes[code]! * 100 + bytes[code + 1]! * 10 + bytes[code + 2]! - 48 * 111;
  if (!startsLikeReply(bytes, from, end) || !separated || !coded || !ended || status < 100) {
    return `not an HTTP/1 status line: ${quote(bytes, from, end)}`;
  }
  return status;
}

/** Whether what is there so far can be the start of a status line, so that garbage is refused at its first byte. */
export function startsLikeReply(bytes: Uint8Array, from: number, to: number): boolean {
  const length = Math.min(STATUS_LINE_START.length, to - from);
  for (let i = 0; i < length; i++) if (bytes[from + i] !== STATUS_LINE_START[i]) return false;
  return true;
}

/** The offset of the LF that ends the line, or -1 when the line holds what no line may hold. */
function endOfLine(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === LF) return at;
    if (byte === 0 || (byte === CR && bytes[at + 1] !== LF)) return -1;
  }
  return -1;
}

function isBlank(bytes: Uint8Array, from: number, lineEnd: number): boolean {
  return from === lineEnd || (from + 1 === lineEnd && bytes[from] === CR);
}

function endOfName(bytes: Uint8Array, from: number, colon: number): number {
  let end = colon;
  while (end > from && (bytes[end - 1] === SPACE || bytes[end - 1] === TAB)) end--;
  return end;
}

/** Compares without case; `name` is in lower case and as long as the header's name. */
function isName(bytes: Uint8Array, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if ((bytes[at + i]! | 0x20) !== (name.charCodeAt(i) | 0x20)) return false;
  }
  return true;
}

function fieldValue(bytes: Uint8Array, colon: number, end: number): string {
  return latin1(bytes, colon + 1, end)
    .replace(/\r?\n[ \t]+/g, ' ')
    .replace(/^[ \t]+|[ \t\r]+$/g, '');
}

/** @returns the length that a Content-Length value (a list of equal numbers at most) and the earlier ones agree on. */
function mergeLength(earlier: number, value: string): number | string {
  let length = earlier;
  for (const item of value.split(',')) {
    const digits = item.trim();
    const number = Number(digits);
    if (!/^[0-9]+$/.test(digits) || !Number.isSafeInteger(number)) {
      return `Content-Length is not a number: ${JSON.stringify(value.slice(0, 80))}`;
    }
    if (length >= 0 && number !== length) return `conflicting Content-Lengths: ${length} and ${number}`;
    length = number;
  }
  return length;
}

/** @returns a framing, `none` when nothing but the obsolete `identity` is listed, or what is wrong. */
function framingOf(codings: string): Framing | 'none' | string {
  const names = codings
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';')[0]!.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0) return 'none';
  const chunked = names.indexOf('chunked');
  if (chunked < 0) return 'until-close';
  if (chunked < names.length - 1)
    return `chunked is not the last transfer coding: ${names.join(', ').slice(0, 80)}`;
  return 'chunked';
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.max(0, to - from)).toString('latin1');
}

function quote(bytes: Uint8Array, from: number, to: number): string {
  return JSON.stringify(latin1(bytes, from, Math.min(to, from + 60)).trimEnd());
}
