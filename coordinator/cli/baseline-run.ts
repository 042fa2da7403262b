/** `coordinator run --baseline RUN`: the run that is about to take place, held against one that has. */
import type { Command } from 'commander';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { BroadsideError } from '../../shared/errors.ts';
import type { RunComparison } from '../report/compare/schema.ts';
import type { Report } from '../report/schema.ts';
import {
  type ComparisonFlags,
  checkInCommon,
  checkMetrics,
  placedCells,
  withComparisonOptions,
} from './comparison-options.ts';
import { writeText } from './report.ts';
import { loadReport, type RunSource } from './run-source.ts';

export interface BaselineFlags extends ComparisonFlags {
  baseline?: string;
}

export function withBaselineOptions(command: Command): Command {
  return withComparisonOptions(
    command.option('--baseline <run>', "compare with this run: its id, or its journal's directory"),
    'with --baseline: ',
  );
}

/**
 * Before the run: a baseline that has nothing in common with it would be found out too late.
 * @returns undefined without `--baseline`
 * @throws BroadsideError USAGE, RUN_NOT_FOUND, JOURNAL_CORRUPT
 */
export async function loadBaseline(
  scenario: Scenario,
  flags: BaselineFlags & RunSource,
): Promise<Report | undefined> {
  const { baseline } = flags;
  if (baseline === undefined) {
    const given =
      flags.metrics !== undefined ? '--metrics' : flags.failOn !== undefined ? '--fail-on' : undefined;
    if (given === undefined) return undefined;
    throw new BroadsideError('USAGE', `${given}: says how to compare, and nothing is compared`, {
      hint: 'name the run to compare with: --baseline RUN',
    });
  }
  await checkMetrics(flags);
  const report = await loadReport(baseline, flags);
  const { planTrials } = await import('../../shared/domain/plan-trials.ts');
  await checkInCommon(
    { name: `--baseline ${baseline}`, cells: placedCells(report) },
    { name: 'the scenario', cells: planTrials(scenario).filter(({ round }) => round === 1) },
  );
  return report;
}

/**
 * The report and the comparison: one after the other where people read them, in the member `comparison` of the JSON,
 * and on stderr beside the formats that have no place for it.
 * @throws BroadsideError FILE_UNREADABLE
 */
export async function writeBoth(
  report: Report,
  comparison: RunComparison,
  { format, out, detail }: { format: string; out?: string; detail?: boolean },
): Promise<void> {
  const [{ formatterFor }, { COMPARISON_FORMATTERS }] = await Promise.all([
    import('../report/formats.ts'),
    import('../report/compare/formats.ts'),
  ]);
  const options = { width: process.stdout.columns, detail };
  if (format === 'json') {
    await writeText(`${JSON.stringify({ ...report, comparison }, null, 2)}\n`, out);
    return;
  }
  const text = formatterFor(format)(report, options);
  if (format === 'text' || format === 'md') {
    await writeText(`${text}\n${COMPARISON_FORMATTERS[format](comparison, options)}`, out);
    return;
  }
  await writeText(text, out);
  process.stderr.write(COMPARISON_FORMATTERS.text(comparison, { width: process.stderr.columns }));
}
