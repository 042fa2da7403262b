/** `coordinator validate`: reads a scenario and says what it would do, or what is wrong with it. */
import { Command } from 'commander';
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
  const { planTrials } = await import('../../shared/domain/plan-trials.ts');
  const { estimateRun, estimateText } = await import('../../shared/domain/estimate.ts');
  const scenario = readScenario(file, { set });
  const trials = planTrials(scenario);
  const cells = trials.length / scenario.rounds;
  process.stdout.write(`${file}: good: ${scenario.name}\n`);
  process.stdout.write(
    `  ${count(cells, 'cell')} × ${count(scenario.rounds, 'round')} = ${estimateText(estimateRun(trials, scenario.cooldownUs))}\n`,
  );
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
