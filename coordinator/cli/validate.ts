/** `coordinator validate`: reads a scenario and says what it would do, or what is wrong with it. */
import { Command } from 'commander';
import { formatDuration } from '../../shared/domain/units.ts';
import { collect } from './options.ts';

export function validateCommand(): Command {
  return new Command('validate')
    .description('check a scenario without running it')
    .argument('<scenario.yaml>', 'a scenario')
    .option('--set <key=value>', 'change a value of the scenario first; repeatable', collect, [])
    .action(validate);
}

async function validate(file: string, { set }: { set: string[] }): Promise<void> {
  const { readScenario } = await import('../../shared/domain/scenario-source.ts');
  const { estimateTrialUs, planTrials } = await import('../../shared/domain/plan-trials.ts');
  const scenario = readScenario(file, { set });
  const trials = planTrials(scenario);
  const estimates = trials.map(estimateTrialUs);
  const totalUs = estimates.reduce<number>((sum, estimate) => sum + (estimate ?? 0), 0);
  const open = estimates.filter((estimate) => estimate === undefined).length;
  const time =
    open === 0 ? `about ${formatDuration(totalUs)}` : `${open} of them as long as their requests take`;
  const cells = trials.length / scenario.rounds;
  process.stdout.write(`${file}: good: ${scenario.name}\n`);
  process.stdout.write(
    `  ${count(cells, 'cell')} × ${count(scenario.rounds, 'round')} = ${count(trials.length, 'trial')}, ${time}\n`,
  );
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
