/**
 * Every failure that a person may read is a `BroadsideError`: a code that programs match, a message that says
 * what happened and where, and a hint that says what to do about it.
 */

export type ErrorCode =
  | 'INTERNAL'
  | 'USAGE'
  | 'SCENARIO_INVALID'
  | 'FILE_UNREADABLE'
  | 'PORT_IN_USE'
  | 'DATA_DIR_UNUSABLE'
  | 'DATA_DIR_LOCKED'
  | 'REDIS_UNREACHABLE'
  | 'REDIS_MISSING'
  | 'COORDINATOR_UNREACHABLE'
  | 'UNAUTHORIZED'
  | 'CERTIFICATE_REFUSED'
  | 'PROTOCOL_MISMATCH'
  | 'NAME_TAKEN'
  | 'NO_WORKERS'
  | 'HOOKS_NOT_ALLOWED'
  | 'K6_UNUSABLE'
  | 'SCRIPT_NOT_FOUND'
  | 'RUN_NOT_FOUND'
  | 'RUN_FAILED'
  | 'JOURNAL_CORRUPT';

export class BroadsideError extends Error {
  readonly code: ErrorCode;
  /** What the reader can do about it; one sentence or a command line. */
  readonly hint?: string;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BroadsideError';
    this.code = code;
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}
