/** What a command says of the error that ended it, and its exit code. */
import { BroadsideError, messageOf } from './errors.ts';
import { ExitCode, exitCodeOf } from './exit-codes.ts';

/**
 * Writes the error and what to do about it to stderr.
 * @param program the name that the message begins with
 */
export function tellError(program: string, error: unknown): ExitCode {
  // commander has written its own message; `--help` and `--version` end with 0.
  if (
    error instanceof Error &&
    'exitCode' in error &&
    'code' in error &&
    String(error.code).startsWith('commander.')
  ) {
    return error.exitCode === 0 ? ExitCode.good : ExitCode.usage;
  }
  process.stderr.write(`${program}: ${messageOf(error)}\n`);
  if (error instanceof BroadsideError && error.hint !== undefined) process.stderr.write(`  ${error.hint}\n`);
  return exitCodeOf(error);
}
