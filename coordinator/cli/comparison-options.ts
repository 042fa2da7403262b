/** What commands that compare two runs have in common: their options, the look before, and the end. */
import { type Command, Option } from 'commander';
import { BroadsideError } from '../../shared/errors.ts';
import type { PlacedCell } from '../report/compare/match-cells.ts';
import type { RunComparison } from '../report/compare/schema.ts';
import type { Report } from '../report/schema.ts';

export interface ComparisonFlags {
  metrics?: string[];
  failOn?: 'slower';
}

export function withComparisonOptions(command: Command, when = ''): Command {
  return command
    .option(
      '--metrics <list>',
      `${when}what to compare, such as requestRate,p(99.9) (default: requestRate,transferRate,p(50),p(99))`,
      (text: string) => text.split(',').map((name) => name.trim()),
    )
    .addOption(
      new Option(
        '--fail-on <word>',
        `${when}slower: exit with 99 when something is slower, with 4 when that cannot be told`,
      ).choices(['slower']),
    );
}

/** @throws BroadsideError USAGE for a metric that does not exist */
export async function checkMetrics({ metrics }: ComparisonFlags): Promise<void> {
  const { readMetrics } = await import('../report/compare/model.ts');
  readMetrics(metrics ?? []);
}

/** @throws BroadsideError USAGE when no cell of the one is in the other */
export async function checkInCommon(
  a: { name: string; cells: readonly PlacedCell[] },
  b: { name: string; cells: readonly PlacedCell[] },
): Promise<void> {
  const { cellsText, matchCells } = await import('../report/compare/match-cells.ts');
  const { matched, onlyA, onlyB } = matchCells(a.cells, b.cells);
  if (matched.length > 0) return;
  throw new BroadsideError('USAGE', `${a.name} and ${b.name} have no cell in common`, {
    hint: [
      `${a.name} has ${cellsText(onlyA.map(({ cell }) => cell))}`,
      `${b.name} has ${cellsText(onlyB.map(({ cell }) => cell))}`,
    ].join('\n  '),
  });
}

/** The cells that a report has, each where it was measured. */
export function placedCells({ trials }: Report): PlacedCell[] {
  return [...new Map(trials.map((trial) => [JSON.stringify(trial.cell), trial])).values()];
}

/**
 * Says on stderr what an exit code other than 0 is for.
 * @returns the exit code
 */
export async function endOf(comparison: RunComparison, { failOn }: ComparisonFlags): Promise<number> {
  const { verdictOf } = await import('../report/compare/verdict.ts');
  const { exitCode, reason } = verdictOf(comparison, { failOnSlower: failOn === 'slower' });
  if (reason !== undefined) process.stderr.write(`coordinator: ${reason}\n`);
  return exitCode;
}
