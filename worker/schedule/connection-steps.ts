/**
 * When a ramp's connections begin and end: pure arithmetic, no timers.
 *
 * The stages make a line v(t); of the whole, the connections numbered 0 to c(t) − 1 are active, where c(t) is v(t)
 * rounded to the nearest whole number. So connection j is active while v(t) is above j + 1/2, and the connection
 * seconds of a ramp are those of its line. A share has its stripe of these very connections: whatever the number of
 * workers and threads, the shares sum to c(t) at every instant.
 */
import type { ClosedLoad, RampingConnections } from '../../shared/domain/load-plan.ts';
import { countOn, placeOn } from '../../shared/domain/stripe.ts';

export interface ConnectionStep {
  /** After the start instant. */
  atUs: number;
  /** How many connections this share has from then on. */
  active: number;
}

/** In order; the first is at 0. */
export function connectionSteps(load: ClosedLoad): Iterator<ConnectionStep, undefined> {
  return load.executor === 'constant-connections' ? constant(load.connections) : ramp(load);
}

function* constant(active: number): Generator<ConnectionStep, undefined> {
  yield { atUs: 0, active };
}

function* ramp({
  startConnections,
  stages,
  stripe,
}: RampingConnections): Generator<ConnectionStep, undefined> {
  let from = startConnections;
  let startUs = 0;
  let active = countOn(stripe, from);
  yield { atUs: 0, active };
  for (const { durationUs, target } of stages) {
    const wanted = countOn(stripe, target);
    while (active !== wanted) {
      // Going up, the next connection begins; going down, the last one ends.
      const connection = placeOn(stripe, active < wanted ? active : active - 1);
      active += active < wanted ? 1 : -1;
      yield { atUs: startUs + (durationUs * (connection + 0.5 - from)) / (target - from), active };
    }
    startUs += durationUs;
    from = target;
  }
}
