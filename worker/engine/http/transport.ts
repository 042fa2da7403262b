/**
 * One connection as bytes: from the name to an address, to a TCP connection, to TLS over it (tls-transport.ts). It
 * counts every byte of the socket, and tells its user when it is open, what it reads, and how it ends.
 *
 *   lookup → connect → (handshake) → exchange
 *
 * All of them read into one buffer that they share.
 */
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { messageOf } from '../../../shared/errors.ts';
import type { ErrorClass } from '../../../shared/metrics/error-class.ts';
import type { Dialer } from './dialer.ts';
import { classOf, meaningOf, type Stage } from './failures.ts';

/** Whoever is told of a transport; never from inside `begin`. */
export interface TransportUser {
  opened(): void;
  /** bytes[0 … length) were read, and are used up on return. */
  read(bytes: Uint8Array, length: number): void;
  /** The server closed its end. @param cut TLS: it did not say so, whoever closed; more may have been on its way */
  ended(cut: boolean): void;
  /** Nothing more comes. @param meaning for people */
  broken(errorClass: ErrorClass, meaning: string): void;
}

export class Transport {
  stage: Stage = 'lookup';
  protected readonly dialer: Dialer;
  /** Null once it was left; what still comes is counted and nothing else. */
  protected user: TransportUser | null;
  /** What is written to and closed. */
  protected socket: Socket | null = null;
  /** When the connect began, µs. */
  protected begunUs = 0;
  private closed = false;

  constructor(dialer: Dialer, user: TransportUser) {
    this.dialer = dialer;
    this.user = user;
  }

  /** Called once, before anything else. */
  begin(): void {
    const { lookup } = this.dialer;
    if (lookup === undefined) this.connect(this.dialer.next());
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

  /** A socket that connects there. */
  protected dial(options: TcpNetConnectOpts): Socket {
    const { buffer, sink } = this.dialer;
    return connect({
      ...options,
      onread: {
        buffer,
        callback: (length) => {
          sink.received(length);
          this.user?.read(buffer, length);
          return true;
        },
      },
    });
  }

  private async lookUp(lookup: () => Promise<string[]>): Promise<void> {
    try {
      const [address] = await lookup();
      if (address === undefined) throw new Error('the name has no address');
      if (!this.closed) this.connect(address);
    } catch (error) {
      const errorClass = (error as { errorClass?: ErrorClass }).errorClass ?? 'dns';
      this.user?.broken(errorClass, messageOf(error));
    }
  }

  private connect(address: string): void {
    const { dialer } = this;
    const { clock, sink, endpoint } = dialer;
    const localAddress = dialer.nextLocal(address);
    this.begunUs = clock.now();
    this.stage = 'connect';
    const socket = this.dial({
      host: address,
      port: endpoint.port,
      ...(localAddress !== undefined && { localAddress }),
      autoSelectFamily: false,
      noDelay: true,
      // Else Node would answer the server's end with a shutdown of its own, one more system call before the close.
      allowHalfOpen: true,
    });
    this.socket = socket;
    this.listen(socket);
    // First of all: TLS begins its handshake on the same event.
    socket.prependOnceListener('connect', () => {
      if (this.user === null) return;
      sink.connected(clock.now() - this.begunUs, address);
      this.connected(socket, address);
    });
  }
}
