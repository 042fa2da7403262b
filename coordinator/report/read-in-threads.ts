/**
 * A large journal is read by several threads: each goes through all of it, and reads the records of its share of the
 * trials. What comes of it is what one thread alone would have read, to the last byte.
 */
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { JOURNAL_FILE } from '../journal.ts';
import { readJournal, type Share } from '../journal-file.ts';
import { buildReport, type ReadRun, readRun, reportOf } from './model.ts';
import { type PackedTrial, unpackTrial } from './packed-trial.ts';
import type { Report, ReportOptions } from './schema.ts';

/** Below this a thread takes longer to come up, and to have its code made fast, than it saves. */
const BYTES_A_THREAD = 32 * 1024 * 1024;
/** Each takes memory of its own. */
const MOST_THREADS = 3;

/** What a thread is told. */
export interface ThreadTask {
  directory: string;
  share: Share;
  options: ReportOptions;
}

const THREAD_ENTRY = new URL('./reading-thread.js', import.meta.url);

/**
 * The report of the journal in a directory.
 * @param most threads, this one among them; by itself as many as there are cores for, and as the journal is worth
 * @throws BroadsideError as `readJournal` and `buildReport`
 */
export async function reportFrom(directory: string, options: ReportOptions, most?: number): Promise<Report> {
  const of = most ?? (await threadsFor(directory));
  if (of < 2) return buildReport(readJournal(directory), options);
  try {
    const others = Array.from({ length: of - 1 }, (_, i) =>
      readInThread({ directory, share: { part: i + 1, of }, options }),
    );
    const own = readRun(readJournal(directory, { part: 0, of }), options);
    const [first, ...rest] = await Promise.all([own, ...others]);
    const trials = [...first.trials, ...rest.flat()].sort((a, b) => a.index - b.index);
    return reportOf({ ...first, trials });
  } catch {
    // Which of several faults comes first, only who reads all can tell.
    return buildReport(readJournal(directory), options);
  }
}

async function threadsFor(directory: string): Promise<number> {
  const { size } = await stat(path.join(directory, JOURNAL_FILE)).catch(() => ({ size: 0 }));
  return Math.min(MOST_THREADS, availableParallelism(), Math.floor(size / BYTES_A_THREAD));
}

function readInThread(task: ThreadTask): Promise<ReadRun['trials']> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(THREAD_ENTRY, { workerData: task });
    thread.once('message', (trials: PackedTrial[]) => resolve(trials.map(unpackTrial)));
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`a thread that reads the journal ended with ${code}`)));
  });
}
