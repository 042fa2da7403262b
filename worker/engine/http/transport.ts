/**
 * One connection as bytes: from the name to an address, to a TCP connection, to TLS over it. It counts every byte of
 * the socket, and tells its user when it is open, what it reads, and how it ends.
 *
 *   lookup → connect → (handshake) → exchange
 *
 * Plain sockets read into one shared buffer. TLS is read by 'data' events, over a TCP socket that is kept beside it:
 * that costs no more than Node's `onread` for TLS (within the noise at 25 bytes, 10 % at 1 MiB), and only so are the
 * bytes on the wire known.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from '../../../shared/errors.ts';
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';
import type { Dialer, Secure } from './dialer.ts';
import { classOf, meaningOf, type Stage } from './failures.ts';

/** To copy so few bytes into the shared buffer costs less than another view of memory for the comparison of heads. */
const SMALL = 4096;

/** Whoever is told of a transport; never from inside `openTransport`. */
export interface TransportUser {
  opened(): void;
  /** bytes[0 … length) were read, and are used up on return. */
  read(bytes: Uint8Array, length: number): void;
  /** The server closed its end. @param cut TLS: it did not say so, whoever closed; more may have been on its way */
  ended(cut: boolean): void;
  /** Nothing more comes. @param meaning for people */
  broken(errorClass: ErrorClass, meaning: string): void;
}

export function openTransport(dialer: Dialer, user: TransportUser): Transport {
  return dialer.secure === undefined
    ? new Transport(dialer, user)
    : new TlsTransport(dialer, dialer.secure, user);
}

export class Transport {
  stage: Stage = 'lookup';
  protected readonly dialer: Dialer;
  /** Null once it was left; what still comes is counted and nothing else. */
  protected user: TransportUser | null;
  /** What is written to and closed. */
  protected socket: Socket | null = null;
  private closed = false;

  constructor(dialer: Dialer, user: TransportUser) {
    this.dialer = dialer;
    this.user = user;
    const { lookup } = dialer;
    if (lookup === undefined) this.connect(dialer.next());
    else this.lookUp(lookup);
  }

  /** Whether the system knows already that nothing can be written any more. */
  get dead(): boolean {
    return this.socket === null || this.socket.errored !== null;
  }

  /**
   * A local port that nobody listens on can be picked as the connection's own; it then gets as reply what it sent.
   */
  get connectedToItself(): boolean {
    const { socket, dialer } = this;
    return (
      socket !== null &&
      socket.localPort === dialer.endpoint.port &&
      socket.localAddress === socket.remoteAddress
    );
  }

  write(bytes: Uint8Array): void {
    this.socket!.write(bytes);
    // Nothing went out on a connection that the system already knows to be dead.
    if (!this.dead) this.dialer.sink.sent(bytes.length);
  }

  /** @param taken called when the system has taken all of it */
  writePiece(bytes: Uint8Array, taken: () => void): void {
    this.socket!.write(bytes, (error) => {
      if (error) return;
      this.dialer.sink.sent(bytes.length);
      taken();
    });
  }

  /** The user goes its own way; the socket stays open. @param closed called when it has been closed */
  leave(closed: () => void): void {
    this.user = null;
    this.socket!.once('close', closed);
  }

  destroy(): void {
    this.user = null;
    this.closed = true;
    this.socket?.destroy();
  }

  /** The TCP connection stands. */
  protected connected(_socket: Socket, _address: string): void {
    this.open();
  }

  protected open(): void {
    this.stage = 'exchange';
    this.user?.opened();
  }

  /** What ends a socket, for its user. */
  protected listen(socket: Socket): void {
    socket.on('end', () => {
      // An end during the handshake is also told as an error.
      if (this.stage === 'exchange') this.user?.ended(this.wasCut());
      socket.destroy();
    });
    socket.on('close', () => {
      // Of a TCP socket under TLS it is told by the one above.
      if (this.socket !== socket) return;
      if (this.stage === 'exchange') this.user?.ended(this.wasCut());
      else this.fail({ name: 'Error', message: 'closed', code: 'ECONNRESET' });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (this.socket === socket) this.fail(error);
    });
  }

  protected fail(error: NodeJS.ErrnoException): void {
    this.user?.broken(classOf(error.code, this.stage), meaningOf(error, this.stage));
  }

  /** TCP tells an end from an abort by itself. */
  protected wasCut(): boolean {
    return false;
  }

  /** Options of the TCP socket for reading from it. */
  protected reading(): object {
    const { buffer, sink } = this.dialer;
    return {
      onread: {
        buffer,
        callback: (length: number) => {
          sink.received(length);
          this.user?.read(buffer, length);
          return true;
        },
      },
    };
  }

  private async lookUp(lookup: () => Promise<string[]>): Promise<void> {
    try {
      const [address] = await lookup();
      if (!this.closed) this.connect(address!);
    } catch (error) {
      const errorClass = (error as { errorClass?: ErrorClass }).errorClass ?? 'dns';
      this.user?.broken(errorClass, messageOf(error));
    }
  }

  private connect(address: string): void {
    const { dialer } = this;
    const { clock, sink, endpoint } = dialer;
    const localAddress = dialer.nextLocal(address);
    const begunUs = clock.now();
    this.stage = 'connect';
    const socket = connectTcp({
      host: address,
      port: endpoint.port,
      ...(localAddress !== undefined && { localAddress }),
      autoSelectFamily: false,
      noDelay: true,
      // Else Node would answer the server's end with a shutdown of its own, one more system call before the close.
      allowHalfOpen: true,
      ...this.reading(),
    });
    this.socket = socket;
    this.listen(socket);
    socket.once('connect', () => {
      if (this.user === null) return;
      sink.connected(clock.now() - begunUs, address);
      this.connected(socket, address);
    });
  }
}

class TlsTransport extends Transport {
  private readonly secure: Secure;
  private tcp: Socket | null = null;
  /** Bytes of the TCP socket that the sink knows of. */
  private receivedBytes = 0;
  private sentBytes = 0;
  /** What had been received when data came last, and in which turn of the event loop that was. */
  private receivedAtData = 0;
  private turnAtData = 0;

  constructor(dialer: Dialer, secure: Secure, user: TransportUser) {
    super(dialer, user);
    this.secure = secure;
  }

  override write(bytes: Uint8Array): void {
    this.socket!.write(bytes);
  }

  override writePiece(bytes: Uint8Array, taken: () => void): void {
    this.socket!.write(bytes, (error) => {
      if (!error) taken();
    });
  }

  override destroy(): void {
    this.count();
    super.destroy();
  }

  protected override reading(): object {
    return {};
  }

  protected override connected(tcp: Socket, address: string): void {
    const { clock, sink, buffer } = this.dialer;
    const { context, serverName, host, verify, sessions } = this.secure;
    const begunUs = clock.now();
    this.stage = 'handshake';
    this.tcp = tcp;
    const session = sessions?.get(address);
    const socket = connectTls({
      socket: tcp,
      secureContext: context,
      host,
      ...(serverName !== undefined && { servername: serverName }),
      rejectUnauthorized: verify,
      ALPNProtocols: ['http/1.1'],
      ...(session !== undefined && { session }),
    });
    this.socket = socket;
    this.listen(socket);
    tcp.once('close', () => this.count());
    if (sessions !== undefined) socket.on('session', (fresh: Buffer) => sessions.set(address, fresh));
    socket.once('secureConnect', () => {
      sink.secured(clock.now() - begunUs, socket.isSessionReused());
      this.open();
    });
    socket.on('data', (bytes: Buffer) => {
      this.count();
      this.receivedAtData = this.receivedBytes;
      this.turnAtData = this.dialer.loopTurn();
      sink.decrypted(bytes.length);
      if (bytes.length > SMALL) this.user?.read(bytes, bytes.length);
      else {
        buffer.set(bytes);
        this.user?.read(buffer, bytes.length);
      }
    });
  }

  /**
   * A TLS peer that means its end says so (close_notify); without that, anybody on the way may have cut the rest off
   * (RFC 9112, 9.8). Node tells both as the same 'end', but it tells the first at once as it reads it: after bytes that
   * were no data, or in the same turn of the event loop as the data that came along with it. A TCP end that follows
   * data is read in a later turn.
   */
  protected override wasCut(): boolean {
    this.count();
    return this.receivedBytes === this.receivedAtData && this.dialer.loopTurn() !== this.turnAtData;
  }

  /** The bytes of the TCP socket since the last call. */
  private count(): void {
    const { tcp, dialer } = this;
    if (tcp === null) return;
    const { bytesRead, bytesWritten } = tcp;
    if (bytesRead > this.receivedBytes) dialer.sink.received(bytesRead - this.receivedBytes);
    if (bytesWritten > this.sentBytes) dialer.sink.sent(bytesWritten - this.sentBytes);
    this.receivedBytes = bytesRead;
    this.sentBytes = bytesWritten;
  }
}
