/**
 * A worker's clock against the coordinator's, from many round trips (DESIGN rule 4). Pure: times in, estimate out.
 *
 * One round trip (sent t0, received by the worker t1, answered t2, back t3) bounds the offset θ = worker − coordinator
 * to ((t1 − t0) + (t2 − t3)) / 2 ± ((t3 − t0) − (t2 − t1)) / 2, as in NTP (RFC 5905, section 8). The shortest round trip
 * is the best one; an old one is worth less by what two quartz clocks may have drifted since.
 */

export interface ClockOffset {
  /** Worker's clock minus coordinator's, µs. */
  offsetUs: number;
  /** The true offset lies within ± this, µs. */
  uncertaintyUs: number;
}

export interface RoundTrip {
  sentUs: number;
  workerReceivedUs: number;
  workerSentUs: number;
  receivedUs: number;
}

/** Two clocks, each within 50 ppm. */
const DRIFT = 100e-6;
const KEPT = 64;

export class ClockOffsetEstimator {
  private readonly roundTrips: RoundTrip[] = [];

  get size(): number {
    return this.roundTrips.length;
  }

  add(roundTrip: RoundTrip): void {
    this.roundTrips.push(roundTrip);
    if (this.roundTrips.length > KEPT) this.roundTrips.shift();
  }

  /** The best estimate for the moment `nowUs` (coordinator's clock); undefined before the first round trip. */
  estimate(nowUs: number): ClockOffset | undefined {
    let best: ClockOffset | undefined;
    for (const trip of this.roundTrips) {
      const travelUs = trip.receivedUs - trip.sentUs - (trip.workerSentUs - trip.workerReceivedUs);
      const uncertaintyUs = Math.max(0, travelUs) / 2 + Math.max(0, nowUs - trip.receivedUs) * DRIFT;
      if (best !== undefined && best.uncertaintyUs <= uncertaintyUs) continue;
      best = {
        offsetUs: (trip.workerReceivedUs - trip.sentUs + (trip.workerSentUs - trip.receivedUs)) / 2,
        uncertaintyUs,
      };
    }
    return best;
  }
}
