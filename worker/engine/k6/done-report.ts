/** What a shard of a script has done, when its k6 has ended and all that it wrote has been read. */
import type { K6Done } from './messages.ts';
import { differences, streamedTotals, totalsOf } from './own-account.ts';
import type { GroupExit } from './process-group.ts';
import type { K6Metric } from './rest-client.ts';
import type { SampleReader } from './sample-reader.ts';

/** What k6 ends with when it is told to stop, by its API or by a signal. */
const STOPPED_CODES = [0, 103, 105];
/** Beyond a write of k6, its batches, and a busy moment. */
const LAG_WORTH_A_WORD_US = 2_000_000;

export interface Ended {
  /** Has read all. */
  reader: SampleReader;
  /** As k6 itself has summed up its metrics; undefined when it could not be asked. */
  account: readonly K6Metric[] | undefined;
  exit: GroupExit;
  /** Why, when the load ended before its time. */
  stopped: string | undefined;
  /** Since the start. */
  k6: { cpuUs: number; residentBytes: number };
  /** Of reading its samples. */
  readerCpuUs: number;
  /** What went wrong besides. */
  problems: readonly string[];
}

export function doneReport({ reader, account, exit, stopped, k6, readerCpuUs, problems }: Ended): K6Done {
  const { recorder, rows, lagUs } = reader;
  const { totals, firstRequestUs } = recorder;
  const compared =
    account === undefined
      ? ['k6 could not be asked for its own account, so nothing checks what it wrote']
      : differences(account, totals);
  const late =
    lagUs > LAG_WORTH_A_WORD_US
      ? [`samples of k6 waited up to ${(lagUs / 1e6).toFixed(1)} s until they were read`]
      : [];
  return {
    totals:
      account === undefined ? streamedTotals(recorder.completed, recorder.failed) : totalsOf(account, totals),
    ...(Number.isFinite(firstRequestUs) && { firstRequestUs: Math.round(firstRequestUs) }),
    endUs: Math.round(reader.endUs),
    cpuSeconds: (k6.cpuUs + readerCpuUs) / 1e6,
    residentBytes: k6.residentBytes,
    ...(stopped !== undefined && { stopped }),
    exit: { ...exit, expected: STOPPED_CODES.includes(exit.code ?? -1) },
    output: {
      samples: rows.rows,
      bytes: rows.bytes,
      late: recorder.late,
      lagUs: Math.round(lagUs),
      cpuSeconds: readerCpuUs / 1e6,
    },
    warnings: [...problems, ...compared, ...late, ...reader.warnings()],
  };
}
