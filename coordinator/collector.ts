/**
 * Takes in what workers report: journals it, passes on each interval exactly once, and says when it is safe to
 * acknowledge (DESIGN rule 5). Late reports of a run that is over go to its journal too: its next report has them.
 */

import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import type {
  HostReport,
  IntervalReport,
  ScriptLogReport,
  ShardDone,
  ShardEnded,
  ShardFailed,
  ShardPrepared,
  ShardReady,
  ShardReport,
  ShardSetUp,
  ShardTaken,
  ShardWarm,
  WorkerReport,
} from '../shared/protocol/messages.ts';
import { type Arrived, noneArrived } from './arrived.ts';
import { type DataDirectory, isRunId } from './data-directory.ts';
import { JournalWriter } from './journal.ts';
import type { HostJournalRecord, JournalRecord } from './journal-records.ts';

interface CollectorEvents {
  taken: [report: ShardTaken];
  prepared: [report: ShardPrepared];
  'set-up': [report: ShardSetUp];
  ended: [report: ShardEnded];
  ready: [report: ShardReady];
  warm: [report: ShardWarm];
  interval: [report: IntervalReport];
  done: [report: ShardDone];
  failed: [report: ShardFailed];
  /** The journal takes no more: what is measured from here on would be lost. */
  unwritable: [error: unknown];
  /** A host has told all of a trial. */
  'host-done': [host: string, trial: number];
}

/** The reports of one run. */
export class RunCollector extends EventEmitter<CollectorEvents> {
  private readonly journal: JournalWriter;
  /** What is on its way into the journal, `<shard>#<seq>`, and when it is there. */
  private readonly underWay = new Map<string, Promise<void>>();
  /** By shard or host. */
  private readonly journaled: Map<string, Arrived>;
  private expected = new Set<string>();
  private onJournaled: ((record: JournalRecord) => void) | undefined;
  /** While reports wait: what lets them in, and their fates. */
  private waiting: { until: Promise<void>; letIn: () => void; taken: Promise<void>[] } | undefined;

  /** @param journaled by shard, what is in the journal already */
  constructor(journal: JournalWriter, journaled = new Map<string, Arrived>()) {
    super();
    this.journal = journal;
    this.journaled = journaled;
  }

  /** Reports of shards wait, in their order, until whoever has to hear of them is there and calls `letIn`. */
  hold(): void {
    let letIn = (): void => {};
    const until = new Promise<void>((resolve) => {
      letIn = resolve;
    });
    this.waiting = { until, letIn, taken: [] };
  }

  /** Resolves when those that have waited are journaled, or are known not to be. */
  async letIn(): Promise<void> {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.letIn();
    await Promise.allSettled(waiting?.taken ?? []);
  }

  /** From here on, until the next call, these shards are the ones that may get ready. */
  expect(shards: readonly string[]): void {
    this.expected = new Set(shards);
  }

  expects(shard: string): boolean {
    return this.expected.has(shard);
  }

  /** Who is told each record once, when it is in the journal; trial after trial, unlike the events. */
  follow(onJournaled: ((record: JournalRecord) => void) | undefined): void {
    this.onJournaled = onJournaled;
  }

  /** Resolves when the report is journaled, or was before. */
  async take(report: ShardReport): Promise<void> {
    if (this.waiting === undefined) return this.takeIn(report);
    const taken = this.waiting.until.then(() => this.takeIn(report));
    this.waiting.taken.push(taken);
    return taken;
  }

  private async takeIn(report: ShardReport): Promise<void> {
    switch (report.type) {
      case 'shard-taken':
        this.emit('taken', report);
        break;
      case 'shard-prepared':
        this.emit('prepared', report);
        break;
      case 'shard-set-up':
        this.emit('set-up', report);
        break;
      case 'shard-ended':
        this.emit('ended', report);
        break;
      case 'script-log':
        return this.journalOnce(report.shard, 'log', toRecord(report), () => {});
      case 'shard-ready':
        this.emit('ready', report);
        break;
      case 'shard-warm':
        this.emit('warm', report);
        break;
      case 'shard-failed':
        this.emit('failed', report);
        break;
      case 'interval':
        return this.journalOnce(report.shard, report.seq, toRecord(report), () =>
          this.emit('interval', report),
        );
      case 'shard-done':
        return this.journalOnce(report.shard, 'done', toRecord(report), () =>
          this.emit('done', report),
        ).catch((error) => {
          // Also where the disk is full its load is over: nobody need wait for it.
          this.emit('done', report);
          throw error;
        });
    }
  }

  /** As `take`, for what a host says of itself. A process that was started anew numbers its samples anew. */
  async takeFromHost(host: string, instance: string, report: HostReport): Promise<void> {
    const record = hostRecord(host, report);
    const part = report.type === 'host-second' ? report.seq : report.type;
    if (record !== undefined)
      return this.journalOnce(`${report.trial} ${host} ${instance}`, part, record, () => {});
    // In the order of deliveries: everything before it is journaled, or about to be.
    this.emit('host-done', host, report.trial);
  }

  /** Whoever does not wait for it hears of its failure by `unwritable`. */
  record(record: JournalRecord): Promise<void> {
    const recorded = this.append(record).then(() => this.onJournaled?.(record));
    recorded.catch(() => {});
    return recorded;
  }

  async close(): Promise<void> {
    await this.letIn();
    await this.journal.close();
  }

  private async append(record: JournalRecord): Promise<void> {
    try {
      await this.journal.append(record);
    } catch (error) {
      this.emit('unwritable', error);
      throw error;
    }
  }

  /**
   * A repeated report is safe when the first one is; one that could not be journaled may come again.
   * @param of the shard or host that it comes from
   * @param part its number, or which one it is of those that come once
   */
  private journalOnce(
    of: string,
    part: number | string,
    record: JournalRecord,
    then: () => void,
  ): Promise<void> {
    const key = `${of}#${part}`;
    const before = this.underWay.get(key);
    if (before !== undefined) return before;
    const arrived = this.journaled.get(of) ?? noneArrived();
    if (typeof part === 'number' ? arrived.seqs.has(part) : arrived.once.has(part)) return Promise.resolve();
    this.journaled.set(of, arrived);
    const now = this.append(record)
      .then(() => {
        if (typeof part === 'number') arrived.seqs.add(part);
        else arrived.once.add(part);
        this.onJournaled?.(record);
        then();
      })
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, now);
    return now;
  }
}

export class Collector {
  private readonly data: DataDirectory;
  private readonly onStray: (worker: string, shard: string) => void;
  private readonly runs = new Map<string, RunCollector>();
  /** By run, also after its end: which shards no trial of it counts. */
  private readonly abandoned = new Map<string, (shard: string) => boolean>();
  /** Late reports are journaled one after another, and after their run has closed its journal. */
  private late: Promise<unknown> = Promise.resolve();

  /** @param onStray told of a shard that is ready although nobody waits for it */
  constructor(data: DataDirectory, onStray: (worker: string, shard: string) => void) {
    this.data = data;
    this.onStray = onStray;
  }

  /**
   * @param journaled by shard, what is in its journal already
   * @param isAbandoned of a shard whose trial is begun anew: its reports are let go, they would be counted beside the new ones
   */
  async open(
    runId: string,
    journaled?: Map<string, Arrived>,
    isAbandoned?: (shard: string) => boolean,
  ): Promise<RunCollector> {
    if (isAbandoned !== undefined) this.abandoned.set(runId, isAbandoned);
    const run = new RunCollector(await JournalWriter.open(this.data.run(runId)), journaled);
    this.runs.set(runId, run);
    return run;
  }

  async close(runId: string): Promise<void> {
    const closed = this.runs.get(runId)?.close();
    this.runs.delete(runId);
    this.late = Promise.allSettled([this.late, closed]);
    await closed;
  }

  /** Whether a trial that is under way has this shard. */
  expects(shard: string): boolean {
    return this.runs.get(shard.split('/')[0]!)?.expects(shard) ?? false;
  }

  /** @param instance of the worker's or observer's process */
  async take(worker: string, instance: string, report: WorkerReport): Promise<void> {
    if ('run' in report) return this.takeFromHost(worker, instance, report);
    const runId = report.shard.split('/')[0]!;
    const run = this.runs.get(runId);
    const begins = report.type === 'shard-ready' || report.type === 'shard-taken';
    if (begins && !this.expects(report.shard)) this.onStray(worker, report.shard);
    if (this.abandoned.get(runId)?.(report.shard) === true) return;
    if (run !== undefined) return run.take(report);
    if (report.type === 'interval' || report.type === 'shard-done' || report.type === 'script-log')
      await this.takeLate(runId, toRecord(report));
  }

  private async takeFromHost(host: string, instance: string, report: HostReport): Promise<void> {
    const run = this.runs.get(report.run);
    if (run !== undefined) return run.takeFromHost(host, instance, report);
    const record = hostRecord(host, report);
    if (record !== undefined) await this.takeLate(report.run, record);
  }

  /** Repeated ones do no harm here: whoever reads the journal counts (shard, seq) once. */
  private async takeLate(runId: string, record: JournalRecord): Promise<void> {
    const taken = this.late.then(async () => {
      if (!isRunId(runId) || !existsSync(this.data.run(runId))) return;
      await JournalWriter.appendTo(this.data.run(runId), record);
    });
    this.late = taken.catch(() => {});
    await taken;
  }
}

/** Undefined for what is not journaled. */
function hostRecord(host: string, report: HostReport): HostJournalRecord | undefined {
  if (report.type === 'host-done') return undefined;
  const { type: _type, run: _run, trial, ...told } = report;
  // In this order: whoever looks for the trial of a record finds it at its head.
  return { type: report.type, trial, host, ...told } as HostJournalRecord;
}

function toRecord(report: IntervalReport | ShardDone | ScriptLogReport): JournalRecord {
  const trial = Number(report.shard.split('/')[1]);
  return { ...report, trial };
}
