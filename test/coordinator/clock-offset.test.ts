import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ClockOffsetEstimator, type RoundTrip } from '../../coordinator/clock-offset.ts';

/** A round trip as it would be measured: `offsetUs` is the worker's clock minus the coordinator's. */
function measured(
  offsetUs: number,
  sentUs: number,
  thereUs: number,
  heldUs: number,
  backUs: number,
): RoundTrip {
  return {
    sentUs,
    workerReceivedUs: sentUs + thereUs + offsetUs,
    workerSentUs: sentUs + thereUs + heldUs + offsetUs,
    receivedUs: sentUs + thereUs + heldUs + backUs,
  };
}

const delay = fc.integer({ min: 0, max: 2_000_000 });
/** Whole µs, as far apart as two machines without NTP may be: exact in a double beside an epoch in µs. */
const offset = fc.integer({ min: -86_400_000_000, max: 86_400_000_000 });
const START_US = 1_767_225_600_000_000;

describe('ClockOffsetEstimator', () => {
  test('knows nothing before the first round trip', () => {
    const estimator = new ClockOffsetEstimator();
    assert.equal(estimator.estimate(START_US), undefined);
    assert.equal(estimator.size, 0);
  });

  test('the true offset lies within the uncertainty, however unequal the two ways are', () => {
    const trips = fc.array(fc.tuple(delay, delay, delay, delay), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(offset, trips, delay, (offsetUs, delays, laterUs) => {
        const estimator = new ClockOffsetEstimator();
        let nowUs = START_US;
        for (const [pauseUs, thereUs, heldUs, backUs] of delays) {
          const trip = measured(offsetUs, nowUs + pauseUs, thereUs, heldUs, backUs);
          estimator.add(trip);
          nowUs = trip.receivedUs;
        }
        const found = estimator.estimate(nowUs + laterUs)!;
        // A double beside 1.8e15 has a quarter of a microsecond.
        assert.ok(Math.abs(found.offsetUs - offsetUs) <= found.uncertaintyUs + 0.5);
      }),
    );
  });

  test('it holds while one clock runs 50 ppm faster than its offset was measured at', () => {
    fc.assert(
      fc.property(
        offset,
        delay,
        delay,
        fc.integer({ min: 0, max: 3_600_000_000 }),
        fc.boolean(),
        (offsetUs, thereUs, backUs, ageUs, ahead) => {
          const estimator = new ClockOffsetEstimator();
          const trip = measured(offsetUs, START_US, thereUs, 0, backUs);
          estimator.add(trip);
          const nowUs = trip.receivedUs + ageUs;
          const trueUs = offsetUs + (ahead ? 1 : -1) * 50e-6 * (nowUs - START_US - thereUs);
          const found = estimator.estimate(nowUs)!;
          const drifted = 50e-6 * backUs;
          assert.ok(Math.abs(found.offsetUs - trueUs) <= found.uncertaintyUs + drifted + 0.5);
        },
      ),
    );
  });

  test('the shortest round trip is chosen, until it is too old to be the best', () => {
    const estimator = new ClockOffsetEstimator();
    estimator.add(measured(5_000, START_US, 100, 50, 100));
    estimator.add(measured(5_000, START_US + 1_000_000, 100, 50, 9_900));
    assert.deepEqual(estimator.estimate(START_US + 250), { offsetUs: 5_000, uncertaintyUs: 100 });
    // 10 s later the first is ± 100 + 1000, the second still ± 5000 + 900.
    assert.equal(estimator.estimate(START_US + 10_000_250)!.offsetUs, 5_000);
    // 100 s later: ± 10100 against ± 14900 − 10000 × … : the newer one has drifted by 100 µs less only.
    estimator.add(measured(5_000, START_US + 99_000_000, 400, 0, 200));
    assert.equal(estimator.estimate(START_US + 100_000_000)!.offsetUs, 5_100);
  });

  test('only the last round trips are kept', () => {
    const estimator = new ClockOffsetEstimator();
    for (let i = 0; i < 1_000; i++) estimator.add(measured(7, START_US + i, 10, 0, 10));
    assert.equal(estimator.size, 64);
  });

  test('a worker that claims to have held the probe for longer than the round trip took is no better than exact', () => {
    const estimator = new ClockOffsetEstimator();
    estimator.add({ sentUs: 0, workerReceivedUs: 0, workerSentUs: 500, receivedUs: 100 });
    assert.equal(estimator.estimate(100)!.uncertaintyUs, 0);
  });
});
