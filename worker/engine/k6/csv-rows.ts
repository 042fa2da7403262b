/**
 * k6's CSV output, read as it comes: chunks of any size, cut anywhere, become samples. A request makes nine rows that differ
 * in their first three fields only, so what follows those is looked up as it stands, and read once for each different text.
 *
 * Rows are as k6 writes them (encoding/csv of Go): `metric_name,timestamp,metric_value`, a column for each system tag,
 * `extra_tags` (`a=1&b=2`, in any order, not escaped) and `metadata`; a field with a comma, a quote, a line break or a
 * leading space is quoted. Timestamps are µs (`K6_CSV_TIME_FORMAT=unix_micro`), values have six decimals.
 */
import { SampleTags } from './sample-tags.ts';

export type OnSample = (metric: string, timeUs: number, value: number, tags: SampleTags) => void;

const NEWLINE = 10;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
/** A row has names, which scripts choose; what is longer is no row. */
const LONGEST_ROW = 1024 * 1024;
/** Scripts that put an id into every name would fill the memory otherwise. */
const MOST_KNOWN_TAGS = 20_000;
const NO_BYTES = Buffer.alloc(0);

/** A text that has been read, and the one that came after it last: it mostly does again. */
interface Seen<T> {
  bytes: Buffer;
  value: T;
  next: Seen<T> | undefined;
}

export class CsvRows {
  /** What was no row: an extension that prints, for example. The first one is kept. */
  badRows = 0;
  firstBadRow = '';
  rows = 0;
  bytes = 0;
  private readonly onSample: OnSample;
  private rest: Buffer = NO_BYTES;
  /** Names of the columns after the value; empty before the header. */
  private columns: string[] = [];
  /** By the text of a row; and by what it says: k6 writes extra tags in any order, and a request's samples share theirs. */
  private readonly known = new Map<string, Seen<SampleTags>>();
  private readonly distinct = new Map<string, SampleTags>();
  private readonly metrics = new Map<string, Seen<string>>();
  private lastTags: Seen<SampleTags> | undefined;
  private lastMetric: Seen<string> | undefined;
  /** Where the field that was read last ended. */
  private at = 0;

  constructor(onSample: OnSample) {
    this.onSample = onSample;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      const next = this.row(bytes, from, end);
      if (next < 0) break;
      from = next;
    }
    this.rest = bytes.subarray(from);
    if (this.rest.length <= LONGEST_ROW) return;
    this.bad(this.rest, 0, LONGEST_ROW);
    this.rest = NO_BYTES;
  }

  /** A last row without its end is none: k6 was ended while it wrote. */
  end(): void {
    if (this.rest.length > 0) this.bad(this.rest, 0, this.rest.length);
    this.rest = NO_BYTES;
  }

  /** @returns where the next row begins; −1 when this one goes on beyond what has come */
  private row(bytes: Buffer, from: number, lineEnd: number): number {
    if (this.columns.length === 0) return this.header(bytes, from, lineEnd);
    if (bytes[from] === QUOTE) return this.quotedRow(bytes, from, lineEnd);
    const nameEnd = endOfField(bytes, from, lineEnd);
    const timeUs = this.whole(bytes, nameEnd + 1, lineEnd);
    const value = this.number(bytes, this.at + 1, lineEnd);
    const tagsFrom = this.at;
    if (nameEnd === lineEnd || Number.isNaN(timeUs) || tagsFrom >= lineEnd) {
      this.bad(bytes, from, lineEnd);
      return lineEnd + 1;
    }
    let end = lineEnd;
    let tags = expected(this.lastTags, bytes, tagsFrom, end);
    if (tags === undefined) {
      let key = bytes.toString('latin1', tagsFrom, end);
      tags = this.known.get(key);
      if (tags === undefined) {
        end = endOfRow(bytes, tagsFrom, lineEnd);
        if (end < 0) return -1;
        key = bytes.toString('latin1', tagsFrom, end);
        tags = this.known.get(key) ?? this.learn(key, bytes, tagsFrom, end);
      }
      if (this.lastTags !== undefined) this.lastTags.next = tags;
    }
    this.lastTags = tags;
    const metric = expected(this.lastMetric, bytes, from, nameEnd) ?? this.metricName(bytes, from, nameEnd);
    this.lastMetric = metric;
    // Not in the middle of a request, whose samples are to share their tags.
    if (this.known.size >= MOST_KNOWN_TAGS && metric.value === 'iterations') this.forget();
    this.rows++;
    this.onSample(metric.value, timeUs, value, tags.value);
    return end + 1;
  }

  private header(bytes: Buffer, from: number, end: number): number {
    const fields = readFields(bytes.toString('utf8', from, end));
    if (fields[0] === 'metric_name' && fields[1] === 'timestamp') this.columns = fields.slice(3);
    else this.bad(bytes, from, end);
    return end + 1;
  }

  /** Names with a leading space are quoted; so is what is no row. */
  private quotedRow(bytes: Buffer, from: number, lineEnd: number): number {
    const end = endOfRow(bytes, from, lineEnd);
    if (end < 0) return -1;
    const [name, time, value, ...tags] = readFields(bytes.toString('utf8', from, end));
    const timeUs = Number(time);
    if (name === undefined || tags.length !== this.columns.length || !Number.isFinite(timeUs)) {
      this.bad(bytes, from, end);
    } else {
      this.rows++;
      this.onSample(name, timeUs, goNumber(value ?? ''), this.tagsOf(tags));
    }
    return end + 1;
  }

  private learn(key: string, bytes: Buffer, from: number, end: number): Seen<SampleTags> {
    const value = this.tagsOf(readFields(bytes.toString('utf8', from + 1, end)));
    const tags: Seen<SampleTags> = { bytes: Buffer.from(bytes.subarray(from, end)), value, next: undefined };
    this.known.set(key, tags);
    return tags;
  }

  private tagsOf(fields: readonly string[]): SampleTags {
    const all = new Map<string, string>();
    this.columns.forEach((column, i) => {
      const field = fields[i] ?? '';
      if (column === 'metadata' || field === '') return;
      if (column !== 'extra_tags') all.set(column, field);
      else for (const [name, value] of extraTags(field)) all.set(name, value);
    });
    const key = JSON.stringify([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
    let tags = this.distinct.get(key);
    if (tags === undefined) {
      tags = new SampleTags(all);
      this.distinct.set(key, tags);
    }
    return tags;
  }

  private forget(): void {
    this.known.clear();
    this.distinct.clear();
  }

  private metricName(bytes: Buffer, from: number, to: number): Seen<string> {
    const key = bytes.toString('latin1', from, to);
    let metric = this.metrics.get(key);
    if (metric === undefined) {
      metric = {
        bytes: Buffer.from(bytes.subarray(from, to)),
        value: bytes.toString('utf8', from, to),
        next: undefined,
      };
      this.metrics.set(key, metric);
    }
    if (this.lastMetric !== undefined) this.lastMetric.next = metric;
    return metric;
  }

  /** NaN for what is none; `at` is then behind it. */
  private whole(bytes: Buffer, from: number, end: number): number {
    let value = 0;
    let i = from;
    for (; i < end; i++) {
      const digit = bytes[i]! - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.at = i;
    return i === from || bytes[i] !== COMMA ? Number.NaN : value;
  }

  /** As Go's `%f` writes it; the same double as `Number` gives. `at` is then behind it. */
  private number(bytes: Buffer, from: number, end: number): number {
    const negative = bytes[from] === MINUS;
    let mantissa = 0;
    let scale = 1;
    let seenPoint = false;
    let i = negative ? from + 1 : from;
    for (; i < end; i++) {
      const byte = bytes[i]!;
      if (byte >= ZERO && byte <= NINE) {
        mantissa = mantissa * 10 + (byte - ZERO);
        if (seenPoint) scale *= 10;
      } else if (byte === POINT && !seenPoint) seenPoint = true;
      else break;
    }
    this.at = i < end && bytes[i] === COMMA ? i : endOfField(bytes, from, end);
    // Two exact doubles divide to the nearest one of the decimal; beyond 2^53 the digits are not exact any more.
    if (this.at !== i || mantissa > Number.MAX_SAFE_INTEGER)
      return goNumber(bytes.toString('latin1', from, this.at));
    return negative ? -mantissa / scale : mantissa / scale;
  }

  private bad(bytes: Buffer, from: number, end: number): void {
    this.badRows++;
    if (this.firstBadRow === '') this.firstBadRow = bytes.toString('utf8', from, Math.min(end, from + 200));
  }
}

/** What these bytes are, if they are what was last, or what came after it last. */
function expected<T>(
  last: Seen<T> | undefined,
  bytes: Buffer,
  from: number,
  to: number,
): Seen<T> | undefined {
  if (last === undefined) return undefined;
  if (last.next !== undefined && isText(last.next.bytes, bytes, from, to)) return last.next;
  return isText(last.bytes, bytes, from, to) ? last : undefined;
}

function isText(text: Buffer, bytes: Buffer, from: number, to: number): boolean {
  const { length } = text;
  if (to - from !== length) return false;
  for (let i = 0; i < length; i++) if (text[i] !== bytes[from + i]) return false;
  return true;
}

function endOfField(bytes: Buffer, from: number, end: number): number {
  let i = from;
  while (i < end && bytes[i] !== COMMA) i++;
  return i;
}

/** The line break that ends the row: one inside of quotes does not. −1 when it has not come yet. */
function endOfRow(bytes: Buffer, from: number, lineEnd: number): number {
  let quotes = 0;
  let i = from;
  for (let end = lineEnd; end >= 0; end = bytes.indexOf(NEWLINE, end + 1)) {
    for (; i < end; i++) if (bytes[i] === QUOTE) quotes++;
    if (quotes % 2 === 0) return end;
  }
  return -1;
}

/** Fields of one row. */
function readFields(text: string): string[] {
  const fields: string[] = [];
  let i = 0;
  for (;;) {
    if (text[i] === '"') {
      let field = '';
      for (i++; i < text.length; i++) {
        if (text[i] !== '"') field += text[i];
        else if (text[i + 1] === '"') field += text[i++];
        else break;
      }
      fields.push(field);
      i++;
    } else {
      const comma = text.indexOf(',', i);
      const end = comma < 0 ? text.length : comma;
      fields.push(text.slice(i, end));
      i = end;
    }
    if (i >= text.length) return fields;
    i++;
  }
}

/** A value with `&` or `=` in it cannot be told from another tag: a part without a name goes on with the value before. */
function extraTags(text: string): [name: string, value: string][] {
  const tags: [string, string][] = [];
  for (const part of text.split('&')) {
    const equals = part.indexOf('=');
    const last = tags.at(-1);
    if (equals > 0) tags.push([part.slice(0, equals), part.slice(equals + 1)]);
    else if (last !== undefined) last[1] += `&${part}`;
  }
  return tags;
}

function goNumber(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  return text === '' ? Number.NaN : Number(text);
}
