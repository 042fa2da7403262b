import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { RampingConnections, Stage } from '../../../shared/domain/load-plan.ts';
import { connectionsOf, splitLoad, splitLoadByWeight } from '../../../shared/domain/shard.ts';
import { type ConnectionStep, connectionSteps } from '../../../worker/schedule/connection-steps.ts';

function ramp(startConnections: number, stages: Stage[]): RampingConnections {
  return {
    executor: 'ramping-connections',
    startConnections,
    stages,
    durationUs: stages.reduce((sum, { durationUs }) => sum + durationUs, 0),
    keepAlive: true,
    stripe: { offset: 0, stride: 1 },
  };
}

const connections = fc.integer({ min: 0, max: 60 });
const anyRamp = fc
  .tuple(
    connections,
    fc.array(
      fc.record({
        durationUs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90e6 })),
        target: connections,
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([start, stages]) => ramp(start, stages));

function stepsOf(load: RampingConnections): ConnectionStep[] {
  const steps: ConnectionStep[] = [];
  const iterator = connectionSteps(load);
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) steps.push(next.value);
  return steps;
}

/** How many are active at this instant, after all steps that fall on it. */
function activeAt(steps: readonly ConnectionStep[], us: number): number {
  return steps.filter(({ atUs }) => atUs <= us).at(-1)!.active;
}

/** v(us), straight from the stages. */
function valueAt({ startConnections, stages }: RampingConnections, us: number): number {
  let from = startConnections;
  let startUs = 0;
  for (const { durationUs, target } of stages) {
    if (us < startUs + durationUs) return from + ((target - from) * (us - startUs)) / durationUs;
    startUs += durationUs;
    from = target;
  }
  return from;
}

describe('the connections of a ramp', () => {
  test('are the line of the stages, rounded, at every instant', () => {
    fc.assert(
      fc.property(anyRamp, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (load, instants) => {
        const steps = stepsOf(load);
        for (const part of instants) {
          const us = part * load.durationUs;
          const off = Math.abs(activeAt(steps, us) - valueAt(load, us));
          assert.ok(off <= 0.5 + 1e-6, `${activeAt(steps, us)} for ${valueAt(load, us)} at ${us}`);
        }
      }),
    );
  });

  test('come and go one by one, in order, and end at the last target', () => {
    fc.assert(
      fc.property(anyRamp, (load) => {
        const steps = stepsOf(load);
        assert.deepEqual(steps[0], { atUs: 0, active: load.startConnections });
        assert.equal(steps.at(-1)!.active, load.stages.at(-1)!.target);
        for (let i = 1; i < steps.length; i++) {
          assert.equal(Math.abs(steps[i]!.active - steps[i - 1]!.active), 1);
          assert.ok(steps[i]!.atUs >= steps[i - 1]!.atUs);
        }
      }),
    );
  });

  test('of all workers and threads sum to the whole at every instant, and none has more than its share says', () => {
    const parts = fc.integer({ min: 1, max: 5 });
    const weights = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(anyRamp, weights, parts, (load, workers, threads) => {
        const shares = (splitLoadByWeight(load, workers) as RampingConnections[]).flatMap((each) =>
          splitLoad(each, threads),
        ) as RampingConnections[];
        const whole = stepsOf(load);
        const ofShares = shares.map(stepsOf);
        // The very instants of the whole, so that no share steps before or after it.
        for (const { atUs } of whole) {
          const sum = ofShares.reduce((total, steps) => total + activeAt(steps, atUs), 0);
          assert.equal(sum, activeAt(whole, atUs));
        }
        assert.equal(
          ofShares.reduce((steps, each) => steps + each.length - 1, 0),
          whole.length - 1,
        );
        shares.forEach((share, i) => {
          assert.ok(connectionsOf(share) >= longest(share, ofShares[i]!));
        });
      }),
    );
  });

  /** The most that are active for some time, jumps left out. */
  function longest({ durationUs }: RampingConnections, steps: readonly ConnectionStep[]): number {
    return steps.reduce((most, { atUs, active }, i) => {
      const untilUs = steps[i + 1]?.atUs ?? durationUs;
      return untilUs > atUs ? Math.max(most, active) : most;
    }, 0);
  }

  test('rise at the half: 0 to 4 in 4 s', () => {
    assert.deepEqual(stepsOf(ramp(0, [{ durationUs: 4e6, target: 4 }])), [
      { atUs: 0, active: 0 },
      { atUs: 0.5e6, active: 1 },
      { atUs: 1.5e6, active: 2 },
      { atUs: 2.5e6, active: 3 },
      { atUs: 3.5e6, active: 4 },
    ]);
  });

  test('fall at the half, and jump at once', () => {
    assert.deepEqual(
      stepsOf(
        ramp(2, [
          { durationUs: 2e6, target: 0 },
          { durationUs: 0, target: 2 },
        ]),
      ),
      [
        { atUs: 0, active: 2 },
        { atUs: 0.5e6, active: 1 },
        { atUs: 1.5e6, active: 0 },
        { atUs: 2e6, active: 1 },
        { atUs: 2e6, active: 2 },
      ],
    );
  });
});
