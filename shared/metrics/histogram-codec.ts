/**
 * HdrHistogram's V2 compressed encoding, as base64: the form on the wire, in the journal and in the report JSON, and
 * the one that HdrHistogram's own tools read (HdrHistogram, AbstractHistogram.encodeIntoCompressedByteBuffer).
 * Written here because it goes from and to the list of used places directly: a report decodes hundreds of
 * thousands of these. The tests hold it against hdr-histogram-js in both directions.
 */
import { deflateSync, inflateSync } from 'node:zlib';
import { BroadsideError } from '../errors.ts';
import {
  COUNTS_LENGTH,
  HIGHEST_TRACKABLE_US,
  type Histogram,
  type HistogramSnapshot,
  type Places,
  roomForPlaces,
} from './histogram.ts';

const V2_COOKIE = 0x1c849303 | 0x10;
const V2_COMPRESSED_COOKIE = 0x1c849304 | 0x10;
const HEADER_BYTES = 40;
const SIGNIFICANT_DIGITS = 3;
/**
 * A second of one shard is a few hundred bytes. To inflate that costs several times what reading it costs, and a report
 * reads hundreds of thousands of them, so below this it travels as it is.
 */
const COMPRESS_ABOVE = 2048;
/** What a histogram is compressed to in one go, as a rule; the room for it is made anew each time. */
const CHUNK_BYTES = 4096;

/** A snapshot on the wire. `min`, `max` and `sum` are exact, which the encoded buckets are not. */
export interface EncodedHistogram {
  count: number;
  min: number;
  max: number;
  sum: number;
  /** V2, base64, compressed only where it is large; empty when the count is 0. */
  v2: string;
}

/** All of it, to a dense one. @throws BroadsideError as `decodeHistogram`; nothing has changed */
export function addEncoded(histogram: Histogram, encoded: EncodedHistogram): void {
  if (encoded.count === 0) return;
  const { lowest, highest } = addPlacesOf(encoded, histogram.places);
  histogram.added(lowest, highest, encoded);
}

export function encodeHistogram(snapshot: HistogramSnapshot): EncodedHistogram {
  const { count, min, max, sum } = snapshot;
  if (count === 0) return { count, min, max, sum, v2: '' };
  const plain = writePlain(snapshot);
  return {
    count,
    min,
    max,
    sum,
    v2: (plain.length > COMPRESS_ABOVE ? compress(plain) : plain).toString('base64'),
  };
}

/** @throws BroadsideError JOURNAL_CORRUPT when the bytes are not a V2 histogram of Broadside's configuration. */
export function decodeHistogram(encoded: EncodedHistogram): HistogramSnapshot {
  const { count, min, max, sum, v2 } = encoded;
  if (count === 0) return { indexes: [], counts: [], count: 0, min: 0, max: 0, sum: 0 };
  return { ...decodeV2(v2), count, min, max, sum };
}

/**
 * Adds the counts of a histogram to those of a dense one, without a list of them in between.
 * @param places one for each of `COUNTS_LENGTH`
 * @param sign −1 takes them away again
 * @returns ends of the places that have been added to; nothing lies outside
 * @throws BroadsideError as `decodeHistogram`; nothing has changed
 */
export function addPlacesOf(
  { v2 }: EncodedHistogram,
  places: Float64Array,
  sign: 1 | -1 = 1,
): { lowest: number; highest: number } {
  const { payload, to } = payloadOf(bytesOf(v2));
  const ends = addPlaces(payload, HEADER_BYTES, to, places, sign);
  if ('lowest' in ends) return ends;
  addPlaces(payload, HEADER_BYTES, ends.brokenAt, places, sign === 1 ? -1 : 1);
  throw corrupt(ends.why);
}

/** V2 compressed, base64: the form that HdrHistogram's own tools exchange. */
export function encodeV2(snapshot: Pick<HistogramSnapshot, 'indexes' | 'counts'>): string {
  return compress(writePlain(snapshot)).toString('base64');
}

/** V2 without compression: what a snapshot takes the least room in that is quickly read again. */
export function plainV2(snapshot: Pick<HistogramSnapshot, 'indexes' | 'counts'>): Buffer {
  return Buffer.from(writePlain(snapshot));
}

/** V2 compressed, base64, of what `plainV2` gave. */
export function compressedV2(plain: Buffer): string {
  return compress(plain).toString('base64');
}

/** Written over by each writing; grows to the largest. */
let written: Buffer = Buffer.allocUnsafe(1 << 15);

/** A view that is valid until the next call. */
function writePlain(snapshot: Pick<HistogramSnapshot, 'indexes' | 'counts'>): Buffer {
  const { indexes, counts } = snapshot;
  // A count or a run of zeros takes at most 9 bytes.
  const most = HEADER_BYTES + indexes.length * 18;
  if (written.length < most) written = Buffer.allocUnsafe(most);
  const payload = written;
  let at = HEADER_BYTES;
  let next = 0;
  for (let i = 0; i < indexes.length; i++) {
    const index = indexes[i]!;
    if (index > next) at = writeNumber(payload, at, (index - next) * 2 - 1);
    at = writeNumber(payload, at, counts[i]! * 2);
    next = index + 1;
  }
  payload.writeInt32BE(V2_COOKIE, 0);
  payload.writeInt32BE(at - HEADER_BYTES, 4);
  payload.writeInt32BE(0, 8); // normalizing index offset
  payload.writeInt32BE(SIGNIFICANT_DIGITS, 12);
  payload.writeBigInt64BE(1n, 16); // lowest discernible value
  payload.writeBigInt64BE(BigInt(HIGHEST_TRACKABLE_US), 24);
  payload.writeDoubleBE(1, 32); // integer-to-double ratio
  return payload.subarray(0, at);
}

function compress(plain: Buffer): Buffer {
  const compressed = deflateSync(plain, { chunkSize: CHUNK_BYTES });
  const head = Buffer.allocUnsafe(8);
  head.writeInt32BE(V2_COMPRESSED_COOKIE, 0);
  head.writeInt32BE(compressed.length, 4);
  return Buffer.concat([head, compressed]);
}

/** Reads V2, compressed or not. */
export function decodeV2(base64: string): Places {
  const used = readV2(bytesOf(base64), read);
  return { indexes: read.indexes.slice(0, used), counts: read.counts.slice(0, used) };
}

/**
 * Reads what `plainV2` gave.
 * @returns a view that is valid until the next is read
 */
export function readPlainV2(plain: Buffer): Places {
  const used = readV2(plain, read);
  return { indexes: read.indexes.subarray(0, used), counts: read.counts.subarray(0, used) };
}

const read = roomForPlaces();

/** Written over by each decoding: what a second of one shard needs, many times over. */
const wire = Buffer.allocUnsafe(1 << 16);

function bytesOf(base64: string): Buffer {
  if (base64.length > wire.length) return Buffer.from(base64, 'base64');
  return wire.subarray(0, wire.write(base64, 'base64'));
}

/** @returns how many places it has, at the beginning of `room` */
function readV2(bytes: Buffer, room: Places): number {
  const { payload, to } = payloadOf(bytes);
  return readPlaces(payload, HEADER_BYTES, to, room);
}

/** Where its places end; they begin behind the header. */
function payloadOf(bytes: Buffer): { payload: Buffer; to: number } {
  const payload = plainOf(bytes);
  if (payload.length < HEADER_BYTES || payload.readInt32BE(0) !== V2_COOKIE) throw corrupt('no V2 payload');
  // The lowest discernible value and the highest trackable one have 64 bits.
  const sameConfiguration =
    payload.readInt32BE(12) === SIGNIFICANT_DIGITS &&
    payload.readInt32BE(16) === 0 &&
    payload.readInt32BE(20) === 1 &&
    payload.readInt32BE(24) === 0 &&
    payload.readUInt32BE(28) === HIGHEST_TRACKABLE_US;
  if (!sameConfiguration) throw corrupt('it has another precision or range');
  const length = payload.readInt32BE(4);
  if (length < 0 || HEADER_BYTES + length > payload.length) throw corrupt('it is cut short');
  return { payload, to: HEADER_BYTES + length };
}

function plainOf(bytes: Buffer): Buffer {
  if (bytes.length < 8) throw corrupt('no V2 cookie');
  const cookie = bytes.readInt32BE(0);
  if (cookie === V2_COOKIE) return bytes;
  if (cookie !== V2_COMPRESSED_COOKIE) throw corrupt('no V2 cookie');
  try {
    return inflateSync(bytes.subarray(8, 8 + bytes.readInt32BE(4)), { maxOutputLength: 1 << 20 });
  } catch (cause) {
    throw corrupt('its payload does not inflate', cause);
  }
}

/**
 * ZigZag LEB128-64b9B: 7 bits a byte, the ninth byte whole. Of a count, which takes one place, 2 × count is written, of a run
 * of n empty places 2n − 1. Which of the two comes next nobody can guess, a processor neither: a byte that is a number by
 * itself, as most are, is added without asking, that of a run as a count of 0.
 */
function addPlaces(
  payload: Buffer,
  from: number,
  to: number,
  places: Float64Array,
  sign: 1 | -1,
): { lowest: number; highest: number } | { brokenAt: number; why: string } {
  let place = 0;
  let at = from;
  while (at < to) {
    const byte = payload[at++]!;
    if (byte < 0x80) {
      const isRun = byte & 1;
      const half = byte >> 1;
      places[place]! += sign * (half & (isRun - 1));
      place = (place + 1 + (half & -isRun)) | 0;
      if (place > COUNTS_LENGTH) return { brokenAt: at - 1, why: TOO_MANY };
    } else {
      const brokenAt = at - 1;
      let raw = byte & 0x7f;
      let scale = 128;
      for (let more = byte; more >= 0x80; scale *= 128) {
        if (at >= to || scale > 2 ** 49) return { brokenAt, why: CUT_SHORT };
        more = payload[at++]!;
        raw += (more & 0x7f) * scale;
      }
      const isRun = raw % 2 === 1;
      const next = place + (isRun ? (raw + 1) / 2 : 1);
      if (next > COUNTS_LENGTH) return { brokenAt, why: TOO_MANY };
      if (!isRun) places[place]! += (sign * raw) / 2;
      place = next | 0;
    }
  }
  return { lowest: emptyBefore(payload, from, to), highest: Math.max(0, place - 1) };
}

/** How many empty places there are before the first count. */
function emptyBefore(payload: Buffer, from: number, to: number): number {
  let raw = 0;
  let scale = 1;
  for (let at = from; at < to; at++, scale *= 128) {
    raw += (payload[at]! & 0x7f) * scale;
    if (payload[at]! < 0x80) break;
  }
  return raw % 2 === 1 ? (raw + 1) / 2 : 0;
}

const TOO_MANY = 'it lists more places than there are';
const CUT_SHORT = 'a count is cut short or too large';

/** The used ones as a list: each is written down, and what is no count is written over by what comes next. */
function readPlaces(payload: Buffer, from: number, to: number, { indexes, counts }: Places): number {
  let used = 0;
  let place = 0;
  let at = from;
  while (at < to) {
    const byte = payload[at++]!;
    if (byte > 0 && byte < 0x80) {
      const isRun = byte & 1;
      indexes[used] = place;
      counts[used] = byte >> 1;
      used += 1 - isRun;
      place += 1 + ((byte >> 1) & -isRun);
      continue;
    }
    let raw = byte & 0x7f;
    let scale = 128;
    for (let more = byte; more >= 0x80; scale *= 128) {
      if (at >= to || scale > 2 ** 49) throw corrupt(CUT_SHORT);
      more = payload[at++]!;
      raw += (more & 0x7f) * scale;
    }
    if (raw % 2 === 1) {
      place += (raw + 1) / 2;
    } else {
      indexes[used] = place++;
      counts[used] = raw / 2;
      if (raw > 0) used++;
    }
    if (place > COUNTS_LENGTH) break;
  }
  if (place > COUNTS_LENGTH) throw corrupt(TOO_MANY);
  return used;
}

/** LEB128. Bits of a whole number are taken apart many times as fast as what fits in 53. */
function writeNumber(buffer: Buffer, from: number, value: number): number {
  let at = from;
  if (value < 0x80) {
    buffer[at] = value;
    return at + 1;
  }
  let large = value;
  for (; large > 0x7fffffff; large = Math.floor(large / 128)) buffer[at++] = (large % 128) | 0x80;
  let raw = large | 0;
  for (; raw >= 0x80; raw >>= 7) buffer[at++] = raw | 0x80;
  buffer[at++] = raw;
  return at;
}

function corrupt(why: string, cause?: unknown): BroadsideError {
  return new BroadsideError('JOURNAL_CORRUPT', `a latency histogram cannot be read: ${why}`, { cause });
}
