/** The start instant of a trial on the clock of another coordinator. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startOnThisClock } from '../../coordinator/begun-trial.ts';
import type { TrialStartedRecord } from '../../coordinator/journal-records.ts';
import { Registry } from '../../coordinator/registry.ts';
import { WorkerSession } from '../../coordinator/worker-session.ts';
import type { Hello } from '../../shared/protocol/messages.ts';

const START_US = 1_767_225_600_000_000;

/** @param offsetUs of the worker's clock, as the coordinator that is gone had measured it */
function shard(worker: string, offsetUs: number, uncertaintyUs: number) {
  return {
    shard: `r1/0/${worker}`,
    index: 0,
    worker,
    instance: `${worker}-process`,
    hostname: 'h',
    threads: 1,
    clockOffsetUs: offsetUs,
    clockUncertaintyUs: uncertaintyUs,
  };
}

/** A session whose clock is measured with one round trip of that length. */
function session(name: string, instance: string, offsetUs: number, travelUs: number): WorkerSession {
  const hello = { type: 'hello', role: 'worker', name, pool: 'default', instance, shards: [] };
  const known = new WorkerSession(hello as unknown as Hello);
  known.clockOffset = () => ({ offsetUs, uncertaintyUs: travelUs / 2 });
  return known;
}

function startedWith(...shards: TrialStartedRecord['shards']): TrialStartedRecord {
  return { type: 'trial-started', trial: 0, startUs: START_US, shards };
}

describe('the start instant on another clock', () => {
  for (const { sentence, shards, sessions, expected } of [
    {
      sentence: 'nobody is there to ask: as the journal has it',
      shards: [shard('w1', 500, 10)],
      sessions: [],
      expected: START_US,
    },
    {
      sentence: 'the worker is 500 µs ahead as before: the clocks are the same',
      shards: [shard('w1', 500, 10)],
      sessions: [session('w1', 'w1-process', 500, 20)],
      expected: START_US,
    },
    {
      sentence:
        'the worker was 500 µs ahead and is 2 s behind: this clock is 2 000 500 µs ahead of the other',
      shards: [shard('w1', 500, 10)],
      sessions: [session('w1', 'w1-process', -2_000_000, 20)],
      expected: START_US + 2_000_500,
    },
    {
      sentence: 'of two workers the one that is known best, then and now together, counts',
      shards: [shard('w1', 500, 10), shard('w2', -300, 40)],
      sessions: [session('w1', 'w1-process', 400, 1_000), session('w2', 'w2-process', -350, 100)],
      expected: START_US + 50,
    },
    {
      sentence: 'another process under the same name has another clock, and does not count',
      shards: [shard('w1', 500, 10)],
      sessions: [session('w1', 'another', -77, 20)],
      expected: START_US,
    },
  ])
    test(sentence, () => {
      const registry = new Registry();
      for (const known of sessions) registry.set(known);
      assert.equal(startOnThisClock(startedWith(...shards), registry), expected);
    });
});
