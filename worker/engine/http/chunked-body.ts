/**
 * Finds the end of a chunked body (RFC 9112, 7.1) and counts its data, in any pieces, without copying or keeping
 * any of it. Lines may end with a bare LF. Extensions and trailers are read over; both are limited, so that a body
 * without an end cannot be disguised as one of them.
 */

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const SEMICOLON = 59;

/** Longest chunk-size line, and longest trailer section, in bytes. */
export const CHUNK_LINE_LIMIT = 16 * 1024;
export const TRAILER_LIMIT = 64 * 1024;

type State =
  | 'size'
  | 'after-size'
  | 'extension'
  | 'size-lf'
  | 'data'
  | 'data-end'
  | 'data-lf'
  | 'trailer-start'
  | 'trailer'
  | 'trailer-lf'
  | 'last-lf'
  | 'done';

/** Told of the bytes of an entity as they pass by; they may be overwritten afterwards. */
export interface BodyWatcher {
  feed(bytes: Uint8Array, from: number, to: number): void;
}

export class ChunkedBody {
  /** Bytes of data so far. */
  dataBytes = 0;
  /** What is wrong, once `feed` has returned -1. */
  problem = '';
  private watcher: BodyWatcher | null = null;
  private state: State = 'size';
  private size = 0;
  /** Digits of the size, then bytes of the line or of the trailers: what the limits look at. */
  private seen = 0;

  begin(watcher: BodyWatcher | null = null): void {
    this.watcher = watcher;
    this.dataBytes = 0;
    this.state = 'size';
    this.size = 0;
    this.seen = 0;
  }

  get done(): boolean {
    return this.state === 'done';
  }

  /** @returns the offset up to which bytes belong to the body, or -1 when it is malformed. */
  feed(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && this.state !== 'done') {
      if (this.state === 'data') {
        const taken = Math.min(this.size, to - at);
        if (this.watcher !== null) this.watcher.feed(bytes, at, at + taken);
        this.dataBytes += taken;
        this.size -= taken;
        at += taken;
        if (this.size === 0) this.state = 'data-end';
      } else if (!this.step(bytes[at++]!)) {
        return -1;
      }
    }
    return at;
  }

  /** One byte of anything but data. */
  private step(byte: number): boolean {
    switch (this.state) {
      case 'size': {
        const digit = hexDigit(byte);
        if (digit >= 0) {
          this.size = this.size * 16 + digit;
          this.seen++;
          return Number.isSafeInteger(this.size)
            ? this.within(CHUNK_LINE_LIMIT)
            : this.refuse('a chunk size too large');
        }
        if (this.seen === 0) return this.refuse(`a chunk size that is not hexadecimal: ${show(byte)}`);
        return this.afterSize(byte);
      }
      case 'after-size':
        return this.afterSize(byte);
      case 'extension':
        this.seen++;
        if (byte === CR) this.state = 'size-lf';
        else if (byte === LF) this.endSizeLine();
        return this.within(CHUNK_LINE_LIMIT);
      case 'size-lf':
        if (byte !== LF) return this.refuse('a bare CR in a chunk size line');
        this.endSizeLine();
        return true;
      case 'data-end':
        if (byte === CR) this.state = 'data-lf';
        else if (byte === LF) this.endChunk();
        else return this.refuse('a chunk longer than its size');
        return true;
      case 'data-lf':
        if (byte !== LF) return this.refuse('a chunk longer than its size');
        this.endChunk();
        return true;
      case 'trailer-start':
        this.seen++;
        if (byte === CR) this.state = 'last-lf';
        else if (byte === LF) this.state = 'done';
        else this.state = 'trailer';
        return this.within(TRAILER_LIMIT);
      case 'trailer':
        this.seen++;
        if (byte === CR) this.state = 'trailer-lf';
        else if (byte === LF) this.state = 'trailer-start';
        return this.within(TRAILER_LIMIT);
      case 'trailer-lf':
        if (byte !== LF) return this.refuse('a bare CR in a trailer');
        this.state = 'trailer-start';
        return true;
      case 'last-lf':
        if (byte !== LF) return this.refuse('a bare CR in a trailer');
        this.state = 'done';
        return true;
      default:
        return true;
    }
  }

  private afterSize(byte: number): boolean {
    this.seen++;
    if (byte === CR) this.state = 'size-lf';
    else if (byte === LF) this.endSizeLine();
    else if (byte === SEMICOLON) this.state = 'extension';
    else if (byte === SPACE || byte === TAB) this.state = 'after-size';
    else return this.refuse(`a chunk size that is not hexadecimal: ${show(byte)}`);
    return this.within(CHUNK_LINE_LIMIT);
  }

  private endSizeLine(): void {
    this.seen = 0;
    this.state = this.size === 0 ? 'trailer-start' : 'data';
  }

  private endChunk(): void {
    this.seen = 0;
    this.state = 'size';
  }

  private within(limit: number): boolean {
    return this.seen <= limit || this.refuse(`more than ${limit} bytes of chunk size, extension or trailer`);
  }

  private refuse(problem: string): false {
    this.problem = problem;
    return false;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function show(byte: number): string {
  return JSON.stringify(String.fromCharCode(byte));
}
