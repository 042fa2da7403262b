/** `coordinator doctor`: looks at the workers and the target as a run would need them, and says what to mend. */
import { Command } from 'commander';
import { ExitCode } from '../../shared/exit-codes.ts';
import type { Finding } from '../preflight.ts';
import { checkLabFlags, type LabFlags, openLab, withLabOptions } from './lab-options.ts';
import { loadScenario, type ScenarioFlags, withScenarioOptions } from './scenario-options.ts';

interface DoctorFlags extends ScenarioFlags, LabFlags {
  format: string;
  calibrate?: true;
}

export function doctorCommand(): Command {
  const command = new Command('doctor').description(
    'check whether the workers could carry out a scenario, without doing so; exit 3 when not',
  );
  return withLabOptions(withScenarioOptions(command))
    .option('--format <format>', 'text or json', 'text')
    .option(
      '--calibrate',
      'have each worker measure what one of its load threads can do; it takes 3 s, and is kept',
    )
    .action(examine);
}

async function examine(what: string, flags: DoctorFlags): Promise<void> {
  await checkLabFlags(flags);
  const scenario = await loadScenario(what, flags);
  const lab = await openLab(scenario, flags);
  try {
    const findings = await lab.client.preflight(scenario.source, { calibrate: flags.calibrate === true });
    process.stdout.write(
      flags.format === 'json' ? `${JSON.stringify(findings, null, 2)}\n` : describe(findings),
    );
    if (findings.some(({ level }) => level === 'error')) process.exitCode = ExitCode.runFailed;
  } finally {
    await lab.close();
  }
}

const MARKS = { good: 'good   ', warning: 'WARNING', error: 'ERROR  ' } as const;

function describe(findings: readonly Finding[]): string {
  const widest = Math.max(0, ...findings.map(({ worker }) => worker.length));
  return findings
    .map(({ worker, check, level, message, remedy }) => {
      const line = `${MARKS[level]}  ${worker.padEnd(widest)}  ${check.padEnd(16)}  ${message}\n`;
      return remedy === undefined ? line : `${line}${' '.repeat(widest + 29)}→ ${remedy}\n`;
    })
    .join('');
}
