/** What `coordinator run` does for scenarios with a k6 script: finds a k6, packs the script, and says what is wrong with it. */
import path from 'node:path';
import type { Command } from 'commander';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { fromEnvironment } from '../../shared/environment.ts';
import { BroadsideError } from '../../shared/errors.ts';
import type { K6Binary } from '../../shared/k6-binary.ts';
import type { PackedScript } from '../scripts/pack.ts';

export interface ScriptOptions {
  k6?: string;
  scriptRoot?: string;
}

export function withScriptOptions(command: Command): Command {
  return command
    .option('--k6 <path>', 'scripts: a k6 binary (default: $K6_BIN, else k6 in the PATH)')
    .option(
      '--script-root <dir>',
      "scripts: what they may import and open is in this folder (default: the scenario's)",
    );
}

/**
 * @param what the scenario's file, or the script itself
 * @param here whether the load is driven on this machine
 * @returns undefined for a scenario without a script
 * @throws BroadsideError K6_UNUSABLE (also without a script, where workers of here would be given one), SCENARIO_INVALID
 */
export async function prepareScript(
  scenario: Scenario,
  what: string,
  { k6: given, scriptRoot }: ScriptOptions,
  here: boolean,
): Promise<PackedScript | undefined> {
  const { hasScript } = await import('../../shared/domain/engine-choice.ts');
  const { chosenCells } = await import('../../shared/domain/cell-choice.ts');
  // The packer and its parser are loaded where there is something to pack.
  if (!hasScript(scenario.source, chosenCells(scenario))) {
    // The workers of an own lab would not start with one that is none, whatever they have to do.
    if (here && (given ?? fromEnvironment('K6_BIN')) !== undefined) await findIt(given);
    return undefined;
  }
  const { packScript } = await import('../scripts/pack.ts');
  const k6 = await findIt(given);
  if (here) await checkK6(scenario, k6);
  const packed = await packScript(scenario, { folder: path.dirname(what), root: scriptRoot }, k6);
  if (here && packed !== undefined) {
    // Now also for what it imports.
    await checkK6(packed.scenario, k6).catch(async (error) => {
      await packed.remove();
      throw error;
    });
  }
  for (const warning of packed?.warnings ?? []) say(warning);
  return packed;
}

async function findIt(given: string | undefined): Promise<K6Binary | undefined> {
  const { findK6 } = await import('../../shared/k6-binary.ts');
  return findK6({ given, warn: say });
}

/** Workers of an own lab have this machine's k6: what it lacks, none of them will have. */
async function checkK6(
  scenario: Scenario,
  k6: { path: string; version: string; extensions: string[] } | undefined,
): Promise<void> {
  const { planTrials } = await import('../../shared/domain/plan-trials.ts');
  const { lacks } = await import('../../shared/domain/k6-requirements.ts');
  for (const { k6: plan } of planTrials(scenario)) {
    const missing = plan === undefined ? [] : lacks(k6, plan.requires);
    if (missing.length === 0) continue;
    const message =
      k6 === undefined
        ? 'the scenario has a k6 script, and there is no k6 on this machine'
        : `${k6.path} lacks ${missing.join(' and ')}`;
    throw new BroadsideError('K6_UNUSABLE', message, {
      hint: 'name one with --k6 PATH or $K6_BIN, have k6 in the PATH, or run it on workers that have one: --coordinator URL',
    });
  }
}

function say(message: string): void {
  process.stderr.write(`coordinator: ${message}\n`);
}
