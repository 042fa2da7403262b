/** `coordinator validate`: reads a scenario and says what it would do, or what is wrong with it. */
import path from 'node:path';
import { Command } from 'commander';
import { collect } from './options.ts';

export function validateCommand(): Command {
  return new Command('validate')
    .description('check a scenario without running it')
    .argument('<scenario.yaml>', 'a scenario')
    .option('--set <key=value>', 'change a value of the scenario first; repeatable', collect, [])
    .option(
      '--script-root <dir>',
      "what a script may import and open is in this folder (default: the scenario's)",
    )
    .action(validate);
}

interface ValidateFlags {
  set: string[];
  scriptRoot?: string;
}

async function validate(file: string, { set, scriptRoot }: ValidateFlags): Promise<void> {
  const { readScenario } = await import('../../shared/domain/scenario-source.ts');
  const { planTrials } = await import('../../shared/domain/plan-trials.ts');
  const { estimateScenario, estimateText } = await import('../../shared/domain/estimate.ts');
  const { checkScript } = await import('../scripts/pack.ts');
  const scenario = readScenario(file, { set });
  const script = await checkScript(scenario, { folder: path.dirname(file), root: scriptRoot });
  const trials = planTrials(scenario);
  const cells = trials.length / scenario.rounds;
  process.stdout.write(`${file}: good: ${scenario.name}\n`);
  const estimate = estimateScenario(scenario, trials);
  const each = estimate.atMost === true ? '1 search' : count(scenario.rounds, 'round');
  process.stdout.write(`  ${count(cells, 'cell')} × ${each} = ${estimateText(estimate)}\n`);
  if (script === undefined) return;
  process.stdout.write(`  script: ${count(script.files.length, 'file')}: ${script.files.join(', ')}\n`);
  for (const warning of script.warnings) process.stdout.write(`  ${warning}\n`);
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
