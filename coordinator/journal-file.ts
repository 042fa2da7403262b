/** The journal of a run, as it is read: for every report anew, and by a run that goes on with an interrupted one. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { BroadsideError, messageOf } from '../shared/errors.ts';
import { JOURNAL_FILE } from './journal.ts';
import { problemOf } from './journal-check.ts';
import { JOURNAL_VERSION, type JournalRecord } from './journal-records.ts';
import { type Line, LineReader, textOf } from './line-reader.ts';
import { damagedAt, type RecordSource } from './record-source.ts';

/**
 * The records of a run's journal, in order, as often as they are asked for. A last line that was cut short by a crash
 * is passed over.
 * @throws BroadsideError RUN_NOT_FOUND, JOURNAL_CORRUPT, when it is read
 */
export function readJournal(directory: string): RecordSource {
  return new JournalFile(directory);
}

class JournalFile implements RecordSource {
  position = 0;
  private readonly directory: string;
  private readonly file: string;

  constructor(directory: string) {
    this.directory = directory;
    this.file = path.join(directory, JOURNAL_FILE);
  }

  get place(): string {
    return `${this.file}:${this.position}`;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JournalRecord> {
    for await (const batch of this.batches()) yield* batch;
  }

  async *batches(): AsyncGenerator<Iterable<JournalRecord>> {
    const end: { broken?: { at: string; why: unknown } } = {};
    for await (const lines of this.pieces()) yield this.recordsIn(lines, end);
  }

  /** @param end of the file, as far as it is known: only the last line may be broken, and whether it was shows with the next */
  private *recordsIn(
    lines: Iterable<Line>,
    end: { broken?: { at: string; why: unknown } },
  ): Generator<JournalRecord> {
    for (const line of lines) {
      if (end.broken !== undefined) throw damagedAt(end.broken.at, end.broken.why);
      this.position = line.number;
      if (line.from === line.to) continue;
      let record: JournalRecord;
      try {
        record = JSON.parse(textOf(line)) as JournalRecord;
      } catch (why) {
        end.broken = { at: this.place, why };
        continue;
      }
      this.check(record);
      yield record;
    }
  }

  async lastPositions(): Promise<Map<number, number>> {
    const last = new Map<number, number>();
    for await (const lines of this.pieces()) {
      for (const line of lines) {
        const trial = trialOf(line);
        if (trial !== undefined) last.set(trial, line.number);
      }
    }
    return last;
  }

  private check(record: JournalRecord): void {
    if (record?.type === 'run' && record.version !== JOURNAL_VERSION) {
      throw new BroadsideError(
        'JOURNAL_CORRUPT',
        `${this.place}: the journal has version ${record.version}, this Broadside reads ${JOURNAL_VERSION}`,
        { hint: `read it with the version that wrote it: Broadside ${record.broadside}` },
      );
    }
    const problem = problemOf(record);
    if (problem !== undefined) throw damagedAt(this.place, new Error(problem));
  }

  /** Its lines, as many at a time as were read together; they are valid until the next ones are asked for. */
  private async *pieces(): AsyncGenerator<Generator<Line>> {
    const lines = new LineReader();
    try {
      const handle = await open(this.file, 'r');
      try {
        for (;;) {
          const { buffer, offset } = lines.room();
          const { bytesRead } = await handle.read(buffer, offset, buffer.length - offset);
          if (bytesRead === 0) break;
          yield lines.take(bytesRead);
        }
        yield lines.rest();
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw this.unreadable(error);
    }
  }

  private unreadable(error: unknown): unknown {
    if (error instanceof BroadsideError) return error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      const message = `the journal ${this.file} cannot be read: ${messageOf(error)}`;
      return new BroadsideError('JOURNAL_CORRUPT', message, { cause: error });
    }
    return new BroadsideError('RUN_NOT_FOUND', `there is no journal in ${this.directory}`, {
      cause: error,
      hint: 'give the id of a run, or the directory that holds its journal.jsonl',
    });
  }
}

/** `"trial"` is the second key of some records and the last of others; looked for there, not in all that is between. */
const AT_HEAD = /^\{"type":"[a-z-]+","trial":(\d+)[,}]/;
const AT_TAIL = /,"trial":(\d+)\}$/;
const LOOK_BYTES = 64;

/** The trial that a record is of, without reading all of it; undefined when it is of none. */
function trialOf(line: Line): number | undefined {
  const { bytes, from, to } = line;
  const head = AT_HEAD.exec(bytes.toString('latin1', from, Math.min(to, from + LOOK_BYTES)));
  const found = head ?? AT_TAIL.exec(bytes.toString('latin1', Math.max(from, to - LOOK_BYTES), to));
  if (found !== null) return Number(found[1]);
  try {
    const { trial } = JSON.parse(textOf(line)) as { trial?: number };
    return trial;
  } catch {
    // Reading the records will say so.
    return undefined;
  }
}
