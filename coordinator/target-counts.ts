/** What the target served, counted where it cannot be missed: at the sockets. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Counts since the start, without the calls of /requests and /stall. */
export interface TargetCounts {
  /** Requests whose head has come. */
  requests: number;
  /** Replies that were handed to the system whole. */
  replies: number;
  bytes: {
    /** Read off the sockets. */
    received: number;
    /** Written to the sockets: a report's `bytes.received`, once nothing is on its way any more. */
    sent: number;
    /** Of `sent`, entities without their coding: a report's `bytes.body`. */
    body: number;
  };
}

interface SocketBytes {
  received: number;
  sent: number;
}

export class TargetCounter {
  requests = 0;
  replies = 0;
  body = 0;
  /** Of sockets that are gone. */
  private readonly past: SocketBytes = { received: 0, sent: 0 };
  private readonly open = new Set<Socket>();
  /** What counts of a socket that carried a control call: its bytes up to that call. */
  private readonly settled = new WeakMap<Socket, SocketBytes>();

  track(socket: Socket): void {
    this.open.add(socket);
    socket.once('close', () => {
      this.open.delete(socket);
      this.add(this.past, socket);
    });
  }

  /** This call is not load, and its socket ends with it: nothing of it, nor what follows, is counted. */
  leaveOut(call: IncomingMessage): void {
    const { socket } = call;
    this.settled.set(socket, { received: socket.bytesRead - headLength(call), sent: socket.bytesWritten });
  }

  totals(): TargetCounts {
    const bytes = { ...this.past };
    for (const socket of this.open) this.add(bytes, socket);
    return { requests: this.requests, replies: this.replies, bytes: { ...bytes, body: this.body } };
  }

  private add(into: SocketBytes, socket: Socket): void {
    const settled = this.settled.get(socket);
    into.received += settled?.received ?? socket.bytesRead;
    into.sent += settled?.sent ?? socket.bytesWritten;
  }
}

/** Bytes of a request's head, as every common client writes it: `Name: value`. */
function headLength({ method, url, httpVersion, rawHeaders }: IncomingMessage): number {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return Buffer.byteLength(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
