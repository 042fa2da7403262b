/** The journal of a run on disk: appended to while it lasts, read again for every report. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import { JOURNAL_VERSION, type JournalRecord } from './journal-records.ts';

const FILE = 'journal.jsonl';

export class JournalWriter {
  private readonly handle: FileHandle;
  private queued: string[] = [];
  private writing: Promise<void> | undefined;
  /** A write has failed, perhaps in the middle of a line. */
  private torn = false;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /**
   * Opens the journal in `directory` for appending; makes it when it is not there. A last line that was cut short is
   * taken away: what is appended would become a part of it. One writer a journal at a time.
   */
  static async open(directory: string): Promise<JournalWriter> {
    const handle = await open(path.join(directory, FILE), 'a+', 0o600);
    await cutTornLine(handle);
    return new JournalWriter(handle);
  }

  /** Resolves when the record has been handed to the operating system; only then may it be acknowledged. */
  append(record: JournalRecord): Promise<void> {
    this.queued.push(`${JSON.stringify(record)}\n`);
    // What is appended while a write is under way goes out together with the next.
    this.writing ??= this.writeQueued();
    return this.writing;
  }

  private async writeQueued(): Promise<void> {
    try {
      // Let the records of one turn of the event loop gather.
      await Promise.resolve();
      while (this.queued.length > 0) {
        const text = this.queued.join('');
        this.queued = [];
        if (this.torn) await cutTornLine(this.handle);
        this.torn = true;
        await this.handle.appendFile(text);
        this.torn = false;
      }
    } finally {
      this.writing = undefined;
    }
  }

  async close(): Promise<void> {
    await this.writing;
    await this.handle.datasync();
    await this.handle.close();
  }
}

const NEWLINE = 0x0a;
const LOOK_BACK_BYTES = 64 * 1024;

async function cutTornLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  const piece = Buffer.alloc(LOOK_BACK_BYTES);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - piece.length);
    const { bytesRead } = await handle.read(piece, 0, end - start, start);
    const newline = piece.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline >= 0 && start + newline + 1 === size) return;
    if (newline >= 0) return handle.truncate(start + newline + 1);
    end = start;
  }
  if (size > 0) await handle.truncate(0);
}

/**
 * The records of a run's journal, in order. A last line that was cut short by a crash is passed over.
 * @throws BroadsideError RUN_NOT_FOUND, JOURNAL_CORRUPT
 */
export async function* readJournal(directory: string): AsyncGenerator<JournalRecord> {
  const file = path.join(directory, FILE);
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 });
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  let broken: unknown;
  try {
    for await (const line of lines) {
      number++;
      // Only the last line may be broken; that it was not the last shows with the next.
      if (broken !== undefined) throw corrupt(file, number - 1, broken);
      if (line === '') continue;
      let record: JournalRecord;
      try {
        record = JSON.parse(line) as JournalRecord;
        if (typeof record?.type !== 'string') throw new Error('this is no record');
      } catch (error) {
        broken = error;
        continue;
      }
      if (record.type === 'run' && record.version !== JOURNAL_VERSION) {
        throw corrupt(
          file,
          number,
          `it has version ${record.version}, this Broadside reads ${JOURNAL_VERSION}`,
        );
      }
      yield record;
    }
  } catch (error) {
    if (error instanceof BroadsideError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    throw new BroadsideError(
      missing ? 'RUN_NOT_FOUND' : 'JOURNAL_CORRUPT',
      missing
        ? `there is no journal in ${directory}`
        : `the journal ${file} cannot be read: ${messageOf(error)}`,
      {
        cause: error,
        ...(missing ? { hint: 'give the id of a run, or the directory that holds its journal.jsonl' } : {}),
      },
    );
  } finally {
    lines.close();
    stream.destroy();
  }
}

function corrupt(file: string, line: number, why: unknown): BroadsideError {
  return new BroadsideError('JOURNAL_CORRUPT', `${file}:${line}: the journal is damaged: ${messageOf(why)}`);
}
