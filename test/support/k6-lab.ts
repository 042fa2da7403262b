/**
 * A lab whose workers run a real k6, each process of which also writes its samples as JSON into a file named by its process
 * id: what the merged report is held against, and who is to be killed.
 */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { K6_BINARY } from './k6.ts';
import { type RawSample, readSamples } from './k6-samples.ts';
import { type Lab, startLab, temporaryDirectory } from './lab.ts';
import type { Cleanups } from './scope.ts';

export interface K6Lab extends Lab {
  folder: string;
  /** Writes a scenario with this script beside it. @returns its path */
  scenario(name: string, script: string, keys?: string): Promise<string>;
  /** Process ids of the k6 processes of the last run. */
  pids(): Promise<number[]>;
  /** All samples of all k6 processes of the last run. */
  rawSamples(): Promise<RawSample[]>;
  /** Forgets what was written. */
  forget(): Promise<void>;
}

export async function startK6Lab(t: Cleanups, workers: readonly string[]): Promise<K6Lab> {
  const folder = await temporaryDirectory(t);
  const raw = path.join(folder, 'raw');
  await mkdir(raw);
  const binary = path.join(folder, 'k6');
  await writeFile(
    binary,
    `#!/bin/sh\nif [ "$1" = run ]; then exec '${K6_BINARY}' "$@" --out "json=${raw}/$$"; fi\nexec '${K6_BINARY}' "$@"\n`,
  );
  await chmod(binary, 0o755);
  const lab = await startLab(t, []);
  await Promise.all(workers.map((name) => lab.addWorker(name, ['--k6', binary])));
  const pids = async (): Promise<number[]> => (await readdir(raw)).map(Number);
  return {
    ...lab,
    folder,
    pids,
    scenario: async (name, script, keys = '') => {
      await writeFile(path.join(folder, `${name}.js`), script);
      const file = path.join(folder, `${name}.yaml`);
      await writeFile(file, `name: ${name}\nengine: k6\nk6: { script: ${name}.js }\n${keys}`);
      return file;
    },
    rawSamples: async () => {
      const texts = await Promise.all(
        (await pids()).map((pid) => readFile(path.join(raw, String(pid)), 'utf8')),
      );
      return texts.flatMap(readSamples);
    },
    forget: async () => {
      for (const pid of await pids()) await rm(path.join(raw, String(pid)));
    },
  };
}
