/** Where a report's records come from: a journal's file, or a list. */
import { BroadsideError, messageOf } from '../shared/errors.ts';
import type { JournalRecord } from './journal-records.ts';

/** Records that can be gone through more than once. */
export interface RecordSource extends AsyncIterable<JournalRecord> {
  /**
   * The same, as many at a time as there are without waiting: to wait for each of them takes as long as to read it. Each
   * is read when it is asked for, and a batch is to be gone through before the next.
   */
  batches(): AsyncIterable<Iterable<JournalRecord>>;
  /** Of the record that was read last; grows, but not by one: not every line of a file is a record. */
  readonly position: number;
  /** For people: where the record is that was read last. */
  readonly place: string;
  /** The position of each trial's last record. Found without reading all of each record. */
  lastPositions(): Promise<Map<number, number>>;
}

const DAMAGED_HINT =
  'was it written by another version of Broadside? Read it with that one; if its file is damaged, take the line out';

/** Why the record at that place cannot be read, whatever it was that stumbled over it. */
export function damagedAt(place: string, cause: unknown): BroadsideError {
  const known = cause instanceof BroadsideError && cause.code === 'JOURNAL_CORRUPT';
  return new BroadsideError(
    'JOURNAL_CORRUPT',
    `${place}: ${known ? '' : 'the journal is damaged: '}${messageOf(cause)}`,
    { hint: (known ? cause.hint : undefined) ?? DAMAGED_HINT, cause },
  );
}

/** Records in memory. Those of a generator cannot be gone through a second time, so that nothing is known of their end. */
export function sourceOf(records: Iterable<JournalRecord> | AsyncIterable<JournalRecord>): RecordSource {
  return 'lastPositions' in records ? (records as RecordSource) : new RecordList(records);
}

class RecordList implements RecordSource {
  position = 0;
  private readonly records: Iterable<JournalRecord> | AsyncIterable<JournalRecord>;

  constructor(records: Iterable<JournalRecord> | AsyncIterable<JournalRecord>) {
    this.records = records;
  }

  get place(): string {
    return `record ${this.position}`;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JournalRecord> {
    this.position = 0;
    for await (const record of this.records) {
      this.position++;
      yield record;
    }
  }

  async *batches(): AsyncGenerator<Iterable<JournalRecord>> {
    for await (const record of this) yield [record];
  }

  async lastPositions(): Promise<Map<number, number>> {
    const last = new Map<number, number>();
    if (!Array.isArray(this.records)) return last;
    this.records.forEach((record: JournalRecord, i) => {
      if ('trial' in record) last.set(record.trial, i + 1);
    });
    return last;
  }
}
