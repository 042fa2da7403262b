/**
 * Reads one reply after another, in whatever pieces the socket delivers them. Pure: no I/O, no clock, nothing kept
 * of a body. What it found is in its fields after `feed` or `finish`.
 */
import { type BodyWatcher, ChunkedBody } from './chunked-body.ts';
import type { HeadCache } from './head-cache.ts';
import { endOfHead, parseHead, type ReplyHead, serverOf, startsLikeReply } from './reply-head.ts';

/** Longest head of a reply in bytes, blank line included; an interim (1xx) head has its own allowance. */
export const HEAD_LIMIT = 64 * 1024;

/** What `feed` and `finish` return. */
export const Progress = { more: 0, done: 1, broken: 2 } as const;
export type Progress = (typeof Progress)[keyof typeof Progress];

const TOO_LARGE = `a head of more than ${HEAD_LIMIT} bytes`;

type Phase = 'head' | 'length' | 'chunked' | 'until-close';

export class ReplyParser {
  /** Status of the reply once its head is read; 0 before. */
  status = 0;
  /** Bytes of the entity so far, after de-chunking. */
  bodyBytes = 0;
  /** Whether any byte of the reply has come. */
  started = false;
  /** Whether the server has asked for the request's body: an interim 100 has come. */
  continued = false;
  /** Once done: whether the connection may carry another request. */
  keepAlive = false;
  /** Once done: offset just past the reply in the piece fed last. Bytes after it belong to nothing. */
  end = 0;
  /** What is wrong, once broken. */
  problem = '';

  private readonly cache: HeadCache;
  private readonly chunked = new ChunkedBody();
  private phase: Phase = 'head';
  /** Bytes of a body with a length that are still to come. */
  private remaining = 0;
  private bodyless = false;
  private watcher: BodyWatcher | null = null;
  /** A head that came in pieces: the bytes so far. */
  private pending: Uint8Array | null = null;
  private pendingLength = 0;

  constructor(cache: HeadCache) {
    this.cache = cache;
  }

  /**
   * The next reply is to a new request.
   * @param bodyless the reply has no body whatever its head says: the request is a HEAD
   * @param watcher is told of the entity's bytes
   */
  begin(bodyless: boolean, watcher: BodyWatcher | null = null): void {
    this.status = 0;
    this.continued = false;
    this.bodyBytes = 0;
    this.started = false;
    this.problem = '';
    this.phase = 'head';
    this.bodyless = bodyless;
    this.watcher = watcher;
    this.pending = null;
    this.pendingLength = 0;
  }

  /** The reply has a body that only the end of the connection can end. */
  get untilClose(): boolean {
    return this.phase === 'until-close';
  }

  /** Takes bytes[from … to). After `done` or `broken` the next call must be `begin`. */
  feed(bytes: Uint8Array, from: number, to: number): Progress {
    let at = from;
    if (to > from) this.started = true;
    while (this.phase === 'head') {
      if (at >= to) return Progress.more;
      at = this.readHead(bytes, at, to);
      if (at < 0) return this.problem === '' ? Progress.more : Progress.broken;
    }
    return this.readBody(bytes, at, to);
  }

  /** The server has closed the connection. @returns `done` when that is how this reply ends. */
  finish(): Progress {
    return this.phase === 'until-close' ? Progress.done : Progress.more;
  }

  /** @returns the offset just past the head, or -1 when it is not complete yet or `problem` is set. */
  private readHead(bytes: Uint8Array, from: number, to: number): number {
    if (this.pending !== null) return this.gatherHead(this.pending, bytes, from, to);
    // Nearly always a reply is the first thing in what was read.
    const known = from === 0 ? this.cache.find(bytes, to) : null;
    if (known !== null) {
      this.applyHead(known);
      return this.cache.size;
    }
    const end = endOfHead(bytes, from, to);
    if (end < 0)
      return this.gatherHead(
        new Uint8Array(Math.min(HEAD_LIMIT + 1, Math.max(512, 2 * (to - from)))),
        bytes,
        from,
        to,
      );
    const head = this.parse(bytes, from, end);
    if (head === null) return -1;
    if (from === 0 && head.status >= 200) this.cache.remember(head, bytes, end);
    return end;
  }

  /** A head in pieces: appends this one, and parses when it has the blank line. Returns what `readHead` does. */
  private gatherHead(pending: Uint8Array, bytes: Uint8Array, from: number, to: number): number {
    const before = this.pendingLength;
    const length = before + Math.min(to - from, HEAD_LIMIT + 1 - before);
    if (length > pending.length) {
      const larger = new Uint8Array(Math.min(HEAD_LIMIT + 1, Math.max(length, 2 * pending.length)));
      larger.set(pending.subarray(0, before));
      pending = larger;
    }
    pending.set(bytes.subarray(from, from + length - before), before);
    const end = endOfHead(pending, Math.max(0, before - 2), length);
    if (end >= 0) {
      this.pending = null;
      this.pendingLength = 0;
      return this.parse(pending, 0, end) === null ? -1 : from + end - before;
    }
    this.pending = pending;
    this.pendingLength = length;
    if (!startsLikeReply(pending, 0, length)) this.problem = 'not an HTTP/1 reply';
    else if (length > HEAD_LIMIT) this.problem = TOO_LARGE;
    return -1;
  }

  private parse(bytes: Uint8Array, from: number, to: number): ReplyHead | null {
    const head = to - from > HEAD_LIMIT ? TOO_LARGE : parseHead(bytes, from, to);
    if (typeof head === 'string') {
      this.problem = head;
      return null;
    }
    if (this.cache.server === undefined && head.status >= 200) this.cache.server = serverOf(bytes, from, to);
    this.applyHead(head);
    return head;
  }

  private applyHead(head: ReplyHead): void {
    const status = head.status;
    // An interim reply (100, 103) announces the real one. 101 ends HTTP on this connection: it is the real one.
    if (status < 200 && status !== 101) {
      if (status === 100) this.continued = true;
      return;
    }
    this.status = status;
    this.keepAlive = head.keepAlive && status !== 101;
    if (this.bodyless || status < 200 || status === 204 || status === 304) {
      this.phase = 'length';
      this.remaining = 0;
      return;
    }
    this.phase = head.framing;
    this.remaining = head.length;
    if (head.framing === 'chunked') this.chunked.begin(this.watcher);
    else if (head.framing === 'until-close') this.keepAlive = false;
  }

  private readBody(bytes: Uint8Array, from: number, to: number): Progress {
    if (this.phase === 'chunked') {
      const end = this.chunked.feed(bytes, from, to);
      this.bodyBytes = this.chunked.dataBytes;
      if (end < 0) {
        this.problem = this.chunked.problem;
        return Progress.broken;
      }
      this.end = end;
      return this.chunked.done ? Progress.done : Progress.more;
    }
    if (this.phase === 'until-close') {
      this.bodyBytes += to - from;
      if (this.watcher !== null && to > from) this.watcher.feed(bytes, from, to);
      return Progress.more;
    }
    const taken = Math.min(this.remaining, to - from);
    if (this.watcher !== null && taken > 0) this.watcher.feed(bytes, from, from + taken);
    this.bodyBytes += taken;
    this.remaining -= taken;
    this.end = from + taken;
    return this.remaining === 0 ? Progress.done : Progress.more;
  }
}
