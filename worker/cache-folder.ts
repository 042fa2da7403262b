/** Where a worker keeps what it can make or fetch again; workers of one user on one machine share it. */
import os from 'node:os';
import path from 'node:path';
import { fromEnvironment } from '../shared/environment.ts';

/** `$XDG_CACHE_HOME/broadside/NAME`, else `~/.cache/broadside/NAME`. */
export function cachePath(name: string): string {
  const caches = fromEnvironment('XDG_CACHE_HOME') ?? path.join(os.homedir(), '.cache');
  return path.join(caches, 'broadside', name);
}
