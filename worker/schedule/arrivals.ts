/**
 * When requests are due in open loop: pure arithmetic, no timers. Arrivals come in order and are forgotten, so that
 * ten million cost no more memory than ten. A share takes its stripe of the whole's sequence.
 */
import type { OpenLoad, Stripe } from '../../shared/domain/load-plan.ts';
import { type RateCurve, rateCurve } from '../../shared/domain/rate-curve.ts';
import { countOn, placeOn } from '../../shared/domain/stripe.ts';
import { RandomStreams } from './random.ts';

export interface Arrivals {
  /** How many arrivals this share has. */
  readonly count: number;
  /** When its next arrival is due, µs after the start instant; Infinity after the last. */
  next(): number;
}

export function arrivalsOf(load: OpenLoad): Arrivals {
  const curve = rateCurve(load);
  return load.poisson === undefined
    ? new EvenArrivals(load, curve)
    : new PoissonArrivals(load, curve, load.poisson.seed);
}

/** Arrival k of the whole is due when the rate's integral has reached k: at k/rate seconds when it is constant. */
class EvenArrivals implements Arrivals {
  readonly count: number;
  private readonly curve: RateCurve;
  private readonly stripe: Stripe;
  private taken = 0;

  constructor({ stripe }: OpenLoad, curve: RateCurve) {
    this.curve = curve;
    this.stripe = stripe;
    this.count = countOn(stripe, curve.arrivals);
  }

  next(): number {
    if (this.taken === this.count) return Number.POSITIVE_INFINITY;
    return this.curve.timeOf(placeOn(this.stripe, this.taken++));
  }
}

/**
 * A Poisson process, given how many arrivals it has. Given N, the times of a homogeneous one are N independent
 * uniform times in order (Ross, Stochastic Processes, theorem 2.3.1), and one with a rate that varies is a homogeneous
 * one seen through Λ⁻¹ (Çinlar, Introduction to Stochastic Processes, chapter 4). The ordered uniforms are made one after
 * another, none kept: of the m that lie beyond the last, the first takes away a part 1 − V^(1/m) of what is left
 * (Bentley and Saxe, Generating Sorted Lists of Random Numbers, ACM TOMS 6 (3), 1980). That is summed as a logarithm,
 * so that it is as fine near 1 as near 0.
 *
 * Every share makes the whole's sequence, to the bit, and takes its stripe of it.
 */
class PoissonArrivals implements Arrivals {
  readonly count: number;
  private readonly curve: RateCurve;
  private readonly stripe: Stripe;
  private readonly random: RandomStreams;
  /** Arrivals of the whole that are still to come. */
  private left: number;
  private taken = 0;
  /** ln(1 − U) of the last one. */
  private logRest = 0;

  constructor({ stripe }: OpenLoad, curve: RateCurve, seed: number) {
    this.curve = curve;
    this.count = countOn(stripe, curve.arrivals);
    this.stripe = stripe;
    this.left = curve.arrivals;
    this.random = new RandomStreams(seed, [0]);
  }

  next(): number {
    if (this.taken === this.count) return Number.POSITIVE_INFINITY;
    // With those that the other shares have before this one's next.
    const leftAfter = this.curve.arrivals - placeOn(this.stripe, this.taken++) - 1;
    while (this.left > leftAfter) this.logRest += this.random.logUniform(0) / this.left--;
    return this.curve.timeOf(-Math.expm1(this.logRest) * this.curve.total);
  }
}
