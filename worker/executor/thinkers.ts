/**
 * Connections that think before their next request. One timer wakes them all, so that a stop has one thing to cancel,
 * pauses can be kept to less than the milliseconds of a timer, and many that wake at one time do so in rounds.
 */
import type { Clock } from '../../shared/clock.ts';
import type { ThinkTime } from '../../shared/domain/load-plan.ts';
import { DueSlots } from '../schedule/due-slots.ts';
import { meanPauseUs, Pauses } from '../schedule/pauses.ts';
import { type Cancel, callNextAt, callSoonAfter } from './wait-until.ts';

/** Shorter pauses are kept by polling; of longer ones, what a timer is late is less than a fiftieth. */
const POLL_BELOW_US = 50_000;
/** So many wake in one turn of the event loop; replies are read before the next. */
const MOST_A_TURN = 64;

export class Thinkers {
  private readonly clock: Clock;
  private readonly onAwake: (slot: number) => void;
  private readonly pauses: Pauses;
  private readonly asleep: DueSlots;
  private readonly wait: typeof callNextAt;
  /** When the timer is due. */
  private wakeUs = Number.POSITIVE_INFINITY;
  private cancelWake: Cancel = () => {};

  /** @param onAwake told of each that has thought long enough, never early */
  constructor(think: ThinkTime, slots: number, clock: Clock, onAwake: (slot: number) => void) {
    this.clock = clock;
    this.onAwake = onAwake;
    this.pauses = new Pauses(think, slots);
    this.asleep = new DueSlots(slots);
    this.wait = meanPauseUs(think.pause) < POLL_BELOW_US ? callNextAt : callSoonAfter;
  }

  add(slot: number): void {
    this.asleep.add(slot, this.clock.now() + this.pauses.next(slot));
    if (this.asleep.firstUs < this.wakeUs) this.setTimer();
  }

  stop(): void {
    this.cancelWake();
    this.asleep.size = 0;
  }

  private setTimer(): void {
    this.cancelWake();
    this.wakeUs = this.asleep.firstUs;
    if (this.asleep.size > 0) this.cancelWake = this.wait(this.clock, this.wakeUs, () => this.wake());
  }

  private wake(): void {
    const nowUs = this.clock.now();
    for (let n = 0; n < MOST_A_TURN && this.asleep.firstUs <= nowUs; n++) this.onAwake(this.asleep.take());
    this.setTimer();
  }
}
