/** A trial that is taken over from a coordinator that is gone, and whose workers tell less, or do more, than they should. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { RunCollector } from '../../coordinator/collector.ts';
import type { Dispatcher } from '../../coordinator/dispatcher.ts';
import { JournalWriter } from '../../coordinator/journal.ts';
import { readJournal } from '../../coordinator/journal-file.ts';
import type { JournalRecord, TrialStartedRecord } from '../../coordinator/journal-records.ts';
import { Registry } from '../../coordinator/registry.ts';
import { DEFAULT_TIMING } from '../../coordinator/timing.ts';
import { TrialController, type TrialOutcome } from '../../coordinator/trial-controller.ts';
import { WorkerSession } from '../../coordinator/worker-session.ts';
import { clock } from '../../shared/clock.ts';
import { DEFAULT_DNF } from '../../shared/domain/scenario.ts';
import type { CoordinatorMessage, Hello, ShardReport } from '../../shared/protocol/messages.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { CLOSED, trialPlan, trialRecords } from './report/journal-fixture.ts';

/** So many requests, however long they take: no time limits the wait for its end. */
const PLAN = trialPlan(0, CLOSED);
const SECOND = [{ latencyUs: 1_000, bytes: 10, status: 200 }];
const [BEGUN, ...TOLD] = trialRecords(PLAN, [
  { worker: 'w1', connections: 1, seconds: [SECOND, SECOND] },
  { worker: 'w2', connections: 2, seconds: [SECOND, SECOND] },
]);
const STARTED: TrialStartedRecord = {
  ...(BEGUN as TrialStartedRecord),
  shards: (BEGUN as TrialStartedRecord).shards.map((shard) => ({ ...shard, instance: shard.worker })),
};
const HOST_DONE = { type: 'host-done', run: 'r1', trial: 0, seconds: 0 } as const;
const OF_W1 = 'r1/0/0';
const OF_W2 = 'r1/0/1';
const ALL_OF_W2 = TOLD.filter((record) => 'shard' in record && record.shard === OF_W2);
const W1_LOST: JournalRecord = {
  type: 'worker-lost',
  trial: 0,
  shard: OF_W1,
  worker: 'w1',
  atUs: 1e6,
  reason: 'not heard of',
};

interface Joined {
  /** What it is sent. */
  sent: CoordinatorMessage[];
  /** Resolves when the trial has been taken over, and its host is to be watched. */
  watched: Promise<unknown>;
}

interface Opened {
  collector: RunCollector;
  /** A worker whose socket goes nowhere, its clock measured. */
  join(name: string, shards?: Hello['shards']): Joined;
  /** Takes the trial over; what the journal of the other coordinator has of it is in `records`. */
  takeOver(records: () => AsyncIterable<JournalRecord>): Promise<TrialOutcome>;
  journaled(): Promise<JournalRecord[]>;
}

async function open(t: TestContext, onWorkerLoss: 'abort' | 'shrink' = 'abort'): Promise<Opened> {
  const directory = await temporaryDirectory(t);
  const collector = new RunCollector(await JournalWriter.open(directory));
  const registry = new Registry();
  return {
    collector,
    join(name, shards = []) {
      const sent: CoordinatorMessage[] = [];
      const messages = new EventEmitter();
      const hello = { type: 'hello', role: 'worker', name, pool: 'default', instance: name, shards };
      const session = new WorkerSession(hello as unknown as Hello);
      registry.set(session);
      const send = (text: string): void => {
        const message = JSON.parse(text) as CoordinatorMessage;
        sent.push(message);
        messages.emit(message.type);
        // It samples no host.
        if (message.type === 'unwatch') setImmediate(() => collector.takeFromHost(name, name, HOST_DONE));
      };
      const watched = once(messages, 'watch');
      session.attach({ send, terminate: () => {} } as never);
      for (let probe = 1; probe <= 8; probe++) session.onClockAnswer(probe, clock.now(), clock.now());
      registry.emit('available', session);
      return { sent, watched };
    },
    takeOver(records) {
      const controller = new TrialController({
        runId: 'r1',
        plan: PLAN,
        shards: { started: STARTED, records },
        registry,
        dispatcher: { takeBack: () => Promise.resolve() } as unknown as Dispatcher,
        collector,
        onWorkerLoss,
        thresholds: [],
        dnf: DEFAULT_DNF,
        timing: { ...DEFAULT_TIMING, stopMs: 300, lossMs: 2_000 },
        notice: () => {},
        log: pino({ level: 'silent' }),
      });
      return controller.run(new AbortController().signal);
    },
    async journaled() {
      await collector.close();
      const records: JournalRecord[] = [];
      for await (const record of readJournal(directory)) records.push(record);
      return records;
    },
  };
}

async function* these(records: readonly JournalRecord[]): AsyncGenerator<JournalRecord> {
  yield* records;
}

/** As the worker told it, before it was journaled. */
function reportOf(type: 'shard-done', shard: string): ShardReport {
  const record = TOLD.find((one) => one.type === type && one.shard === shard);
  return record as unknown as ShardReport;
}

const stopsOf = (sent: CoordinatorMessage[]): string[] =>
  sent.flatMap((message) => (message.type === 'stop' ? [message.reason] : []));

describe('a trial that is taken over', () => {
  test('a worker that is back without its shard, and tells nothing of it: lost, and not waited for for ever', async (t) => {
    const { join, takeOver, journaled } = await open(t);
    join('w1');
    join('w2');
    const { state, reason } = await takeOver(() => these(ALL_OF_W2));
    assert.equal(state, 'dnf');
    assert.match(reason!, /w1 was lost: its worker has it no more, and nobody knows how it ended/);
    const kinds = (await journaled()).map(({ type }) => type);
    assert.ok(kinds.includes('worker-lost'), kinds.join());
  });

  test('a worker that is back without its shard, and word of its end comes: it counts', async (t) => {
    const { join, takeOver, collector } = await open(t);
    const { watched } = join('w1');
    join('w2');
    const taken = takeOver(() => these(ALL_OF_W2));
    await watched;
    collector.take(reportOf('shard-done', OF_W1));
    assert.deepEqual(await taken, { state: 'completed' });
  });

  for (const [sentence, isThere] of [
    ['is there already', true],
    ['comes later', false],
  ] as const)
    test(`a worker that was lost before, and ${sentence} with its shard: it is told to stop`, async (t) => {
      const { join, takeOver, collector } = await open(t, 'shrink');
      const held = [{ shard: OF_W1, started: true }];
      const before = isThere ? join('w1', held) : undefined;
      const { watched } = join('w2', [{ shard: OF_W2, started: true }]);
      const taken = takeOver(() => these([...ALL_OF_W2.slice(0, -1), W1_LOST]));
      await watched;
      const { sent } = before ?? join('w1', held);
      collector.take(reportOf('shard-done', OF_W2));
      assert.deepEqual(await taken, { state: 'completed' });
      assert.deepEqual(stopsOf(sent), ['its trial goes on without it']);
    });

  test('a shard that breaks in the middle of its load is journaled as lost: another coordinator would wait for it', async (t) => {
    const { join, takeOver, collector, journaled } = await open(t, 'shrink');
    join('w1', [{ shard: OF_W1, started: true }]);
    const { watched } = join('w2', [{ shard: OF_W2, started: true }]);
    const taken = takeOver(() => these(ALL_OF_W2));
    await watched;
    collector.take({ type: 'shard-failed', shard: OF_W1, reason: 'a load thread broke' });
    assert.deepEqual(await taken, { state: 'completed' });
    const lost = (await journaled()).find(({ type }) => type === 'worker-lost');
    assert.deepEqual(lost?.type === 'worker-lost' && [lost.shard, lost.reason], [
      OF_W1,
      'a load thread broke',
    ]);
  });

  test('a journal that cannot be gone through: the trial did not finish, and what waited for it is let in', async (t) => {
    const { takeOver, collector } = await open(t);
    collector.hold();
    const safe = collector.take(reportOf('shard-done', OF_W1));
    const { state, reason } = await takeOver(() => {
      throw new Error('the journal is damaged');
    });
    assert.deepEqual([state, reason], ['dnf', 'the journal is damaged']);
    await safe;
  });
});
