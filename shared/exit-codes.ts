import { BroadsideError, type ErrorCode } from './errors.ts';

/** Process exit codes; checked from outside, so they never change their meaning. */
export const ExitCode = {
  good: 0,
  internal: 1,
  usage: 2,
  runFailed: 3,
  /** The ledger does not balance, the generator was the limit under `--strict`, or rounds cannot tell what was asked. */
  notValid: 4,
  thresholdCrossed: 99,
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

const CODES: Partial<Record<ErrorCode, ExitCode>> = {
  INTERNAL: ExitCode.internal,
  JOURNAL_CORRUPT: ExitCode.internal,
  NO_WORKERS: ExitCode.runFailed,
  RUN_FAILED: ExitCode.runFailed,
};

/** What the user gave (flags, files, addresses, tokens) is exit 2; what broke inside is exit 1. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof BroadsideError)) return ExitCode.internal;
  return CODES[error.code] ?? ExitCode.usage;
}
