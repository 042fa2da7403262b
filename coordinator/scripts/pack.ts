/**
 * A scenario's script, packed for its workers: by `k6 archive` where this machine has a k6 and one archive will do for
 * all cells, else as a bundle of the files that the script names.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { chosenCells } from '../../shared/domain/cell-choice.ts';
import { hasScript } from '../../shared/domain/engine-choice.ts';
import type { ScriptPackage } from '../../shared/domain/k6-plan.ts';
import { k6Schema } from '../../shared/domain/k6-spec.ts';
import { planTrials } from '../../shared/domain/plan-trials.ts';
import type { Scenario } from '../../shared/domain/scenario.ts';
import { validateScenario } from '../../shared/domain/validate-scenario.ts';
import type { K6Binary } from '../../shared/k6-binary.ts';
import { hashOf } from '../../shared/script-package.ts';
import { archiveScript } from './archive.ts';
import { collectFiles, type ScriptFiles } from './collect-files.ts';
import { packFolder } from './pack-folder.ts';

export interface ScriptPlace {
  /** The scenario's folder: the script's name, and those of `files`, are from there. */
  folder: string;
  /** What nothing may lead out of; the scenario's folder, where it is not said. */
  root?: string | undefined;
}

export interface PackedScript {
  /** With the package in it; what is submitted. */
  scenario: Scenario;
  package: ScriptPackage;
  /** Its bytes. */
  file: string;
  /** For people. */
  warnings: string[];
  /** Deletes `file`. */
  remove(): Promise<void>;
}

/** Whether workers have to have k6 for it. */
function needsK6(scenario: Scenario): boolean {
  return hasScript(scenario.source, chosenCells(scenario));
}

/**
 * What the script names, followed; nothing is packed.
 * @returns undefined for a scenario without a script, or with one that is an archive already
 * @throws BroadsideError SCENARIO_INVALID naming the first import or file that is not there, with its line
 */
export async function checkScript(scenario: Scenario, place: ScriptPlace): Promise<ScriptFiles | undefined> {
  if (!needsK6(scenario)) return undefined;
  const { script, files } = scriptOf(scenario);
  if (isArchive(script)) return undefined;
  const at = (name: string): string => path.resolve(place.folder, name);
  return collectFiles(at(script), place.root ?? place.folder, files.map(at));
}

/**
 * @returns undefined for a scenario without a script
 * @throws BroadsideError SCENARIO_INVALID for what is wrong with the script: said once, before any load
 */
export async function packScript(
  scenario: Scenario,
  place: ScriptPlace,
  k6: K6Binary | undefined,
): Promise<PackedScript | undefined> {
  if (!needsK6(scenario)) return undefined;
  const given = path.resolve(place.folder, scriptOf(scenario).script);
  if (isArchive(given)) return packedArchive(scenario, given);
  const found = (await checkScript(scenario, place))!;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'broadside-pack-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const into = path.join(folder, 'script.tar');
    const env = oneEnvironment(scenario);
    const archived =
      k6 === undefined || env === undefined
        ? undefined
        : await archiveScript({
            k6,
            script: path.join(found.root, found.entry),
            root: found.root,
            env,
            folder,
            into,
          });
    const packed =
      archived ?? (await packFolder(found.root, found.files, { kind: 'bundle', entry: found.entry }, into));
    return {
      scenario: withPackage(scenario, packed, found.extensions),
      package: packed,
      file: into,
      // What init code loads is in an archive, however it is named.
      warnings: packed.kind === 'archive' ? [] : found.warnings,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function isArchive(script: string): boolean {
  return script.endsWith('.tar');
}

/** One that `k6 archive` has made already. */
async function packedArchive(scenario: Scenario, file: string): Promise<PackedScript> {
  const made: ScriptPackage = { sha256: await hashOf(file), bytes: (await stat(file)).size, kind: 'archive' };
  return { scenario: withPackage(scenario, made), package: made, file, warnings: [], remove: async () => {} };
}

function scriptOf({ source }: Scenario): { script: string; files: string[] } {
  // Neither depends on a cell; the rest may, and is not looked at.
  const { script, files } = source.k6 as { script: string; files?: unknown };
  return { script, files: k6Schema.shape.files.parse(files) };
}

/**
 * An archive keeps the options that the script had with these variables, and the files that it opened. Undefined where
 * cells differ in them, or where there are files besides, for which an archive has no place.
 */
function oneEnvironment(scenario: Scenario): Record<string, string> | undefined {
  if (scriptOf(scenario).files.length > 0) return undefined;
  const all = planTrials(scenario).flatMap(({ k6 }) => (k6 === undefined ? [] : [k6.env]));
  return new Set(all.map((env) => JSON.stringify(env))).size === 1 ? all[0] : undefined;
}

/** What it imports is asked of workers as if the scenario said so. */
function withPackage(scenario: Scenario, pack: ScriptPackage, imported: readonly string[] = []): Scenario {
  const { source } = scenario;
  const k6 = source.k6 as { requires?: { extensions?: string[] } };
  const extensions = [...new Set([...(k6.requires?.extensions ?? []), ...imported])];
  const requires = { ...k6.requires, ...(extensions.length > 0 && { extensions }) };
  return validateScenario({ ...source, k6: { ...k6, requires, package: pack } }, scenario.name);
}
