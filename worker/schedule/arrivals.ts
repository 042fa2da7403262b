/**
 * When requests are due in open loop: pure arithmetic, no timers. Arrivals come in order and are forgotten, so that
 * ten million cost no more memory than ten. A share takes its stripe of the whole's sequence.
 */
import type { OpenLoad } from '../../shared/domain/load-plan.ts';
import { type RateCurve, rateCurve } from '../../shared/domain/rate-curve.ts';
import { countOn } from '../../shared/domain/shard.ts';
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
  private readonly stride: number;
  private readonly total: number;
  private number: number;

  constructor({ stripe }: OpenLoad, curve: RateCurve) {
    this.curve = curve;
    this.total = curve.arrivals;
    this.count = countOn(stripe, this.total);
    this.stride = stripe.stride;
    this.number = stripe.offset;
  }

  next(): number {
    if (this.number >= this.total) return Number.POSITIVE_INFINITY;
    const dueUs = this.curve.timeOf(this.number);
    this.number += this.stride;
    return dueUs;
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
  private readonly stride: number;
  private readonly random: RandomStreams;
  /** Arrivals of the whole that are still to come. */
  private left: number;
  /** Of those, how many the other shares have before this one's next. */
  private others: number;
  /** ln(1 − U) of the last one. */
  private logRest = 0;

  constructor({ stripe }: OpenLoad, curve: RateCurve, seed: number) {
    this.curve = curve;
    this.count = countOn(stripe, curve.arrivals);
    this.stride = stripe.stride;
    this.left = curve.arrivals;
    this.others = stripe.offset;
    this.random = new RandomStreams(seed, [0]);
  }

  next(): number {
    if (this.left <= this.others) return Number.POSITIVE_INFINITY;
    for (let i = 0; i <= this.others; i++) this.logRest += this.random.logUniform(0) / this.left--;
    this.others = this.stride - 1;
    return this.curve.timeOf(-Math.expm1(this.logRest) * this.curve.total);
  }
}
