/**
 * HdrHistogram's V2 compressed encoding, as base64: the form on the wire, in the journal and in the report JSON, and
 * the one that HdrHistogram's own tools read (HdrHistogram, AbstractHistogram.encodeIntoCompressedByteBuffer).
 * Written here because it goes from and to the list of used places directly: a report decodes hundreds of
 * thousands of these. The tests hold it against hdr-histogram-js in both directions.
 */
import { deflateSync, inflateSync } from 'node:zlib';
import { BroadsideError } from '../errors.ts';
import { COUNTS_LENGTH, HIGHEST_TRACKABLE_US, type HistogramSnapshot } from './histogram.ts';

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

/** Used places and their counts, side by side. */
export interface Places {
  indexes: Uint16Array;
  counts: Float64Array;
}

/** Room for any histogram. */
export function roomForPlaces(): Places {
  return { indexes: new Uint16Array(COUNTS_LENGTH), counts: new Float64Array(COUNTS_LENGTH) };
}

/**
 * The same as `decodeHistogram`, without a copy of its own.
 * @param room is written over; the snapshot is a view of it, and valid until the next one is read into it
 */
export function decodeHistogramInto(encoded: EncodedHistogram, room: Places): HistogramSnapshot {
  const { count, min, max, sum, v2 } = encoded;
  const used = count === 0 ? 0 : readV2(bytesOf(v2), room);
  return {
    indexes: room.indexes.subarray(0, used),
    counts: room.counts.subarray(0, used),
    count,
    min,
    max,
    sum,
  };
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
    const zeros = indexes[i]! - next;
    if (zeros > 0) at = writeZigZag(payload, at, -zeros);
    at = writeZigZag(payload, at, counts[i]!);
    next = indexes[i]! + 1;
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
  return copyOfRead(bytesOf(base64));
}

/** Reads what `plainV2` gave. */
export function readPlainV2(plain: Buffer): Places {
  return copyOfRead(plain);
}

const read = roomForPlaces();

function copyOfRead(bytes: Buffer): Places {
  const used = readV2(bytes, read);
  return { indexes: read.indexes.slice(0, used), counts: read.counts.slice(0, used) };
}

/** Written over by each decoding: what a second of one shard needs, many times over. */
const wire = Buffer.allocUnsafe(1 << 16);

function bytesOf(base64: string): Buffer {
  if (base64.length > wire.length) return Buffer.from(base64, 'base64');
  return wire.subarray(0, wire.write(base64, 'base64'));
}

/** @returns how many places it has, at the beginning of `room` */
function readV2(bytes: Buffer, room: Places): number {
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
  return readPlaces(payload, HEADER_BYTES, HEADER_BYTES + length, room);
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
 * ZigZag LEB128-64b9B: 7 bits a byte, the ninth byte whole. A count is positive, a run of empty places negative. Most are
 * of one byte, and whole numbers of 32 bits are quicker than what fits in 53.
 */
function readPlaces(payload: Buffer, from: number, to: number, { indexes, counts }: Places): number {
  let used = 0;
  let place = 0;
  let at = from;
  while (at < to) {
    const byte = payload[at++]!;
    let count: number;
    let empty: number;
    if (byte < 0x80) {
      count = (byte & 1) === 0 ? byte >> 1 : 0;
      empty = (byte & 1) === 0 ? 0 : (byte + 1) >> 1;
    } else {
      let raw = byte & 0x7f;
      let scale = 128;
      for (let more = byte; more >= 0x80; scale *= 128) {
        if (at >= to || scale > 2 ** 49) throw corrupt('a count is cut short or too large');
        more = payload[at++]!;
        raw += (more & 0x7f) * scale;
      }
      count = raw % 2 === 0 ? raw / 2 : 0;
      empty = raw % 2 === 0 ? 0 : (raw + 1) / 2;
    }
    if (place + empty > (empty > 0 ? COUNTS_LENGTH : COUNTS_LENGTH - 1)) {
      throw corrupt('it lists more places than there are');
    }
    if (empty > 0) {
      place += empty;
      continue;
    }
    if (count > 0) {
      indexes[used] = place;
      counts[used++] = count;
    }
    place++;
  }
  return used;
}

function writeZigZag(buffer: Buffer, at: number, value: number): number {
  let raw = value < 0 ? -value * 2 - 1 : value * 2;
  while (raw >= 128) {
    buffer[at++] = (raw % 128) | 0x80;
    raw = Math.floor(raw / 128);
  }
  buffer[at++] = raw;
  return at;
}

function corrupt(why: string, cause?: unknown): BroadsideError {
  return new BroadsideError('JOURNAL_CORRUPT', `a latency histogram cannot be read: ${why}`, { cause });
}
