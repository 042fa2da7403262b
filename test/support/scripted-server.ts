/**
 * A server on a real socket that does exactly what a script says, byte for byte, and nothing else: the k-th
 * connection that it accepts follows the k-th script.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';

export type Step =
  /** Waits until one more whole request has come: head, and as much body as its Content-Length says. */
  | { do: 'await-request' }
  /** Waits until the head of one more request has come. */
  | { do: 'await-head' }
  /** Sends these bytes in one write. */
  | { do: 'send'; bytes: Buffer }
  /** Waits until the client has read all that was sent. */
  | { do: 'await-read' }
  | { do: 'pause'; ms: number }
  /** Sends a FIN; with TLS, after a close_notify. */
  | { do: 'end' }
  /** Sends a FIN and no close_notify. */
  | { do: 'cut' }
  /** TLS: sends the first part of a record of data, and then a FIN. */
  | { do: 'cut-in-record' }
  /** Sends a RST, once the client has read all that was sent. */
  | { do: 'reset' }
  | { do: 'await-close' };

export type Script = readonly Step[];

export const awaitRequest: Step = { do: 'await-request' };
export const awaitHead: Step = { do: 'await-head' };
export const awaitRead: Step = { do: 'await-read' };
export const awaitClose: Step = { do: 'await-close' };
export const end: Step = { do: 'end' };
export const cut: Step = { do: 'cut' };
export const cutInRecord: Step = { do: 'cut-in-record' };
export const reset: Step = { do: 'reset' };
export const pause = (ms: number): Step => ({ do: 'pause', ms });
/** Text is latin1, so that every byte can be written. */
export const send = (bytes: string | Buffer): Step => ({
  do: 'send',
  bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes,
});

/** Of data, as long as a record can be (RFC 8446, 5.1), of which only the first bytes are here. */
export const BEGUN_RECORD = Buffer.concat([Buffer.from([0x17, 0x03, 0x03, 0x40, 0x00]), Buffer.alloc(1_000)]);

export class ScriptedServer {
  /** Speaks TLS. */
  readonly secure: boolean;
  accepted = 0;
  receivedBytes = 0;
  sentBytes = 0;
  /** As it was on the wire; of connections that are closed. */
  wireReceivedBytes = 0;
  wireSentBytes = 0;
  /** What the scripts waited for in vain, or could not do. */
  readonly problems: string[] = [];
  private readonly server: Server;
  private scripts: readonly Script[] = [];
  private clientHasRead: (bytes: number) => Promise<void> = () => Promise.resolve();
  private readonly open = new Set<Socket>();
  private closing: Promise<unknown>[] = [];

  private constructor(secure: SecureContextOptions | undefined) {
    this.secure = secure !== undefined;
    const secureContext = secure && createSecureContext(secure);
    this.server = createServer({ noDelay: true }, (tcp) => {
      const socket =
        secureContext === undefined
          ? tcp
          : new TLSSocket(tcp, { isServer: true, secureContext, ...secure, ALPNProtocols: ['http/1.1'] });
      this.accept(socket, tcp);
    });
  }

  /** @param secure speak TLS, with these certificates */
  static async listen(secure?: SecureContextOptions & { requestCert?: boolean }): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(secure);
    scripted.server.listen(0, '127.0.0.1');
    await once(scripted.server, 'listening');
    return scripted;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /**
   * Forgets what was; the next connection follows the first script.
   * @param clientHasRead resolves when the client has read so many bytes in all
   */
  play(scripts: readonly Script[], clientHasRead: (bytes: number) => Promise<void>): void {
    this.scripts = scripts;
    this.clientHasRead = clientHasRead;
    this.accepted = 0;
    this.receivedBytes = 0;
    this.sentBytes = 0;
    this.wireReceivedBytes = 0;
    this.wireSentBytes = 0;
    this.problems.length = 0;
    this.closing = [];
  }

  /** Resolves when every connection accepted so far is closed. */
  async allClosed(): Promise<void> {
    await Promise.all(this.closing);
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  /** @param tcp what is under `socket` with TLS; else the same */
  private accept(socket: Socket, tcp: Socket): void {
    const script = this.scripts[this.accepted++];
    this.open.add(socket);
    const closed = new Promise<void>((resolve) => {
      tcp.once('close', () => {
        this.wireReceivedBytes += tcp.bytesRead;
        this.wireSentBytes += tcp.bytesWritten;
        resolve();
      });
    });
    this.closing.push(closed);
    closed.then(() => this.open.delete(socket));
    socket.on('error', () => {});
    tcp.on('error', () => {});
    if (script === undefined) {
      this.problems.push(`connection ${this.accepted} was not expected`);
      socket.destroy();
      return;
    }
    const inbox = new Inbox(socket, (bytes) => {
      this.receivedBytes += bytes;
    });
    this.follow(script, socket, tcp, inbox, closed).catch((error) => {
      this.problems.push(`connection ${this.accepted}: ${error}`);
    });
  }

  private async follow(
    script: Script,
    socket: Socket,
    tcp: Socket,
    inbox: Inbox,
    closed: Promise<void>,
  ): Promise<void> {
    let written = Promise.resolve();
    for (const step of script) {
      if (socket.destroyed) return;
      switch (step.do) {
        case 'await-request':
          await Promise.race([inbox.nextRequest(), closed]);
          break;
        case 'await-head':
          await Promise.race([inbox.nextHead(), closed]);
          break;
        case 'send':
          this.sentBytes += step.bytes.length;
          written = new Promise((resolve) => socket.write(step.bytes, () => resolve()));
          break;
        case 'await-read':
          await Promise.race([this.clientHasRead(this.sentBytes), closed]);
          break;
        case 'pause':
          await new Promise((resolve) => setTimeout(resolve, step.ms));
          break;
        case 'end':
          socket.end();
          break;
        case 'cut':
          await Promise.race([written, closed]);
          tcp.end();
          break;
        case 'cut-in-record':
          await Promise.race([written, closed]);
          tcp.end(BEGUN_RECORD);
          break;
        case 'reset':
          await Promise.race([this.clientHasRead(this.sentBytes), closed]);
          tcp.resetAndDestroy();
          break;
        case 'await-close':
          await closed;
          break;
      }
    }
  }
}

/** What has come on a connection, cut into requests. */
class Inbox {
  private bytes = Buffer.alloc(0);
  private wake: () => void = () => {};

  constructor(socket: Socket, onBytes: (bytes: number) => void) {
    socket.on('data', (piece: Buffer) => {
      onBytes(piece.length);
      this.bytes = Buffer.concat([this.bytes, piece]);
      this.wake();
    });
  }

  /** The head stays in the inbox. */
  async nextHead(): Promise<string> {
    for (;;) {
      const length = this.bytes.indexOf('\r\n\r\n');
      if (length >= 0) return this.bytes.toString('latin1', 0, length + 4);
      await this.more();
    }
  }

  async nextRequest(): Promise<void> {
    const head = await this.nextHead();
    const length = head.length + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    while (this.bytes.length < length) await this.more();
    this.bytes = this.bytes.subarray(length);
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
