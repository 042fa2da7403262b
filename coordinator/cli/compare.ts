/** `coordinator compare`: one run against another, from their journals alone. */
import { Command, Option } from 'commander';
import { COMPARISON_FORMATS, type ComparisonFormat } from '../report/compare/format-names.ts';
import {
  type ComparisonFlags,
  checkInCommon,
  checkMetrics,
  endOf,
  placedCells,
  withComparisonOptions,
} from './comparison-options.ts';
import { caOption, dataOption, parseUrl, tokenOption } from './options.ts';
import { checkOut, writeText } from './report.ts';
import { loadReport, type RunSource } from './run-source.ts';

interface CompareFlags extends RunSource, ComparisonFlags {
  format: ComparisonFormat;
  out?: string;
}

export function compareCommand(): Command {
  const command = new Command('compare')
    .description('compare run B with run A, the baseline, cell by cell')
    .argument('<a>', "the baseline: a run's id, or the directory of its journal")
    .argument('<b>', 'the run to compare with it')
    .addOption(new Option('--format <format>', 'how to print it').choices(COMPARISON_FORMATS).default('text'))
    .option('--out <file>', 'write it there instead of stdout');
  return withComparisonOptions(command)
    .option('--coordinator <url>', 'ask this coordinator rather than the data directory', parseUrl)
    .addOption(tokenOption())
    .addOption(caOption())
    .addOption(dataOption())
    .action(compare);
}

async function compare(a: string, b: string, flags: CompareFlags): Promise<void> {
  await checkMetrics(flags);
  await checkOut(flags.out);
  const [{ compareRuns }, { COMPARISON_FORMATTERS }] = await Promise.all([
    import('../report/compare/model.ts'),
    import('../report/compare/formats.ts'),
  ]);
  const [reportA, reportB] = [await loadReport(a, flags), await loadReport(b, flags)];
  const comparison = compareRuns(reportA, reportB, flags.metrics);
  await checkInCommon(
    { name: `A (${reportA.run.id})`, cells: placedCells(reportA) },
    { name: `B (${reportB.run.id})`, cells: placedCells(reportB) },
  );
  await writeText(
    COMPARISON_FORMATTERS[flags.format](comparison, { width: process.stdout.columns }),
    flags.out,
  );
  process.exitCode = await endOf(comparison, flags);
}
