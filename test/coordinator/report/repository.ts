import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A path of the source tree: tests run compiled in dist/, the files that they read are not copied there. */
export function inRepository(path: string): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  // dist/ holds no package.json, so the first one upwards is the repository's.
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  return join(directory, path);
}
