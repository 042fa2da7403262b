/** Delivery, seen from the coordinator: late and repeated reports end up in the report exactly once. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Collector, RunCollector } from '../../coordinator/collector.ts';
import { DataDirectory, newRunId } from '../../coordinator/data-directory.ts';
import { rebuildRun } from '../../coordinator/interrupted-run.ts';
import { JournalWriter } from '../../coordinator/journal.ts';
import { readJournal } from '../../coordinator/journal-file.ts';
import type { JournalRecord } from '../../coordinator/journal-records.ts';
import { buildReport } from '../../coordinator/report/model.ts';
import type { IntervalReport, ShardDone, WorkerReport } from '../../shared/protocol/messages.ts';
import { intervalOf } from '../support/intervals.ts';
import { temporaryDirectory } from '../support/lab.ts';
import { CLOSED, runRecord, START_US, trialPlan } from './report/journal-fixture.ts';

const SHARDS = 3;
const SECONDS = 4;
/** Requests in a second of a shard: a power of two each, so that a sum tells which were counted. */
const requestsOf = (shard: number, second: number): number => 2 ** (shard * SECONDS + second);
const ALL = 2 ** (SHARDS * SECONDS) - 1;

function intervalReport(runId: string, shard: number, second: number): IntervalReport {
  const samples = Array.from({ length: requestsOf(shard, second) }, () => ({
    latencyUs: 1_000 + shard,
    bytes: 10,
    status: 200,
  }));
  return {
    type: 'interval',
    shard: `${runId}/0/${shard}`,
    seq: second,
    interval: intervalOf(second, samples),
  };
}

function doneReport(runId: string, shard: number): ShardDone {
  const started = Array.from({ length: SECONDS }, (_, second) => requestsOf(shard, second)).reduce(
    (a, b) => a + b,
  );
  return {
    type: 'shard-done',
    shard: `${runId}/0/${shard}`,
    intervals: SECONDS,
    totals: { planned: started, started, completed: started, failed: 0, dropped: 0, inFlight: 0 },
    firstRequestUs: 5,
    endUs: SECONDS * 1e6,
    cpuSeconds: 1,
    residentBytes: 1,
  };
}

function reportsOf(runId: string): WorkerReport[] {
  return Array.from({ length: SHARDS }, (_, shard) => [
    ...Array.from({ length: SECONDS }, (_, second) => intervalReport(runId, shard, second)),
    doneReport(runId, shard),
  ]).flat();
}

async function openRun(t: TestContext): Promise<{ data: DataDirectory; runId: string }> {
  const data = await DataDirectory.open(await temporaryDirectory(t));
  return { data, runId: await newRun(data) };
}

async function newRun(data: DataDirectory): Promise<string> {
  const runId = newRunId();
  await mkdir(data.run(runId), { recursive: true });
  return runId;
}

const noStray = (): void => {};

async function begin(collector: Collector, runId: string) {
  const run = await collector.open(runId);
  const trials = [trialPlan(0, { ...CLOSED, requests: ALL })];
  const record = runRecord(trials, { id: runId, report: [{ metric: 'requestRate' }] });
  await run.record(record);
  await run.record({
    type: 'trial-started',
    trial: 0,
    startUs: START_US,
    planned: ALL,
    shards: Array.from({ length: SHARDS }, (_, index) => ({
      shard: `${runId}/0/${index}`,
      index,
      worker: `w${index}`,
      hostname: 'h',
      connections: 1,
      planned: doneReport(runId, index).totals.started,
      threads: 1,
      clockOffsetUs: 0,
      clockUncertaintyUs: 1,
    })),
  });
  return run;
}

describe('the collector', () => {
  test('late and repeated reports, over the end of the run and over a new coordinator, are merged exactly once', async (t) => {
    const { data } = await openRun(t);
    const count = SHARDS * (SECONDS + 1);
    // What each of three stages takes, in any order, any of it several times: while the run lasts, after its end, and
    // at a coordinator that was started after.
    const stage = fc.array(fc.nat(count - 1), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.tuple(stage, stage, stage), fc.boolean(), async (stages, together) => {
        const runId = await newRun(data);
        const reports = reportsOf(runId);
        const first = new Collector(data, noStray);
        const second = new Collector(data, noStray);
        const take = async (collector: Collector, which: number[]): Promise<void> => {
          const taking = which.map((i) => () => collector.take('w', 'i', reports[i]!));
          if (together) await Promise.all(taking.map((begin) => begin()));
          else for (const begin of taking) await begin();
        };
        await begin(first, runId);
        await take(first, stages[0]);
        const closing = first.close(runId);
        await Promise.all([closing, take(first, stages[1])]);
        await take(second, stages[2]);

        const { trials } = await buildReport(readJournal(data.run(runId)));
        const came = new Set(stages.flat());
        const expected = [...came].reduce((sum, i) => {
          const report = reports[i]!;
          return report.type === 'interval' ? sum + report.interval.completed : sum;
        }, 0);
        assert.equal(trials[0]!.summary.requests, expected);
        assert.equal(trials[0]!.summary.bytes.received, expected * 10);
        assert.deepEqual(trials[0]!.summary.status, expected === 0 ? {} : { 200: expected });
        if (came.size === count) assert.equal(trials[0]!.ledger.balanced, true);
      }),
      { numRuns: 40 },
    );
  });

  test('everything twice, in reverse: the ledger balances and nothing is doubled', async (t) => {
    const { data, runId } = await openRun(t);
    const collector = new Collector(data, noStray);
    const run = await begin(collector, runId);
    const heard = { interval: 0, done: 0 };
    run.on('interval', () => heard.interval++).on('done', () => heard.done++);
    const reports = reportsOf(runId).reverse();
    await Promise.all([...reports, ...reports].map((report) => collector.take('w', 'i', report)));
    await collector.close(runId);
    assert.deepEqual(heard, { interval: SHARDS * SECONDS, done: SHARDS });
    const [trial] = (await buildReport(readJournal(data.run(runId)))).trials;
    assert.equal(trial!.summary.requests, ALL);
    assert.equal(trial!.ledger.balanced, true, trial!.ledger.problems.join());
  });

  test("a host's samples are journaled once, also late; those of a process that was started anew are others", async (t) => {
    const { data, runId } = await openRun(t);
    const collector = new Collector(data, noStray);
    const run = await begin(collector, runId);
    const done: string[] = [];
    run.on('host-done', (host, trial) => done.push(`${host} ${trial}`));
    const sample = (seq: number, fromUs: number): WorkerReport => ({
      type: 'host-second',
      run: runId,
      trial: 0,
      seq,
      sample: { second: 0, fromUs, lengthUs: 1e6 },
    });
    const take = (instance: string, seq: number, fromUs: number) =>
      collector.take('obs', instance, sample(seq, fromUs));
    await Promise.all([
      take('a', 0, 0),
      take('a', 0, 0),
      take('a', 1, 1e6),
      take('a', 0, 0),
      take('b', 0, 4e6),
    ]);
    await collector.take('obs', 'b', { type: 'host-done', run: runId, trial: 0, seconds: 1 });
    assert.deepEqual(done, ['obs 0']);
    await collector.close(runId);
    await take('b', 1, 5e6);
    await take('b', 1, 5e6);
    const journaled: number[] = [];
    for await (const record of readJournal(data.run(runId)))
      if (record.type === 'host-second') journaled.push(record.sample.fromUs / 1e6);
    assert.deepEqual(journaled, [0, 1, 4, 5, 5], 'a late one may be there twice');
    const [trial] = (await buildReport(readJournal(data.run(runId)))).trials;
    assert.ok(trial!.hosts.every(({ seconds }) => seconds.length <= 4));
    await collector.take('obs', 'b', { ...sample(0, 0), run: '../..' } as WorkerReport);
  });

  test('a repeated report is not safe before the first one is', async (t) => {
    const { data, runId } = await openRun(t);
    const collector = new Collector(data, noStray);
    await begin(collector, runId);
    const report = intervalReport(runId, 0, 0);
    const safe: string[] = [];
    const first = collector.take('w', 'i', report).then(() => safe.push('first'));
    const again = collector.take('w', 'i', report).then(() => safe.push('again'));
    await Promise.all([first, again]);
    assert.deepEqual(safe, ['first', 'again']);
    await collector.close(runId);
  });

  test('a report that could not be journaled is not safe, is told to nobody, and may come again', async (t) => {
    const { data, runId } = await openRun(t);
    const journal = await JournalWriter.open(data.run(runId));
    let full = true;
    const fullDisk = {
      append: (record: JournalRecord) =>
        full ? Promise.reject(new Error('ENOSPC')) : journal.append(record),
    };
    const run = new RunCollector(fullDisk as JournalWriter);
    let heard = 0;
    const unwritable: unknown[] = [];
    run.on('interval', () => heard++).on('unwritable', (error) => unwritable.push(error));
    const report = intervalReport(runId, 0, 0);
    await assert.rejects(run.take(report), /ENOSPC/);
    assert.equal(heard, 0);
    // Whoever does not wait hears of it too.
    run.record({ type: 'preflight', findings: [] });
    await new Promise(setImmediate);
    assert.deepEqual(unwritable.map(String), ['Error: ENOSPC', 'Error: ENOSPC']);
    full = false;
    await run.take(report);
    await run.take(report);
    assert.equal(heard, 1);
    await journal.close();
  });

  test('while it holds, reports wait and nothing is told; let in, they are journaled and told in their order', async (t) => {
    const { data, runId } = await openRun(t);
    const collector = new Collector(data, noStray);
    const run = await begin(collector, runId);
    const told: number[] = [];
    run.on('interval', ({ seq }) => told.push(seq));
    run.hold();
    const safe: number[] = [];
    const taken = [0, 1, 2].map((seq) =>
      collector.take('w0', 'i', intervalReport(runId, 0, seq)).then(() => safe.push(seq)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([told, safe], [[], []]);
    await run.letIn();
    await Promise.all(taken);
    assert.deepEqual(
      [told, safe],
      [
        [0, 1, 2],
        [0, 1, 2],
      ],
    );
    await collector.close(runId);
  });

  test('what waits is journaled when the run is closed, and what was journaled before is not once more', async (t) => {
    const { data, runId } = await openRun(t);
    const first = new Collector(data, noStray);
    await begin(first, runId);
    await first.take('w0', 'i', intervalReport(runId, 0, 0));
    await first.close(runId);
    const second = new Collector(data, noStray);
    const arrived = (await rebuildRun(readJournal(data.run(runId))))!.arrived;
    const run = await second.open(runId, arrived);
    run.hold();
    const taken = [0, 1].map((seq) => second.take('w0', 'i', intervalReport(runId, 0, seq)));
    await second.close(runId);
    await Promise.all(taken);
    const seqs: number[] = [];
    for await (const record of readJournal(data.run(runId)))
      if (record.type === 'interval') seqs.push(record.seq);
    assert.deepEqual(seqs, [0, 1]);
  });

  test('reports of a shard whose trial is begun anew are safe to forget, also after the end of the run', async (t) => {
    const { data, runId } = await openRun(t);
    const collector = new Collector(data, noStray);
    await begin(collector, runId);
    await collector.close(runId);
    const run = await collector.open(runId, undefined, (shard) => shard === `${runId}/0/1`);
    run.hold();
    const taken = [0, 1].map((shard) => collector.take('w', 'i', intervalReport(runId, shard, 0)));
    await collector.close(runId);
    await Promise.all([...taken, collector.take('w', 'i', intervalReport(runId, 1, 1))]);
    const shards: string[] = [];
    for await (const record of readJournal(data.run(runId)))
      if (record.type === 'interval') shards.push(record.shard);
    assert.deepEqual(shards, [`${runId}/0/0`]);
  });

  test('what belongs to no run here is let go; a shard that nobody waits for is stopped', async (t) => {
    const { data, runId } = await openRun(t);
    const strays: string[] = [];
    const collector = new Collector(data, (worker, shard) => strays.push(`${worker} ${shard}`));
    await collector.take('w', 'i', { ...intervalReport('20200101-000000-ffff', 0, 0) });
    await collector.take('w', 'i', { ...intervalReport('../..', 0, 0) });
    const ready = (shard: string): WorkerReport => ({ type: 'shard-ready', shard, threads: 1 });
    await collector.take('w', 'i', ready('20200101-000000-ffff/0/0'));
    const run = await begin(collector, runId);
    run.expect([`${runId}/0/0`]);
    await collector.take('w', 'i', ready(`${runId}/0/0`));
    await collector.take('w', 'i', ready(`${runId}/0/1`));
    assert.deepEqual(strays, ['w 20200101-000000-ffff/0/0', `w ${runId}/0/1`]);
    await collector.close(runId);
  });
});
