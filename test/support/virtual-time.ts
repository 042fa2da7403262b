/**
 * Time that passes only as far as something happens: a clock, and the global timers on it, so that hours of a schedule
 * take milliseconds and every run of a test is the same.
 */
import type { Clock } from '../../shared/clock.ts';

export interface VirtualTimeOptions {
  /** How late a timer may be, in µs: asked for each. */
  latenessUs?: () => number;
  /** What a turn of the event loop takes, in µs; more than 0, or whoever polls polls for ever. */
  turnUs?: number;
}

interface Event {
  atUs: number;
  order: number;
  run: (() => void) | undefined;
}

const MOST_EVENTS = 1_000_000;

export class VirtualTime {
  nowUs = 0;
  readonly clock: Clock = { epochBaseUs: 0, now: () => this.nowUs };
  private readonly latenessUs: () => number;
  private readonly turnUs: number;
  private readonly events: Event[] = [];
  private scheduled = 0;

  constructor({ latenessUs = () => 0, turnUs = 20 }: VirtualTimeOptions = {}) {
    this.latenessUs = latenessUs;
    this.turnUs = turnUs;
  }

  /** Calls `run` at this time, after what was scheduled for it before. @returns cancels it */
  at(atUs: number, run: () => void): () => void {
    const event = this.schedule(atUs, run);
    return () => {
      event.run = undefined;
    };
  }

  /** Calls `begin` and then everything that it leads to, with the global timers on this time, until nothing is left. */
  run(begin: () => void): void {
    const { setTimeout, clearTimeout, setImmediate, clearImmediate } = globalThis;
    const cancel = (event: unknown): void => {
      if (event !== undefined) (event as Event).run = undefined;
    };
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms: number) =>
        this.schedule(this.nowUs + Math.max(1, Math.floor(ms)) * 1_000 + this.latenessUs(), run),
      setImmediate: (run: () => void) => this.schedule(this.nowUs + this.turnUs, run),
      clearTimeout: cancel,
      clearImmediate: cancel,
    });
    try {
      begin();
      for (let count = 0; this.events.length > 0; count++) {
        if (count === MOST_EVENTS) throw new Error('this never ends');
        this.next();
      }
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate, clearImmediate });
    }
  }

  private schedule(atUs: number, run: () => void): Event {
    const event = { atUs, order: this.scheduled++, run };
    // Kept sorted, the next one last.
    let place = this.events.length;
    while (place > 0 && comesBefore(this.events[place - 1]!, event)) place--;
    this.events.splice(place, 0, event);
    return event;
  }

  private next(): void {
    const { atUs, run } = this.events.pop()!;
    this.nowUs = Math.max(this.nowUs, atUs);
    run?.();
  }
}

function comesBefore(a: Event, b: Event): boolean {
  return a.atUs !== b.atUs ? a.atUs < b.atUs : a.order < b.order;
}
