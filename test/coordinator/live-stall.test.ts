import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LiveStall, longestStallUs } from '../../coordinator/live-stall.ts';
import { intervalOf } from '../support/intervals.ts';
import { CLOSED, trialPlan } from './report/journal-fixture.ts';

const reply = { latencyUs: 1_000, status: 200 };
const silent = (second: number, inFlight = 2) => intervalOf(second, [], inFlight);
const lively = (second: number) => intervalOf(second, [reply], 2);

describe('LiveStall', () => {
  test('tells when no reply has come for as long as is allowed, from where, and what was in flight', () => {
    const stall = new LiveStall(3e6);
    assert.equal(stall.add(lively(0), 1), undefined);
    assert.equal(stall.add(silent(1), 1), undefined);
    assert.equal(stall.add(silent(2), 1), undefined);
    assert.deepEqual(stall.add(silent(3, 7), 1), { fromSecond: 1, seconds: 3, inFlight: 7 });
  });

  test('a reply begins it anew', () => {
    const stall = new LiveStall(2e6);
    for (let second = 0; second < 100; second += 2) {
      assert.equal(stall.add(silent(second), 1), undefined);
      assert.equal(stall.add(lively(second + 1), 1), undefined);
    }
  });

  test('a second counts when it is in from all: one worker with replies is enough', () => {
    const stall = new LiveStall(1e6);
    assert.equal(stall.add(silent(0), 2), undefined, 'the other may have had replies');
    assert.equal(stall.add(lively(0), 2), undefined);
    assert.equal(stall.add(silent(1, 1), 2), undefined);
    assert.deepEqual(stall.add(silent(1, 4), 2), { fromSecond: 1, seconds: 1, inFlight: 5 });
  });

  test('a worker that is gone is not waited for', () => {
    const stall = new LiveStall(2e6);
    assert.equal(stall.add(silent(0), 2), undefined);
    assert.deepEqual(stall.add(silent(1), 1), { fromSecond: 0, seconds: 2, inFlight: 2 });
  });

  test('without a word from the scenario: 10 s, or as long as a reply may take', () => {
    const [request] = trialPlan(0, CLOSED).requests;
    const limit = (...timeouts: number[]) =>
      longestStallUs({ requests: timeouts.map((timeoutUs) => ({ ...request!, timeoutUs })) });
    assert.deepEqual([limit(2e6), limit(10e6), limit(2e6, 30e6)], [10e6, 10e6, 30e6]);
  });

  test('nothing to do is no stall, however long', () => {
    const stall = new LiveStall(1e6);
    for (let second = 0; second < 10; second++)
      assert.equal(stall.add(intervalOf(second, [], 0), 1), undefined);
  });

  test('parts of a second, too, are as long as whole ones', () => {
    const stall = new LiveStall(1_500_000);
    assert.equal(stall.add(silent(0), 1), undefined);
    assert.equal(stall.add(silent(1), 1)?.seconds, 2);
  });
});
