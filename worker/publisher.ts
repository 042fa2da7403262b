/**
 * Delivery (DESIGN rule 5): reports are numbered, kept until the coordinator has acknowledged them, and sent again
 * after every reconnect, oldest first. It keeps memory bounded by nothing but the load itself: one report a second.
 */
import type { Delivery, WorkerReport } from '../shared/protocol/messages.ts';

export class Publisher {
  private readonly unacknowledged: Delivery[] = [];
  private lastNumber = 0;
  private send: ((delivery: Delivery) => void) | undefined;
  private onEmpty: (() => void)[] = [];

  publish(report: WorkerReport): void {
    const delivery: Delivery = { type: 'delivery', number: ++this.lastNumber, report };
    this.unacknowledged.push(delivery);
    this.send?.(delivery);
  }

  /** A connection is up: everything that is not acknowledged goes over it, then what follows. */
  attach(send: (delivery: Delivery) => void): void {
    this.send = send;
    for (const delivery of this.unacknowledged) send(delivery);
  }

  detach(): void {
    this.send = undefined;
  }

  acknowledge(number: number): void {
    while (this.unacknowledged.length > 0 && this.unacknowledged[0]!.number <= number)
      this.unacknowledged.shift();
    if (this.unacknowledged.length > 0) return;
    const waiting = this.onEmpty;
    this.onEmpty = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when all is acknowledged, or after `withinMs`. @returns how many reports are still unacknowledged */
  async drained(withinMs: number): Promise<number> {
    if (this.unacknowledged.length > 0) {
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([
        new Promise<void>((resolve) => this.onEmpty.push(resolve)),
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, withinMs);
        }),
      ]);
      clearTimeout(timer);
    }
    return this.unacknowledged.length;
  }
}
