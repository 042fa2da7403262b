/**
 * Connections whose last reply is complete and that the server is about to close. Whoever closes first keeps the
 * port for a minute (TIME_WAIT); a generator that closes first runs out of ports at a few hundred connections a
 * second. So the slot goes on with a new connection at once, and the old one waits here, for a while, for the
 * server's end.
 */
import type { Transport } from './transport.ts';

/** How long the server gets to close, in µs. */
const PATIENCE_US = 1_000_000;

export class ClosingSockets {
  private readonly limit: number;
  /** In order of their deadlines, since a Map keeps the order of insertion. */
  private readonly deadlines = new Map<Transport, number>();

  /** @param limit sockets to wait for at a time; more would be file descriptors that nobody counted with */
  constructor(limit: number) {
    this.limit = limit;
  }

  add(transport: Transport, nowUs: number): void {
    if (this.deadlines.size >= this.limit) {
      transport.destroy();
      return;
    }
    this.deadlines.set(transport, nowUs + PATIENCE_US);
    transport.leave(() => this.deadlines.delete(transport));
  }

  /** Closes those whose server takes too long. */
  sweep(nowUs: number): void {
    for (const [transport, deadline] of this.deadlines) {
      if (deadline > nowUs) return;
      this.deadlines.delete(transport);
      transport.destroy();
    }
  }

  destroy(): void {
    for (const transport of this.deadlines.keys()) transport.destroy();
    this.deadlines.clear();
  }
}
