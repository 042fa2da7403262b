/** How long each connection thinks before its next request: pure arithmetic, no timers. */
import type { Pause, ThinkTime } from '../../shared/domain/load-plan.ts';
import { placeOn } from '../../shared/domain/stripe.ts';
import { RandomStreams } from './random.ts';

export class Pauses {
  private readonly pause: Pause;
  private readonly random: RandomStreams;

  /** @param slots how many connections this share has */
  constructor({ pause, seed, stripe }: ThinkTime, slots: number) {
    this.pause = pause;
    this.random = new RandomStreams(
      seed,
      Array.from({ length: pause.distribution === 'fixed' ? 0 : slots }, (_, slot) => placeOn(stripe, slot)),
    );
  }

  /** µs, of the connection on this slot. */
  next(slot: number): number {
    const { pause, random } = this;
    switch (pause.distribution) {
      case 'fixed':
        return pause.us;
      case 'uniform':
        return pause.minUs + (pause.maxUs - pause.minUs) * random.uniform(slot);
      case 'exponential':
        return -pause.meanUs * random.logUniform(slot);
    }
  }
}

/** µs, on average. */
export function meanPauseUs(pause: Pause): number {
  switch (pause.distribution) {
    case 'fixed':
      return pause.us;
    case 'uniform':
      return (pause.minUs + pause.maxUs) / 2;
    case 'exponential':
      return pause.meanUs;
  }
}
