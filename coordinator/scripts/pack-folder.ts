/** Files → one tar, the same bytes whenever the files are the same, so that its hash is a name for them. */

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { create } from 'tar';
import type { ScriptPackage } from '../../shared/domain/k6-plan.ts';
import { hashOf } from '../../shared/script-package.ts';

/** @param files from `folder`, in the order of the tar */
export async function packFolder(
  folder: string,
  files: readonly string[],
  kind: Pick<ScriptPackage, 'kind' | 'entry'>,
  into: string,
): Promise<ScriptPackage> {
  // tar takes a name with "@" for a list of names.
  const names = files.map((name) => (name.startsWith('@') ? `.${path.posix.sep}${name}` : name));
  await create(
    {
      file: into,
      cwd: folder,
      // Neither owners nor times: they differ from machine to machine.
      portable: true,
      mtime: new Date(0),
      noDirRecurse: true,
      follow: kind.kind === 'bundle',
    },
    names,
  );
  return { sha256: await hashOf(into), bytes: (await stat(into)).size, ...kind };
}
