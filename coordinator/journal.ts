/** The journal of a run on disk, as it is written: appended to while the run lasts. `journal-file.ts` reads it. */
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { JournalRecord } from './journal-records.ts';

export const JOURNAL_FILE = 'journal.jsonl';

export class JournalWriter {
  private readonly handle: FileHandle;
  private readonly file: string;
  private queued: string[] = [];
  private writing: Promise<void> | undefined;
  /** A write has failed, perhaps in the middle of a line. */
  private torn = false;

  private constructor(handle: FileHandle, file: string) {
    this.handle = handle;
    this.file = file;
  }

  /**
   * Opens the journal in `directory` for appending; makes it when it is not there. A last line that was cut short is
   * taken away: what is appended would become a part of it. One writer a journal at a time.
   */
  static async open(directory: string): Promise<JournalWriter> {
    const file = path.join(directory, JOURNAL_FILE);
    const handle = await open(file, 'a+', 0o600);
    try {
      await cutTornLine(handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new JournalWriter(handle, file);
  }

  /**
   * Appends one record to the journal of a run that is over, or whose coordinator is gone.
   * @throws BroadsideError as `append`; nothing stays open
   */
  static async appendTo(directory: string, record: JournalRecord): Promise<void> {
    const journal = await JournalWriter.open(directory);
    try {
      await journal.append(record);
    } finally {
      await journal.close();
    }
  }

  /**
   * Resolves when the record has been handed to the operating system; only then may it be acknowledged.
   * @throws BroadsideError RUN_FAILED when it cannot be written: the disk is full
   */
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
    } catch (error) {
      // Whoever appended these is told that they are not written.
      this.queued = [];
      throw this.unwritable(error);
    } finally {
      this.writing = undefined;
    }
  }

  async close(): Promise<void> {
    try {
      await this.writing;
      await this.handle.datasync();
    } catch (error) {
      throw error instanceof BroadsideError ? error : this.unwritable(error);
    } finally {
      await this.handle.close();
    }
  }

  private unwritable(cause: unknown): BroadsideError {
    return new BroadsideError(
      'RUN_FAILED',
      `the journal ${this.file} cannot be written: ${messageOf(cause)}`,
      { cause, hint: 'make room in the data directory, or name another one with --data' },
    );
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
