/**
 * One slot: its connection, the request on it, and what becomes of that request. A slot goes through
 *
 *   empty → connecting → busy → idle → busy → … → empty
 *
 * and back to empty whenever its connection is of no more use; the next request then opens a new one. Nothing here is
 * allocated for a request, only for a connection.
 */
import type { Clock } from '../../../shared/clock.ts';
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';
import type { SampleSink } from '../engine.ts';
import { BodyCheck } from './body-check.ts';
import type { ClosingSockets } from './closing-sockets.ts';
import type { Dialer } from './dialer.ts';
import type { Endpoint } from './endpoint.ts';
import type { HeadCache } from './head-cache.ts';
import { Progress, ReplyParser } from './reply-parser.ts';
import type { PreparedRequest } from './request-bytes.ts';
import type { RequestMix } from './request-mix.ts';
import { TlsTransport } from './tls-transport.ts';
import { Transport, type TransportUser } from './transport.ts';

/** What the connections of one engine share. */
export interface Surroundings {
  readonly endpoint: Endpoint;
  readonly dialer: Dialer;
  readonly requests: RequestMix;
  readonly clock: Clock;
  readonly sink: SampleSink;
  readonly heads: HeadCache;
  readonly closing: ClosingSockets;
  /** By slot: when the sweep should call `timeOut`; Infinity when there is nothing to wait for. */
  readonly deadlines: Float64Array;
  /** The slot's request is over and the sink was told; may fire the next one from inside. */
  over(slot: number): void;
}

type State = 'empty' | 'connecting' | 'busy' | 'idle';

/** Larger requests are written piece by piece, each counted as sent once the system has taken it. */
const WRITE_PIECE = 64 * 1024;

/** A server that knows nothing of 100-continue gets the body after this time (RFC 9110, 10.1.1). */
const CONTINUE_WAIT_US = 1_000_000;

/** What a TLS server begins its answer to plain HTTP with; no HTTP reply begins so. */
const TLS_ALERT = 0x15;

export class Connection implements TransportUser {
  private readonly around: Surroundings;
  private readonly slot: number;
  private readonly parser: ReplyParser;
  private state: State = 'empty';
  private transport: Transport | null = null;

  // The request in flight; after it, the one before.
  private request: PreparedRequest;
  private bytes: Buffer;
  private intendedUs = 0;
  private sentUs = 0;
  private firstByteUs = 0;
  /** It went out on a connection that had carried one before; such a request may be sent a second time. */
  private mayRetry = false;
  /** Bytes of it that are not written yet. */
  private unsent = 0;
  /** Its body is held back until the server asks for it. */
  private holding = false;
  private check: BodyCheck | null = null;

  constructor(around: Surroundings, slot: number) {
    this.around = around;
    this.slot = slot;
    this.parser = new ReplyParser(around.heads);
    this.request = around.requests.first;
    this.bytes = this.request.bytes;
  }

  send(intendedUs: number): void {
    const { clock, sink, requests, deadlines } = this.around;
    const request = requests.next();
    const now = clock.now();
    this.request = request;
    this.bytes = requests.bytesOf(request);
    this.intendedUs = intendedUs;
    this.sentUs = now;
    this.firstByteUs = 0;
    this.check = request.checksBody ? new BodyCheck(request.expect) : null;
    this.parser.begin(request.bodyless, this.check);
    this.mayRetry = this.state === 'idle';
    sink.started(request.index, now, this.mayRetry);
    if (this.transport === null) {
      this.open(now);
      return;
    }
    this.state = 'busy';
    deadlines[this.slot] = now + request.timeoutUs;
    this.write(this.transport);
  }

  /** The sweep found the deadline passed. */
  timeOut(now: number): void {
    if (this.holding && now < this.sentUs + this.request.timeoutUs) {
      this.sendBody();
      return;
    }
    const { parser, around } = this;
    const after = `${around.endpoint.name} after ${Math.round((now - this.sentUs) / 1000)} ms`;
    if (this.state === 'connecting') this.notOpened(after, now);
    else if (parser.untilClose) {
      const message = `a reply without a length, and the connection still open: ${after}, ${this.progress()}`;
      this.fail('unframed', message, now);
    } else this.fail('timeout', `no whole reply from ${after}, ${this.progress()}`, now);
  }

  private notOpened(after: string, now: number): void {
    const stage = this.transport?.stage;
    if (stage === 'lookup') this.fail('dns', `the name was not resolved: ${after}`, now);
    else if (stage === 'handshake') this.fail('tls', `the TLS handshake did not end: ${after}`, now);
    else this.fail('connect-timeout', `no connection to ${after}`, now);
  }

  /** Closes the connection and forgets the request; nobody is told. */
  drop(): void {
    const { transport } = this;
    this.transport = null;
    this.state = 'empty';
    this.around.deadlines[this.slot] = Number.POSITIVE_INFINITY;
    transport?.destroy();
  }

  private open(now: number): void {
    const { dialer, deadlines } = this.around;
    const { connectTimeoutUs, timeoutUs } = this.request;
    this.state = 'connecting';
    this.holding = false;
    deadlines[this.slot] = Math.min(now + connectTimeoutUs, this.sentUs + timeoutUs);
    const { secure } = dialer;
    this.transport =
      secure === undefined ? new Transport(dialer, this) : new TlsTransport(dialer, secure, this);
    this.transport.begin();
  }

  opened(): void {
    this.state = 'busy';
    this.around.deadlines[this.slot] = this.sentUs + this.request.timeoutUs;
    this.write(this.transport!);
  }

  private write(transport: Transport): void {
    const { bytes } = this;
    this.holding = false;
    if (this.request.awaitsContinue) {
      this.writeHead(transport);
      return;
    }
    if (bytes.length > WRITE_PIECE) {
      this.writePiece(transport, 0);
      return;
    }
    this.unsent = 0;
    transport.write(bytes);
  }

  private writeHead(transport: Transport): void {
    const { clock, deadlines } = this.around;
    const { bytes } = this;
    const length = bytes.indexOf('\r\n\r\n') + 4;
    this.holding = true;
    this.unsent = bytes.length - length;
    deadlines[this.slot] = Math.min(deadlines[this.slot]!, clock.now() + CONTINUE_WAIT_US);
    transport.write(bytes.subarray(0, length));
  }

  /** The server has answered to the head: a final status in place of the 100 means that the body is not wanted. */
  private heldBody(): void {
    if (this.parser.status === 0) {
      if (this.parser.continued) this.sendBody();
      return;
    }
    this.holding = false;
    this.around.deadlines[this.slot] = this.sentUs + this.request.timeoutUs;
  }

  /** The body that was held back. */
  private sendBody(): void {
    this.holding = false;
    this.around.deadlines[this.slot] = this.sentUs + this.request.timeoutUs;
    this.writePiece(this.transport!, this.bytes.length - this.unsent);
  }

  private writePiece(transport: Transport, from: number): void {
    const { bytes } = this;
    const piece = bytes.subarray(from, from + WRITE_PIECE);
    this.unsent = bytes.length - from;
    if (piece.length === 0) return;
    transport.writePiece(piece, () => {
      if (this.transport === transport && this.state === 'busy')
        this.writePiece(transport, from + piece.length);
    });
  }

  read(bytes: Uint8Array, length: number): void {
    const { clock, sink } = this.around;
    const { parser } = this;
    // Nobody asked for anything: whatever it is, the next reply could not be told from it.
    if (this.state !== 'busy') {
      this.drop();
      return;
    }
    const now = clock.now();
    if (this.firstByteUs === 0) this.firstByteUs = now;
    const bodyBefore = parser.bodyBytes;
    const progress = parser.feed(bytes, 0, length);
    if (parser.bodyBytes > bodyBefore) sink.body(parser.bodyBytes - bodyBefore);
    if (progress === Progress.more) {
      if (this.holding) this.heldBody();
      return;
    }
    if (progress === Progress.broken) {
      const alert = parser.status === 0 && bytes[0] === TLS_ALERT;
      this.refuse(alert ? 'a TLS alert; is it an https:// target?' : parser.problem, now);
    } else if (parser.end < length)
      this.refuse(`${length - parser.end} bytes after the end of the reply`, now);
    else this.complete(now);
  }

  private complete(now: number): void {
    const { sink, closing, deadlines, over } = this.around;
    const { parser, request } = this;
    const { index, expect } = request;
    const bodyProblem = this.check?.problem();
    this.check = null;
    const status = parser.status;
    deadlines[this.slot] = Number.POSITIVE_INFINITY;
    if (request.keepAlive && parser.keepAlive && this.unsent === 0) {
      this.state = 'idle';
    } else {
      const transport = this.transport!;
      this.transport = null;
      this.state = 'empty';
      // A server that still waits for the rest of the request would not close.
      if (this.unsent === 0) closing.add(transport, now);
      else transport.destroy();
    }
    if (expect.status !== undefined && !expect.status.includes(status)) {
      const message = `status ${status}, expected ${expect.status.join(' or ')}`;
      sink.failed(index, 'status', message, now, status);
    } else if (expect.length !== undefined && parser.bodyBytes !== expect.length) {
      const message = `a body of ${parser.bodyBytes} bytes, expected ${expect.length}`;
      sink.failed(index, 'length', message, now, status);
    } else if (bodyProblem !== undefined) {
      sink.failed(index, 'body', bodyProblem, now, status);
    } else {
      sink.completed(index, status, this.intendedUs, this.sentUs, this.firstByteUs, now);
    }
    over(this.slot);
  }

  ended(cut: boolean): void {
    if (this.state === 'idle') {
      this.drop();
      return;
    }
    const { clock, endpoint } = this.around;
    const now = clock.now();
    const done = this.parser.finish() === Progress.done;
    if (done && !cut) this.complete(now);
    else if (!this.retry(now)) {
      const how = done ? ' without ending TLS, so that the rest may be missing' : '';
      this.fail('closed-early', `${endpoint.name} closed the connection${how}, ${this.progress()}`, now);
    }
  }

  broken(errorClass: ErrorClass, meaning: string): void {
    if (this.state === 'idle') {
      this.drop();
      return;
    }
    const { clock, endpoint, deadlines } = this.around;
    if (this.state === 'connecting') {
      const itself = this.transport!.connectedToItself;
      this.transport!.destroy();
      this.transport = null;
      deadlines[this.slot] = Number.POSITIVE_INFINITY;
      // Some errors (EMFILE) come without a turn of the event loop; if the next request were fired from here, timers
      // and the other connections would starve.
      setImmediate(() => {
        if (this.state !== 'connecting') return;
        if (itself) this.failOnItself(clock.now());
        else this.fail(errorClass, `cannot connect to ${endpoint.name}: ${meaning}`, clock.now());
      });
      return;
    }
    const now = clock.now();
    if (errorClass === 'reset' && this.retry(now)) return;
    this.fail(errorClass, `${endpoint.name}: ${meaning} ${this.progress()}`, now);
  }

  /**
   * A server may close a connection that it holds idle at any time, also while a request is on its way there. Nobody
   * failed then: like browsers, and like them whatever the method, send the request again, once, on a new connection.
   * It stays one request, from its first send on; the bytes count as often as they were written.
   */
  private retry(now: number): boolean {
    if (!this.mayRetry || this.parser.started) return false;
    this.mayRetry = false;
    this.drop();
    this.open(now);
    return true;
  }

  private refuse(problem: string, now: number): void {
    const { endpoint } = this.around;
    if (this.transport!.connectedToItself) this.failOnItself(now);
    else this.fail('protocol', `bad reply from ${endpoint.name}: ${problem}`, now);
  }

  private failOnItself(now: number): void {
    const { name } = this.around.endpoint;
    this.fail('connect-refused', `nothing listens on ${name}: connected to itself`, now);
  }

  private fail(errorClass: ErrorClass, message: string, now: number): void {
    this.drop();
    this.around.sink.failed(this.request.index, errorClass, message, now);
    this.around.over(this.slot);
  }

  /** How far the reply has come, for messages. */
  private progress(): string {
    const { parser } = this;
    if (!parser.started) return 'before any byte of the reply';
    if (parser.status === 0) return 'inside the head of the reply';
    return `${parser.bodyBytes} bytes into the body (status ${parser.status})`;
  }
}
