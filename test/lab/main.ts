/**
 * `npm run lab`: a lab of several machines on this one, a scenario run in it, and the report; or the lab alone, to work
 * in. Progress on stderr, the report on stdout.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Scope } from '../support/scope.ts';
import { aimWords } from './aim.ts';
import { classics } from './classics.ts';
import { CtrlC } from './ctrl-c.ts';
import { hostsText } from './hosts-text.ts';
import { startNetworkLab } from './lab.ts';
import { lossMissing } from './loss.ts';
import { checkMachine, quoted, say } from './machine.ts';
import { FlagError, HELP, type LabOptions, readOptions } from './options.ts';
import { observeTarget, startTarget, TARGETS } from './targets.ts';

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === 'classics') return classics(args.slice(1));
  const options = readOptions(args);
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const { scenario, target } = options;
  if (scenario !== undefined && !existsSync(scenario))
    throw new FlagError(`--scenario: there is no file ${scenario} in ${process.cwd()}`);
  checkMachine(target);
  checkLoss(options);
  const scope = new Scope();
  const ctrlC = new CtrlC();
  try {
    return await Promise.race([ctrlC.alone, lab(scope, options, ctrlC)]);
  } finally {
    say('taking the lab down');
    await scope.close();
  }
}

async function lab(scope: Scope, options: LabOptions, ctrlC: CtrlC): Promise<number> {
  const { workers, bitsPerSecond, target: name, scenario, loss } = options;
  say(
    `hosts on a switch, ${bitsPerSecond / 1e6} Mbit/s each: coordinator, ${workers} workers, target, proxy`,
  );
  const lab = await startNetworkLab(scope, options);
  say(`the target, ${name}:`);
  const target = await startTarget(scope, lab, name);
  say(`  ${target.url}`);
  await observeTarget(lab, target);
  if (loss !== undefined) {
    const lossy = TARGETS[name].host;
    lab.lose(lossy, loss);
    say(`the link of ${lossy} loses ${loss * 100} % of its frames, each way`);
  }
  let code = 0;
  if (scenario !== undefined) {
    const aimed = aimWords(scenario, {
      url: target.url,
      address: lab.host('target').address!,
      directory: target.directories.target,
    });
    const words = [path.resolve(scenario), ...aimed, '--workers', String(workers), ...options.words];
    say(`$ coordinator run ${words.map(quoted).join(' ')}`);
    code = await ctrlC.during(lab.show(words));
  }
  if (!options.keep || ctrlC.pressed) return code;
  process.stderr.write(hostsText(lab, target));
  return ctrlC.alone;
}

/** @throws Error where the links here cannot lose anything */
function checkLoss({ loss }: LabOptions): void {
  const missing = loss === undefined ? false : lossMissing();
  if (missing !== false) throw new Error(`--loss: ${missing}`);
}

try {
  // Not only the exit code: what an interruption has cut off may still wait for something.
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`lab: ${error instanceof Error ? error.message : error}\n`);
  process.exit(error instanceof FlagError ? 2 : 1);
}
