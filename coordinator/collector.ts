/**
 * Takes in what workers report: journals it, passes on each interval exactly once, and says when it is safe to
 * acknowledge (DESIGN rule 5). Late reports of a run that is over go to its journal too: its next report has them.
 */

import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import type {
  IntervalReport,
  ShardDone,
  ShardFailed,
  ShardReady,
  ShardWarm,
  WorkerReport,
} from '../shared/protocol/messages.ts';
import { type DataDirectory, isRunId } from './data-directory.ts';
import { JournalWriter } from './journal.ts';
import type { JournalRecord } from './journal-records.ts';

interface CollectorEvents {
  ready: [report: ShardReady];
  warm: [report: ShardWarm];
  interval: [report: IntervalReport];
  done: [report: ShardDone];
  failed: [report: ShardFailed];
}

/** The reports of one run. */
export class RunCollector extends EventEmitter<CollectorEvents> {
  private readonly journal: JournalWriter;
  /** `<shard>#<seq>` of every interval, `<shard>#done` of every end, and when it is journaled. */
  private readonly journaled = new Map<string, Promise<void>>();
  private expected = new Set<string>();

  constructor(journal: JournalWriter) {
    super();
    this.journal = journal;
  }

  /** From here on, until the next call, these shards are the ones that may get ready. */
  expect(shards: readonly string[]): void {
    this.expected = new Set(shards);
  }

  expects(shard: string): boolean {
    return this.expected.has(shard);
  }

  /** Resolves when the report is journaled, or was before. */
  async take(report: WorkerReport): Promise<void> {
    switch (report.type) {
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
        return this.journalOnce(`${report.shard}#${report.seq}`, report, () => this.emit('interval', report));
      case 'shard-done':
        return this.journalOnce(`${report.shard}#done`, report, () => this.emit('done', report));
    }
  }

  record(record: JournalRecord): Promise<void> {
    return this.journal.append(record);
  }

  close(): Promise<void> {
    return this.journal.close();
  }

  /** A repeated report is safe when the first one is; one that could not be journaled may come again. */
  private journalOnce(key: string, report: IntervalReport | ShardDone, then: () => void): Promise<void> {
    const before = this.journaled.get(key);
    if (before !== undefined) return before;
    const now = this.journal.append(toRecord(report)).then(then, (error) => {
      this.journaled.delete(key);
      throw error;
    });
    this.journaled.set(key, now);
    return now;
  }
}

export class Collector {
  private readonly data: DataDirectory;
  private readonly onStray: (worker: string, shard: string) => void;
  private readonly runs = new Map<string, RunCollector>();
  /** Late reports are journaled one after another, and after their run has closed its journal. */
  private late: Promise<unknown> = Promise.resolve();

  /** @param onStray told of a shard that is ready although nobody waits for it */
  constructor(data: DataDirectory, onStray: (worker: string, shard: string) => void) {
    this.data = data;
    this.onStray = onStray;
  }

  async open(runId: string): Promise<RunCollector> {
    const run = new RunCollector(await JournalWriter.open(this.data.run(runId)));
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

  async take(worker: string, report: WorkerReport): Promise<void> {
    const runId = report.shard.split('/')[0]!;
    const run = this.runs.get(runId);
    if (report.type === 'shard-ready' && !this.expects(report.shard)) this.onStray(worker, report.shard);
    if (run !== undefined) return run.take(report);
    const taken = this.late.then(() => this.takeLate(runId, report));
    this.late = taken.catch(() => {});
    await taken;
  }

  /** Repeated ones do no harm here: whoever reads the journal counts (shard, seq) once. */
  private async takeLate(runId: string, report: WorkerReport): Promise<void> {
    if (report.type !== 'interval' && report.type !== 'shard-done') return;
    if (!isRunId(runId) || !existsSync(this.data.run(runId))) return;
    const journal = await JournalWriter.open(this.data.run(runId));
    await journal.append(toRecord(report));
    await journal.close();
  }
}

function toRecord(report: IntervalReport | ShardDone): JournalRecord {
  const trial = Number(report.shard.split('/')[1]);
  return { ...report, trial };
}
