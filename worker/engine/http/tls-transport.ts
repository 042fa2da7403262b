/**
 * TLS over TCP in one socket. Node lets only a socket that makes its TCP connection itself read into a buffer of ours
 * (`onread`), without which a request costs about a quarter more CPU. Where such a socket hides what goes over the wire
 * (wire.ts), TLS goes over a TCP socket that is kept beside it, and is read by 'data' events.
 */
import { connect as connectTcp, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import type { Dialer, Secure } from './dialer.ts';
import { Transport, type TransportUser } from './transport.ts';
import { type Wire, wireOf } from './wire.ts';

/** To copy so few bytes into the shared buffer costs less than another view of memory for the comparison of heads. */
const SMALL = 4096;

/**
 * Of an alert in its record, bytes; a close_notify is one. The longest is that of AES-CBC with SHA-384 in TLS 1.2: header 5,
 * initialisation vector 16, and 2 of the alert with 48 of the MAC, padded to 64. A key update may come just before.
 * A server that pads its records to more (RFC 8446, 5.4) is taken to have cut.
 */
const LONGEST_ALERT = 128;

export class TlsTransport extends Transport {
  private readonly secure: Secure;
  private wire: Wire | null = null;
  /** Bytes of the wire that the sink knows of. */
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

  protected override dial(options: TcpNetConnectOpts): Socket {
    const { buffer } = this.dialer;
    const socket = connect({
      ...options,
      ...this.securing(options.host!),
      onread: {
        buffer,
        callback: (length: number) => {
          this.take(buffer, length);
          return true;
        },
      },
    } as ConnectionOptions);
    const wire = wireOf(socket);
    if (wire !== undefined) {
      this.wire = wire;
      return socket;
    }
    socket.destroy();
    const tcp = connectTcp(options);
    this.wire = tcp;
    return tcp;
  }

  protected override connected(socket: Socket, address: string): void {
    const handshakeUs = this.dialer.clock.now();
    this.stage = 'handshake';
    // Until now it takes no notice of the option.
    socket.setNoDelay(true);
    socket.once('close', () => this.count());
    const secured = socket === this.wire ? this.secureOver(socket, address) : (socket as TLSSocket);
    const { sessions } = this.secure;
    if (sessions !== undefined) secured.on('session', (fresh: Buffer) => sessions.set(address, fresh));
    secured.once('secureConnect', () => {
      const now = this.dialer.clock.now();
      this.dialer.sink.secured(now - handshakeUs, now - this.begunUs, secured.isSessionReused());
      this.open();
    });
  }

  private secureOver(tcp: Socket, address: string): TLSSocket {
    const { buffer } = this.dialer;
    const socket = connect({ ...this.securing(address), socket: tcp });
    this.socket = socket;
    this.listen(socket);
    socket.on('data', (bytes: Buffer) => {
      if (bytes.length > SMALL) this.take(bytes, bytes.length);
      else {
        buffer.set(bytes);
        this.take(buffer, bytes.length);
      }
    });
    return socket;
  }

  /**
   * A TLS peer that means its end says so (close_notify); without that, anybody on the way may have cut the rest off
   * (RFC 9112, 9.8). Node tells both as the same 'end', but it tells the first at once as it reads it: after the few bytes
   * of an alert that were no data, or in the same turn of the event loop as the data that came along with it. More bytes
   * that were no data are the first part of a record that never became whole. A TCP end that follows data is read in a
   * later turn, but for a last read that happened to fill its buffer to the byte.
   */
  protected override wasCut(): boolean {
    this.count();
    const since = this.receivedBytes - this.receivedAtData;
    return since === 0 ? this.dialer.loopTurn() !== this.turnAtData : since > LONGEST_ALERT;
  }

  private securing(address: string): ConnectionOptions {
    const { context, serverName, host, verify, sessions } = this.secure;
    const session = sessions?.get(address);
    return {
      secureContext: context,
      ...(serverName !== undefined && { servername: serverName }),
      // It would look for the address.
      checkServerIdentity: (_address, certificate) => checkServerIdentity(host, certificate),
      rejectUnauthorized: verify,
      ALPNProtocols: ['http/1.1'],
      ...(session !== undefined && { session }),
    };
  }

  /** Decrypted bytes. */
  private take(bytes: Uint8Array, length: number): void {
    this.count();
    this.receivedAtData = this.receivedBytes;
    this.turnAtData = this.dialer.loopTurn();
    this.dialer.sink.decrypted(length);
    this.user?.read(bytes, length);
  }

  /** The bytes on the wire since the last call. */
  private count(): void {
    const { wire, dialer } = this;
    if (wire === null) return;
    const { bytesRead, bytesWritten } = wire;
    if (bytesRead > this.receivedBytes) {
      dialer.sink.received(bytesRead - this.receivedBytes);
      this.receivedBytes = bytesRead;
    }
    if (bytesWritten > this.sentBytes) {
      dialer.sink.sent(bytesWritten - this.sentBytes);
      this.sentBytes = bytesWritten;
    }
  }
}
