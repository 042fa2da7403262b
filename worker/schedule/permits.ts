/**
 * When requests may be sent under a rate cap: one at each point of a grid, evenly spaced over the worker, of which each
 * of its threads has every n-th. The shares of the threads so sum to the cap exactly, whatever it is. Pure arithmetic.
 */
import type { Stripe } from '../../shared/domain/load-plan.ts';

/** A thread's share of its worker's cap. */
export interface RateShare {
  /** Requests a second, of the whole worker. */
  perSecond: number;
  /** Which points of the worker's grid this thread has. */
  stripe: Pick<Stripe, 'offset' | 'stride'>;
}

/** A permit that nobody takes is good for so long, and until the worker's next one; then it is gone. */
const GOOD_FOR_US = 10_000;
/** The same instant, worked out in two ways. */
const ROUNDING_US = 1;

export class Permits {
  private readonly startUs: number;
  private readonly apartUs: number;
  private readonly goodForUs: number;
  private readonly firstUs: number;
  /** The first permit of the grid that is not used and not gone. */
  private next = 0;

  constructor({ perSecond, stripe: { offset, stride } }: RateShare, startUs: number) {
    this.startUs = startUs;
    this.firstUs = (offset * 1e6) / perSecond;
    this.apartUs = (stride * 1e6) / perSecond;
    // Until the thread's own next one, threads that all had to wait would then send one each at the same instant.
    this.goodForUs = Math.max(GOOD_FOR_US, 1e6 / perSecond);
  }

  /** From when on the next permit may be used, µs; it may lie in the past. */
  nextUs(nowUs: number): number {
    const oldest = Math.ceil((nowUs - this.goodForUs - this.startUs - this.firstUs) / this.apartUs);
    if (oldest > this.next) this.next = oldest;
    return this.startUs + this.firstUs + this.next * this.apartUs;
  }

  /** @returns whether there is one to be used now; it is used then */
  take(nowUs: number): boolean {
    if (this.nextUs(nowUs) > nowUs + ROUNDING_US) return false;
    this.next++;
    return true;
  }
}
