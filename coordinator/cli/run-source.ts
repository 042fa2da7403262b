/** Where the report of a finished run comes from: a coordinator, the data directory, or a directory with a journal. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { tokenFrom } from '../../shared/environment.ts';
import { BroadsideError } from '../../shared/errors.ts';
import type { Report, ReportOptions } from '../report/schema.ts';

export interface RunSource {
  data?: string;
  coordinator?: URL;
  token?: string;
  ca?: string;
}

/**
 * @param run its id, or the directory of its journal, which is on this machine also where a coordinator is named
 * @throws BroadsideError RUN_NOT_FOUND, JOURNAL_CORRUPT, and what a coordinator answers
 */
export async function loadReport(
  run: string,
  { data, coordinator, token, ca }: RunSource,
  options: ReportOptions = {},
): Promise<Report> {
  const { DataDirectory, isRunId } = await import('../data-directory.ts');
  const isDirectory = !isRunId(run) && existsSync(run);
  if (coordinator !== undefined && !isDirectory) {
    const { CoordinatorClient } = await import('../client.ts');
    return new CoordinatorClient(coordinator, tokenFrom(token), ca).report(run, options);
  }
  const { readJournal } = await import('../journal-file.ts');
  const { buildReport } = await import('../report/model.ts');
  const root = path.resolve(data ?? DataDirectory.defaultRoot());
  const directory = isRunId(run) ? path.join(root, 'runs', run) : path.resolve(run);
  if (!existsSync(directory)) {
    throw new BroadsideError('RUN_NOT_FOUND', `there is no run ${run} (looked for ${directory})`, {
      hint: `give the id that \`coordinator run\` printed, and --data DIR or --coordinator URL if it ran elsewhere; ${await latestIn(root)}`,
    });
  }
  return buildReport(readJournal(directory), options);
}

const NAMED = 5;

async function latestIn(root: string): Promise<string> {
  const ids = (await readdir(path.join(root, 'runs')).catch(() => [])).filter(
    (name) => !name.startsWith('.'),
  );
  if (ids.length === 0) return `${root} has no runs`;
  return `${root} has ${ids.length > NAMED ? '… ' : ''}${ids.sort().slice(-NAMED).join(', ')}`;
}
