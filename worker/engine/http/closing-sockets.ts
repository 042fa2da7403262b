/**
 * Connections whose last reply is complete and that the server is about to close. Whoever closes first keeps the
 * port for a minute (TIME_WAIT); a generator that closes first runs out of ports at a few hundred connections a
 * second. So the slot goes on with a new connection at once, and the old one waits here, for a while, for the
 * server's end.
 */
import type { Socket } from 'node:net';

/** How long the server gets to close, in µs. */
const PATIENCE_US = 1_000_000;

export class ClosingSockets {
  private readonly limit: number;
  /** In order of their deadlines, since a Map keeps the order of insertion. */
  private readonly deadlines = new Map<Socket, number>();

  /** @param limit sockets to wait for at a time; more would be file descriptors that nobody counted with */
  constructor(limit: number) {
    this.limit = limit;
  }

  add(socket: Socket, nowUs: number): void {
    if (this.deadlines.size >= this.limit) {
      socket.destroy();
      return;
    }
    this.deadlines.set(socket, nowUs + PATIENCE_US);
    socket.once('close', () => this.deadlines.delete(socket));
  }

  /** Closes those whose server takes too long. */
  sweep(nowUs: number): void {
    for (const [socket, deadline] of this.deadlines) {
      if (deadline > nowUs) return;
      this.deadlines.delete(socket);
      socket.destroy();
    }
  }

  destroy(): void {
    for (const socket of this.deadlines.keys()) socket.destroy();
    this.deadlines.clear();
  }
}
