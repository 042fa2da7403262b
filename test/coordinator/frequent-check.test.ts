/** What is let through without a closer look would have been let through by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasFrequentForm } from '../../coordinator/frequent-check.ts';
import { problemInForm } from '../../coordinator/journal-check.ts';

const totals = { started: 1, completed: 1, failed: 0, dropped: 0, inFlight: 0 };
const clock = { clockOffsetUs: -3.5, clockUncertaintyUs: 20 };
const records = [
  {
    type: 'trial-started',
    trial: 0,
    startUs: 1,
    shards: [{ shard: 'r/0/0', worker: 'w1', hostname: 'lab', threads: 1, maxRate: 200, ...clock }],
  },
  {
    type: 'shard-done',
    trial: 0,
    shard: 'r/0/0',
    intervals: 1,
    totals,
    endUs: 1,
    cpuSeconds: 0.5,
    residentBytes: 1,
    threadLoads: [{ cpuUs: 1, waitUs: 0, lengthUs: 2, fullUs: 0 }],
    held: { requests: 3, us: 12_000 },
  },
  { type: 'trial-ended', trial: 0, state: 'dnf' },
  { type: 'host', trial: 0, host: 'w1', role: 'worker', ...clock },
  { type: 'host-second', trial: 0, host: 'w1', seq: 0, sample: { second: 0, fromUs: 1, lengthUs: 2 } },
];

test('a record that is as it should be needs no closer look', () => {
  for (const record of records) {
    assert.ok(hasFrequentForm(record.type, record), record.type);
    assert.equal(problemInForm(record.type, record), undefined);
  }
});

test('one with a value that it should not have is let through only where a closer look would', () => {
  const others = fc.oneof(
    fc.constantFrom(undefined, null, -1, 0.5, Number.POSITIVE_INFINITY, '', 'dnf', true, {}, [], [null]),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.constantFrom(...records), fc.nat(), others, (record, at, other) => {
      const changed = structuredClone(record);
      const places = placesIn(changed);
      const [holder, key] = places[at % places.length]!;
      holder[key] = other;
      if (!hasFrequentForm(changed.type, changed)) return;
      assert.equal(problemInForm(record.type, changed), undefined, JSON.stringify(changed));
    }),
    { numRuns: 2000 },
  );
});

type Holder = Record<string, unknown>;

/** Every key of a record and of what is in it. */
function placesIn(value: unknown): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[value as Holder, key], ...placesIn(inner)]);
}
