import { ExitCode } from '../../shared/exit-codes.ts';
import type { Report } from './schema.ts';

/**
 * What a finished run's report means to a script. An interrupted run is the caller's to know (130).
 * @param strict a trial that the generator limited is not a valid measurement either, nor is a quantile that passed its
 *   threshold on too few requests to know it
 */
export function exitCodeOfReport(report: Report, { strict = false } = {}): ExitCode {
  const { run, trials, thresholds } = report;
  // Such a run is ended on purpose, and for this reason.
  if (trials.some(({ crossed }) => crossed !== undefined)) return ExitCode.thresholdCrossed;
  if (run.state === 'failed' || trials.every(({ state }) => state !== 'completed')) return ExitCode.runFailed;
  if (trials.some(({ ledger }) => !ledger.balanced)) return ExitCode.notValid;
  if (strict && trials.some(({ verdict }) => verdict.limit === 'generator')) return ExitCode.notValid;
  if (thresholds.some(({ passed }) => !passed)) return ExitCode.thresholdCrossed;
  if (strict && thresholds.some(({ tooFew }) => tooFew !== undefined)) return ExitCode.notValid;
  return ExitCode.good;
}
